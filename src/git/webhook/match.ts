import { isVersion, parseConstraint, parseVersion, satisfies } from '../semver.ts';
import type { PushEvent } from './event.ts';

/**
 * An address as webhooks and people spell it, brought to one form: no scheme, user, port, `ssh.` in front or `.git`
 * behind, lower case. Only for deciding whether to look sooner: it says nothing about rights or credentials.
 */
export function looseRepositoryKey(address: string): string | undefined {
  if (address.length > 2048) return undefined;
  const rest = address
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '');
  const authority = rest.split('/', 1)[0] ?? '';
  const plain = rest.slice(authority.lastIndexOf('@') + 1);
  const match = /^(\[[0-9a-f:.]+\]|[^/:]+)(?::[0-9]{1,5}(?=\/))?[/:]\/*(.+)$/.exec(plain);
  if (match === null) return undefined;
  const host = (match[1] ?? '').replace(/^(?:alt)?ssh\./, '');
  const path = (match[2] ?? '').replace(/\/+$/, '').replace(/\.git$/, '');
  return path === '' ? undefined : `${host}/${path}`;
}

/** Whether a push is to this repository. */
export function concernsRepository(event: PushEvent, address: string): boolean {
  const key = looseRepositoryKey(address);
  return key !== undefined && event.urls.some((url) => looseRepositoryKey(url) === key);
}

/** Whether a push may have moved what a target revision stands for. */
export function concernsRevision(event: PushEvent, revision: string): boolean {
  if (revision === '' || revision === 'HEAD') return event.defaultBranchMoved;
  const wanted = shortName(revision);
  const constraint = isVersion(revision) ? undefined : parseConstraint(revision);
  return event.refs.some(({ ref }) => {
    const name = shortName(ref);
    const version = constraint === undefined ? undefined : parseVersion(name);
    return (
      name === wanted ||
      ref === revision ||
      (constraint !== undefined && version !== undefined && satisfies(version, constraint))
    );
  });
}

/** `refs/heads/team/x` → `team/x`. */
function shortName(ref: string): string {
  return /^refs\/[^/]+\/(.+)$/.exec(ref)?.[1] ?? ref;
}
