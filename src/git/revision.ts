import { ArgosyError } from '../core/errors/index.ts';
import { commitOf, type Ref, type Refs, tagsOf } from './refs.ts';
import { isVersion, parseConstraint, pickVersion } from './semver.ts';

/** What a revision was found to be. */
export type RevisionKind = 'branch' | 'tag' | 'ref' | 'head' | 'commit' | 'version';

/** Where a revision leads, as far as the refs alone can tell. */
export type Found =
  | { readonly kind: RevisionKind; readonly ref: string | undefined; readonly commit: string }
  /** A hexadecimal text that only the objects can explain. */
  | { readonly kind: 'abbreviated'; readonly prefix: string }
  | undefined;

const maxLength = 1024;
// The rules of git-check-ref-format, and what git would read as an expression or an option.
const forbidden = /^[-/.]|\.\.|@\{|\/\/|[/.]$|\.lock(?:\/|$)|\/\.|[\p{Cc}\\:?[]/u;
const constraintText = /^[\w\s.,<>=!~^*|+()-]+$/;

/** Refuses a revision that no ref, commit or constraint could be, before git sees it. */
export function checkRevision(revision: string): void {
  const wrong =
    revision.length > maxLength
      ? `it is longer than ${maxLength} characters`
      : forbidden.test(revision) && !(constraintText.test(revision) && parseConstraint(revision) !== undefined)
        ? 'it is not a branch, tag, commit or version constraint'
        : undefined;
  if (wrong !== undefined)
    throw new ArgosyError('git-revision', `the revision is malformed: ${wrong}`, { subject: revision.slice(0, 100) });
}

/** Looks a revision up among the refs: the order is Argo CD's. With a prefix, versions are those of tags that begin so. */
export function findRevision(refs: Refs, revision: string, tagPrefix = ''): Found {
  checkRevision(revision);
  if (tagPrefix !== '') checkRevision(tagPrefix);
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(revision)) return { kind: 'commit', ref: undefined, commit: revision };
  if (revision === '' || revision === 'HEAD') return headOf(refs);
  const name = isVersion(revision) ? `${tagPrefix}${revision}` : revision;
  return findVersion(refs, revision, tagPrefix) ?? findName(refs, name) ?? findAbbreviated(name);
}

function headOf(refs: Refs): Found {
  const head = refs.byName.get('HEAD') ?? refs.byName.get(refs.head ?? '');
  return head === undefined ? undefined : { kind: 'head', ref: refs.head, commit: commitOf(head) };
}

function findVersion(refs: Refs, revision: string, prefix: string): Found {
  // A plain version is a name, not a constraint: `1.2` means the tag 1.2.
  if (isVersion(revision)) return undefined;
  const constraint = parseConstraint(revision);
  if (constraint === undefined) return undefined;
  const tags = tagsOf(refs, prefix);
  const tag = tags.get(pickVersion(constraint, tags.keys()) ?? '');
  return tag === undefined ? undefined : { kind: 'version', ref: tag.name, commit: commitOf(tag) };
}

function findName(refs: Refs, revision: string): Found {
  const names = [revision, `refs/heads/${revision}`, `refs/tags/${revision}`, `refs/${revision}`];
  for (const name of names) {
    const ref = refs.byName.get(name);
    if (ref !== undefined) return { kind: kindOf(ref), ref: ref.name, commit: commitOf(ref) };
  }
  return undefined;
}

function findAbbreviated(revision: string): Found {
  return /^[0-9a-f]{7,64}$/i.test(revision) ? { kind: 'abbreviated', prefix: revision.toLowerCase() } : undefined;
}

function kindOf(ref: Ref): RevisionKind {
  if (ref.name.startsWith('refs/heads/')) return 'branch';
  return ref.name.startsWith('refs/tags/') ? 'tag' : 'ref';
}
