import type { IntegrityPolicy } from './integrity.ts';

/** What is known of the signature of one commit or tag. Only `good` is a proof; everything else is the lack of one. */
export interface SignatureFact {
  readonly what: 'commit' | 'tag';
  /** The id of the object. */
  readonly id: string;
  readonly state: 'good' | 'bad' | 'expired' | 'revoked' | 'unknown-key' | 'unsigned' | 'unreadable';
  /** Fingerprints of the key that signed and of the one it belongs to. */
  readonly keys: readonly string[];
}

const sentences: Record<Exclude<SignatureFact['state'], 'good'>, string> = {
  bad: 'has a bad signature',
  expired: 'is signed with a signature or key that has expired',
  revoked: 'is signed with a revoked key',
  'unknown-key': 'is signed with a key that is not permitted',
  unsigned: 'is not signed',
  unreadable: 'has a signature that cannot be read',
};
const maxTold = 5;

/**
 * Why a revision may not be used, or `undefined` where every fact is a proof by a permitted key. Each object is judged by
 * itself: what was said of one says nothing about the next, whatever key that one claims.
 */
export function judgeSignatures({ keys }: IntegrityPolicy, facts: readonly SignatureFact[]): string | undefined {
  if (facts.length === 0) return 'GIT/GPG: nothing of the revision could be verified';
  const problems = facts.flatMap((fact) => {
    const problem = problemOf(fact, keys);
    return problem === undefined ? [] : [`${fact.what} ${fact.id.slice(0, 12)} ${problem}`];
  });
  if (problems.length === 0) return undefined;
  const more = problems.length > maxTold ? `, and ${problems.length - maxTold} more` : '';
  return `GIT/GPG: ${problems.slice(0, maxTold).join(', ')}${more}`;
}

function problemOf({ state, keys }: SignatureFact, permitted: readonly string[]): string | undefined {
  if (state !== 'good') return sentences[state];
  return permitted.some((id) => keys.some((key) => isKey(id, key))) ? undefined : sentences['unknown-key'];
}

/** Whether an id as an admin writes it (16 digits at least) names this fingerprint. */
export function isKey(id: string, fingerprint: string): boolean {
  const wanted = id.trim().replace(/^0x/i, '').toUpperCase();
  return /^(?:[0-9A-F]{16}|[0-9A-F]{40}|[0-9A-F]{64})$/.test(wanted) && fingerprint.toUpperCase().endsWith(wanted);
}
