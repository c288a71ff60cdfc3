import { hasCredential, type Repository as RepositorySecret } from '../core/api/index.ts';
import { normalizeRepositoryUrl } from '../core/match/index.ts';

/** The credential chosen for a repository, and whose it is. */
export interface SelectedCredential {
  /** The Secret that names the repository, where there is one: its flags (LFS, depth, proxy) hold. */
  readonly repository: RepositorySecret | undefined;
  /** The Secret to log in with; `undefined`: nobody in particular. */
  readonly login: RepositorySecret | undefined;
  /** Separates mirrors: equal only for readers who use the same credential. */
  readonly scope: string;
}

/** Who asks for which repository. */
export interface CredentialQuestion {
  /** The project of the Application that asks. */
  readonly project: string;
  readonly url: string;
  readonly type?: RepositorySecret['type'] | undefined;
}

/**
 * Chooses the credential for a project and an address: the project's own repository Secret, then one without a project,
 * then the template with the longest address that leads to it. A Secret scoped to another project is never looked at.
 */
export function selectCredential(
  question: CredentialQuestion,
  secrets: readonly RepositorySecret[],
): SelectedCredential {
  const type = question.type ?? 'git';
  const mine = secrets.filter(
    (secret) => secret.type === type && (secret.project === '' || secret.project === question.project),
  );
  const repository = findRepository(question, mine);
  const login = repository !== undefined && hasCredential(repository) ? repository : findTemplate(question.url, mine);
  return { repository, login, scope: scopeOf(login, repository) };
}

function findRepository(
  { project, url }: CredentialQuestion,
  secrets: readonly RepositorySecret[],
): RepositorySecret | undefined {
  const wanted = normalizeRepositoryUrl(url);
  if (wanted === undefined) return undefined;
  const named = secrets.filter((secret) => !secret.template && addressOf(secret) === wanted).sort(byName);
  return (
    named.find((secret) => secret.project !== '' && secret.project === project) ??
    named.find((secret) => secret.project === '')
  );
}

function findTemplate(url: string, secrets: readonly RepositorySecret[]): RepositorySecret | undefined {
  const wanted = normalizeRepositoryUrl(url);
  if (wanted === undefined) return undefined;
  let best: { secret: RepositorySecret; length: number } | undefined;
  for (const secret of secrets.filter(({ template }) => template).sort(byName)) {
    const prefix = addressOf(secret);
    if (prefix === undefined || !leadsTo(prefix, wanted)) continue;
    if (best === undefined || prefix.length > best.length) best = { secret, length: prefix.length };
  }
  return best?.secret;
}

/**
 * A prefix ends where a part of the address ends. By letters alone, a credential for `https://git.example` would be
 * sent to `https://git.example.evil`, and one for `…/team` would open `…/team-secrets`.
 */
function leadsTo(prefix: string, url: string): boolean {
  if (!url.startsWith(prefix)) return false;
  // The whole authority must be in the prefix, or it says nothing about where the credential goes.
  if (!/^(?:[a-z]+:\/\/[^/]+|[^/@]+@[^/]+)/.test(prefix)) return false;
  const next = url.charAt(prefix.length);
  return next === '' || next === '/' || prefix.endsWith('/');
}

function scopeOf(login: RepositorySecret | undefined, repository: RepositorySecret | undefined): string {
  const secret = login ?? repository;
  return secret === undefined ? 'anonymous' : `${secret.namespace}/${secret.secret}/${secret.uid}`;
}

function byName(a: RepositorySecret, b: RepositorySecret): number {
  const [left, right] = [`${a.namespace}/${a.secret}`, `${b.namespace}/${b.secret}`];
  return left < right ? -1 : left > right ? 1 : 0;
}

const addresses = new WeakMap<RepositorySecret, string | undefined>();

/** The normalised address of a Secret, worked out once: every pass of every Application comes by here. */
function addressOf(secret: RepositorySecret): string | undefined {
  if (!addresses.has(secret)) addresses.set(secret, normalizeRepositoryUrl(secret.url));
  return addresses.get(secret);
}
