/**
 * Repositories: one bare mirror per address and credential, shared by all Applications, read through the real git.
 *
 * A fetch brings what is new for everybody; after that everything is a question to one git process that stays open.
 * What the files mean is `render`'s business, who may read which repository is `core/policy`'s.
 * `webhook/` reads what Git hosts send; `watcher.ts` polls. Begin with `git.ts`, then `repository.ts`; `url.ts`, `environment.ts` and `transport.ts` keep hostile input out.
 */
export type { CommitInfo, Signature } from './commit.ts';
export { type CredentialQuestion, type SelectedCredential, selectCredential } from './credentials.ts';
export type { ExportRequest, ExportResult, ExportSource } from './export.ts';
export { createGit, type Git, type GitOptions, type RepositoryRequest } from './git.ts';
export { defaultLimits, type GitLimits } from './limits.ts';
export type { Ref, Refs } from './refs.ts';
export type { Repository, Resolved, SignatureWish } from './repository.ts';
export type { RevisionKind } from './revision.ts';
export {
  type Constraint,
  compareVersions,
  isVersion,
  parseConstraint,
  parseVersion,
  pickVersion,
  satisfies,
  type Version,
} from './semver.ts';
export { parseModules, resolveAddress } from './submodules.ts';
export type { Trust } from './transport.ts';
export type { EntryKind, TreeItem } from './tree.ts';
export type { ChangedPath, TreeEntry } from './tree-walk.ts';
export { parseRepositoryUrl, type RepositoryUrl, type Transport } from './url.ts';
export {
  after,
  createRepositoryWatcher,
  type PollListener,
  type PollOutcome,
  type RepositoryWatcher,
  type WatcherOptions,
} from './watcher.ts';
export type {
  MovedRef,
  Provider,
  PushEvent,
  WebhookAnswer,
  WebhookRequest,
  WebhookSecretKey,
  WebhookSecrets,
} from './webhook/event.ts';
export { concernsRepository, concernsRevision, looseRepositoryKey } from './webhook/match.ts';
export { readWebhook } from './webhook/read.ts';
