import { createHash } from 'node:crypto';

/** One ref as the server advertises it. */
export interface Ref {
  readonly name: string;
  /** The object the ref names: a commit, or an annotated tag. */
  readonly id: string;
  /** The commit behind an annotated tag. */
  readonly peeled?: string | undefined;
}

/** All refs of a repository at one moment. */
export interface Refs {
  readonly byName: ReadonlyMap<string, Ref>;
  /** The branch `HEAD` stands for, where the server says so. */
  readonly head: string | undefined;
  /** Equal for two advertisements that say the same. */
  readonly fingerprint: string;
}

/** Reads the answer of `git ls-remote --symref`. */
export function parseRefs(answer: string): Refs {
  const byName = new Map<string, Ref>();
  let head: string | undefined;
  for (const line of answer.split('\n')) {
    const tab = line.indexOf('\t');
    if (tab < 0) continue;
    const [value, name] = [line.slice(0, tab), line.slice(tab + 1)];
    if (value.startsWith('ref: ')) {
      if (name === 'HEAD') head = value.slice('ref: '.length);
    } else if (name.endsWith('^{}')) {
      const tag = byName.get(name.slice(0, -3));
      if (tag !== undefined) byName.set(tag.name, { ...tag, peeled: value });
    } else byName.set(name, { name, id: value });
  }
  return { byName, head, fingerprint: createHash('sha256').update(answer).digest('hex') };
}

/** The commit a ref leads to. */
export function commitOf(ref: Ref): string {
  return ref.peeled ?? ref.id;
}

/** The tags that begin with a prefix, by the rest of their short names. */
export function tagsOf(refs: Refs, prefix: string): Map<string, Ref> {
  const start = `refs/tags/${prefix}`;
  const tags = new Map<string, Ref>();
  for (const ref of refs.byName.values()) if (ref.name.startsWith(start)) tags.set(ref.name.slice(start.length), ref);
  return tags;
}
