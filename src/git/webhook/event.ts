import type { Hidden } from '../../core/api/index.ts';

/** Who sends webhooks. */
export type Provider = 'azuredevops' | 'gogs' | 'github' | 'gitlab' | 'bitbucket' | 'bitbucketserver';

/** What the sender has to know, where an admin set it; without it anybody may hint. */
export type WebhookSecrets = Partial<Record<WebhookSecretKey, Hidden>>;

/** The keys of `argocd-secret`, without their `webhook.`. */
export type WebhookSecretKey =
  | 'github.secret'
  | 'gitlab.secret'
  | 'bitbucket.uuid'
  | 'bitbucketserver.secret'
  | 'gogs.secret'
  | 'azuredevops.username'
  | 'azuredevops.password';

/** A request as it came in; header names in lower case. */
export interface WebhookRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The raw body, at most as long as the caller let it become. */
  readonly body: Buffer;
}

/** One ref that moved. */
export interface MovedRef {
  /** `refs/heads/main`, `refs/tags/v1`. */
  readonly ref: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What a push says. It is a hint to look sooner, and decides nothing else. */
export interface PushEvent {
  readonly provider: Provider;
  /** Addresses of the repository, as the sender writes them. */
  readonly urls: readonly string[];
  readonly refs: readonly MovedRef[];
  /** Whether the default branch moved; where the sender does not say, it may have. */
  readonly defaultBranchMoved: boolean;
  /** Which files changed, where the sender says so. */
  readonly files: readonly string[] | undefined;
}

/** What to answer, and what to do: an event, or nothing (a ping, an event that is none of ours). */
export type WebhookAnswer =
  | { readonly ok: true; readonly event: PushEvent | undefined }
  | { readonly ok: false; readonly status: 400 | 401 | 413; readonly message: string };
