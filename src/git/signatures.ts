import { hash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgosyError, isArgosyError } from '../core/errors/index.ts';
import type { SignatureFact } from '../core/policy/index.ts';
import type { Spawner } from '../spawn/index.ts';
import type { BatchReader } from './batch-reader.ts';
import { isPlainCommit } from './commit.ts';
import type { GitConfig } from './environment.ts';
import type { GitLimits } from './limits.ts';
import type { GitProgram } from './program.ts';

/** Whose signatures are looked at, and how far back. */
export interface SignatureQuestion {
  readonly commit: string;
  /** The annotated tag it was found under: then its signature counts for the commit. */
  readonly tag?: { readonly id: string; readonly name: string } | undefined;
  readonly mode: 'head' | 'strict';
  /** Public keys in their armour; no other key is known while looking. */
  readonly keys: readonly string[];
}

/** What looking at signatures needs. */
export interface SignatureParts {
  readonly spawner: Spawner;
  readonly program: GitProgram;
  readonly reader: BatchReader;
  readonly gitDir: string;
  readonly subject: string;
  readonly limits: Pick<GitLimits, 'fetchMs' | 'maxSignedCommits'>;
  readonly now: () => number;
}

/** Looks at signatures. */
export type ReadSignatures = (question: SignatureQuestion) => Promise<readonly SignatureFact[]>;

/** How long a fact is believed: keys expire, and expiry is nothing that a commit would tell. */
const believedMs = 10 * 60_000;
const maxFacts = 20_000;

/**
 * Finds out what the signatures of a revision are worth, with the real gpg and a keyring that holds the given keys only.
 * A commit does not change, so each is looked at once in a while per set of keys.
 */
export function createSignatures(parts: SignatureParts): ReadSignatures {
  const known = new Map<string, { readonly fact: SignatureFact; readonly since: number }>();
  const look = async (question: SignatureQuestion, wanted: readonly Wanted[]): Promise<SignatureFact[]> => {
    const scratch = await parts.spawner.scratch();
    try {
      await importKeys(parts, scratch.path, question.keys);
      const env = { GNUPGHOME: scratch.path };
      const [tag] = wanted.filter(({ what }) => what === 'tag').map(() => question.tag);
      const commits = wanted.filter(({ what }) => what === 'commit').map(({ id }) => id);
      return [
        ...(tag === undefined ? [] : [await tagFact(parts, tag, question.commit, env)]),
        ...(commits.length === 0 ? [] : await commitFacts(parts, commits, env)),
      ];
    } finally {
      await scratch.remove();
    }
  };
  return async (question) => {
    const keyring = hash('sha256', JSON.stringify(question.keys));
    const nameOf = ({ what, id }: Wanted): string =>
      `${keyring} ${id}${what === 'tag' ? ` ${question.tag?.name} ${question.commit}` : ''}`;
    const fresh = (entry: Wanted): SignatureFact | undefined => {
      const before = known.get(nameOf(entry));
      return before !== undefined && parts.now() - before.since < believedMs ? before.fact : undefined;
    };
    const wanted = await wantedOf(parts, question);
    const missing = wanted.filter((entry) => fresh(entry) === undefined);
    const found = missing.length === 0 ? [] : await look(question, missing);
    if (known.size + found.length > maxFacts) known.clear();
    for (const fact of found) known.set(nameOf(fact), { fact, since: parts.now() });
    return wanted.map((entry) => fresh(entry) ?? { ...entry, state: 'unreadable', keys: [] });
  };
}

type Wanted = Pick<SignatureFact, 'what' | 'id'>;

/** What has to be signed: an annotated tag speaks for its commit, and the whole history for itself. */
async function wantedOf(parts: SignatureParts, { commit, tag, mode }: SignatureQuestion): Promise<Wanted[]> {
  const tags = tag === undefined ? [] : [{ what: 'tag', id: tag.id } as const];
  if (mode === 'head' && tags.length > 0) return tags;
  const commits = mode === 'strict' ? await ancestry(parts, commit) : [commit];
  return [...tags, ...commits.map((id) => ({ what: 'commit', id }) as const)];
}

/** Every commit that leads to this one; a history that is cut off cannot be vouched for. */
async function ancestry(
  { program, reader, gitDir, subject, limits }: SignatureParts,
  commit: string,
): Promise<string[]> {
  const count = `--max-count=${limits.maxSignedCommits + 1}`;
  const call = { args: ['rev-list', count, '--end-of-options', commit], gitDir, deadlineMs: limits.fetchMs };
  const ids = (await program.run(subject, call)).toString().trim().split('\n');
  if (ids.length > limits.maxSignedCommits)
    throw new ArgosyError(
      'source-unverified',
      `GIT/GPG: more than ${limits.maxSignedCommits} commits would have to be verified`,
      {
        subject,
      },
    );
  const known = new Set(ids);
  if ((await reader.contents(ids)).some((object) => isCutOff(object?.content, known)))
    throw new ArgosyError(
      'source-unverified',
      'GIT/GPG: the whole history is to be verified, and only a part of it is here',
      {
        subject,
        hint: 'take `depth` out of the repository Secret',
      },
    );
  return ids;
}

/** Whether a commit has a parent that is not here. */
function isCutOff(content: Buffer | undefined, known: ReadonlySet<string>): boolean {
  const headers = content?.toString('latin1').split('\n\n', 1)[0] ?? '';
  return [...headers.matchAll(/^parent ([0-9a-f]+)$/gm)].some(([, id = '']) => !known.has(id));
}

async function importKeys({ spawner, subject }: SignatureParts, home: string, keys: readonly string[]): Promise<void> {
  // Nothing is asked of the network, and no agent is started that would outlive us.
  await writeFile(join(home, 'gpg.conf'), 'no-auto-key-retrieve\nno-autostart\nbatch\nno-tty\n', { mode: 0o600 });
  const run = (args: readonly string[], stdin?: string): Promise<unknown> =>
    spawner.run({ command: 'gpg', args, env: { GNUPGHOME: home, LC_ALL: 'C' }, stdin, deadlineMs: 20_000 });
  try {
    await run(['--version']);
    // A key that cannot be read is one that is not there; what it has signed is then signed by nobody.
    for (const key of keys) await run(['--batch', '--quiet', '--import'], key);
  } catch (error) {
    if (!isArgosyError(error) || error.code !== 'spawn-failed') throw error;
    throw new ArgosyError('tool-missing', 'the project asks for signed commits, and gpg is not installed', {
      subject,
      hint: 'put gpg on the PATH of Argosy',
    });
  }
}

// Other kinds of signatures (ssh, X.509) are nobody's here.
const config: GitConfig = [
  ['gpg.program', 'gpg'],
  ['gpg.openpgp.program', 'gpg'],
  ['gpg.ssh.program', '/bin/false'],
  ['gpg.x509.program', '/bin/false'],
];

/** Git's own letters for what it found. */
const states: Readonly<Record<string, SignatureFact['state']>> = {
  G: 'good',
  U: 'good',
  B: 'bad',
  X: 'expired',
  Y: 'expired',
  R: 'revoked',
  E: 'unknown-key',
  N: 'unsigned',
};

async function commitFacts(
  { program, reader, gitDir, subject, limits }: SignatureParts,
  commits: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<SignatureFact[]> {
  const printed = await program.run(subject, {
    args: ['log', '--no-walk=unsorted', '--stdin', '--format=%H %G? %GF %GP'],
    stdin: `${commits.join('\n')}\n`,
    deadlineMs: limits.fetchMs,
    ...{ gitDir, config, env },
  });
  const lines = new Map(
    printed
      .toString()
      .split('\n')
      .map((line) => [line.split(' ', 1)[0] ?? '', line.split(' ').slice(1)]),
  );
  const objects = await reader.contents(commits);
  return commits.map((id, i) => {
    const [letter = '', ...keys] = lines.get(id) ?? [];
    // Two readers of a commit with doubled headers may see two commits, and only one of them is signed.
    const plain = isPlainCommit(objects[i]?.content ?? Buffer.alloc(0));
    const state = plain ? (states[letter] ?? 'unreadable') : 'unreadable';
    return { what: 'commit', id, state, keys: keys.filter((key) => key !== '') };
  });
}

async function tagFact(
  { program, reader, gitDir, limits }: SignatureParts,
  { id, name }: { readonly id: string; readonly name: string },
  commit: string,
  env: Readonly<Record<string, string>>,
): Promise<SignatureFact> {
  const [[target], [object]] = [await reader.info([`${id}^{commit}`]), await reader.contents([id])];
  const headers = object?.content?.toString('utf8').split('\n\n', 1)[0] ?? '';
  // The server says where a tag leads and what it is called; the signature says so too, and only that counts.
  const isMeant = target?.id === commit && headers.match(/^tag .*$/gm)?.join('\n') === `tag ${name}`;
  const { stderr } = await program.try({
    args: ['verify-tag', '--raw', id],
    deadlineMs: limits.fetchMs,
    ...{ gitDir, config, env },
  });
  const told = readStatus(stderr);
  return { what: 'tag', id, ...told, ...(isMeant ? {} : { state: 'unreadable' }) };
}

/** Reads the lines that gpg writes for programs: exactly one signature, and nothing said against it. */
export function readStatus(text: string): Pick<SignatureFact, 'state' | 'keys'> {
  const lines = [...text.matchAll(/^\[GNUPG:\] ([A-Z_]+)(?: (.*))?$/gm)].map(([, word = '', rest = '']) => ({
    word,
    rest,
  }));
  const verdicts = lines.filter(({ word }) => /^(?:GOOD|BAD|ERR|EXP|EXPKEY|REVKEY)SIG$/.test(word));
  const [verdict] = verdicts;
  if (verdict === undefined) return { state: 'unsigned', keys: [] };
  if (verdicts.length > 1) return { state: 'unreadable', keys: [] };
  const valid = lines.filter(({ word }) => word === 'VALIDSIG').map(({ rest }) => rest.split(' '));
  const keys = [valid[0]?.[0] ?? '', valid[0]?.at(-1) ?? ''].filter((key) => /^[0-9A-F]{40,64}$/.test(key));
  const table: Readonly<Record<string, SignatureFact['state']>> = {
    GOODSIG: valid.length === 1 && keys.length > 0 ? 'good' : 'unreadable',
    BADSIG: 'bad',
    ERRSIG: 'unknown-key',
    EXPSIG: 'expired',
    EXPKEYSIG: 'expired',
    REVKEYSIG: 'revoked',
  };
  return { state: table[verdict.word] ?? 'unreadable', keys };
}
