/** Who did something, when. */
export interface Signature {
  readonly name: string;
  readonly email: string;
  /** RFC 3339, in the zone of the author. */
  readonly date: string;
}

/** What a commit says about itself. */
export interface CommitInfo {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
  /** The tags that name this commit. */
  readonly tags: readonly string[];
  /** The signature as it stands in the commit, unverified. */
  readonly signature: string | undefined;
}

/** Reads a commit object; headers may be repeated only where git does so. */
export function parseCommit(id: string, content: Buffer, tags: readonly string[]): CommitInfo | undefined {
  const text = content.toString('utf8');
  const end = text.indexOf('\n\n');
  const headers = readHeaders(end < 0 ? text : text.slice(0, end));
  const [tree] = headers.get('tree') ?? [];
  // Two trees or authors: another reader might take the other one.
  if (tree === undefined || ['tree', 'author', 'committer'].some((name) => headers.get(name)?.length !== 1))
    return undefined;
  return {
    id,
    tree,
    parents: headers.get('parent') ?? [],
    author: parseSignature(headers.get('author')?.[0] ?? ''),
    committer: parseSignature(headers.get('committer')?.[0] ?? ''),
    message: end < 0 ? '' : text.slice(end + 2).trimEnd(),
    tags,
    signature: headers.get('gpgsig')?.[0] ?? headers.get('gpgsig-sha256')?.[0],
  };
}

/** Whether each header that must stand once does, and a signature at most once: then every reader sees the same commit. */
export function isPlainCommit(content: Buffer): boolean {
  const text = content.toString('utf8');
  const end = text.indexOf('\n\n');
  const headers = readHeaders(end < 0 ? text : text.slice(0, end));
  const times = (name: string): number => headers.get(name)?.length ?? 0;
  return (
    ['tree', 'author', 'committer'].every((name) => times(name) === 1) &&
    times('gpgsig') + times('gpgsig-sha256') <= 1 &&
    times('encoding') <= 1
  );
}

function readHeaders(text: string): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  let last: string[] | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith(' ') && last !== undefined) {
      last[last.length - 1] += `\n${line.slice(1)}`;
      continue;
    }
    const space = line.indexOf(' ');
    const name = space < 0 ? line : line.slice(0, space);
    last = headers.get(name) ?? [];
    last.push(space < 0 ? '' : line.slice(space + 1));
    headers.set(name, last);
  }
  return headers;
}

function parseSignature(text: string): Signature {
  const match = /^(.*?) ?<([^<>]*)> (-?[0-9]{1,12}) ([+-])([0-9]{2})([0-9]{2})$/.exec(text);
  if (match === null) return { name: text.slice(0, 200), email: '', date: '' };
  const [, name = '', email = '', seconds = '0', sign = '+', hours = '00', minutes = '00'] = match;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const local = new Date((Number(seconds) + offset * 60) * 1000);
  const date = Number.isNaN(local.getTime())
    ? ''
    : local.toISOString().replace(/\.000Z$/, offset === 0 ? 'Z' : `${sign}${hours}:${minutes}`);
  return { name, email, date };
}
