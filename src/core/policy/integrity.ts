import type { SourceIntegrityPolicy } from '../api/index.ts';
import type { EffectiveProject } from './effective.ts';
import { matcherOf } from './matcher.ts';
import { quote } from './note.ts';
import { type Denied, denied } from './verdict.ts';

/** Which signatures a Git source must carry. */
export type Integrity =
  | { readonly ok: true; readonly policy: IntegrityPolicy | undefined }
  | { readonly ok: false; readonly verdict: Denied };

export interface IntegrityPolicy {
  readonly mode: 'none' | 'head' | 'strict';
  readonly keys: readonly string[];
}

/**
 * The policy a project has for a Git repository: none, one, or an error where several match. `signatureKeys` alone act
 * as one policy for everything; beside `sourceIntegrity.git` they count for nothing.
 */
export function integrityFor(project: EffectiveProject, url: string): Integrity {
  const { sourceIntegrity, signatureKeys = [] } = project.project.spec;
  if (sourceIntegrity?.git === undefined) {
    const keys = signatureKeys.map(({ keyID }) => keyID);
    return { ok: true, policy: keys.length === 0 ? undefined : { mode: 'head', keys } };
  }
  const matching = (sourceIntegrity.git.policies ?? []).filter((policy) => covers(policy, url));
  const [policy, ...more] = matching;
  if (more.length > 0)
    return refuse(`multiple (${matching.length}) source integrity policies found for repo URL: ${quote(url)}`);
  return policy === undefined ? { ok: true, policy: undefined } : read(policy);
}

/** An entry with `!` takes a repository out of the policy; one that cannot be read keeps it in, so that it is checked. */
function covers({ repos = [] }: SourceIntegrityPolicy, url: string): boolean {
  const hits = (pattern: string, broken: boolean): boolean => matcherOf(pattern)?.matches(url) ?? broken;
  const out = repos.some(({ url: entry }) => entry.startsWith('!') && hits(entry.slice(1), false));
  return !out && repos.some(({ url: entry }) => !entry.startsWith('!') && hits(entry, true));
}

function read({ gpg }: SourceIntegrityPolicy): Integrity {
  const mode = gpg?.mode ?? 'none';
  if (mode !== 'none' && mode !== 'head' && mode !== 'strict')
    return refuse(`source integrity mode ${quote(mode)} is not known`);
  return { ok: true, policy: { mode, keys: gpg?.keys ?? [] } };
}

function refuse(message: string): Integrity {
  return { ok: false, verdict: denied('source-invalid', message, 'ComparisonError') };
}
