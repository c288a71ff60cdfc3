import { type Application, projectOf, type Snapshot } from '../../core/api/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import {
  effectiveProject,
  type IntegrityPolicy,
  integrityFor,
  isKey,
  judgeSignatures,
} from '../../core/policy/index.ts';
import type { Repository, Resolved } from '../../git/index.ts';
import { pairName } from './inputs.ts';

/** Throws unless a revision carries the signatures that the project of an Application asks for. */
export type Verify = (repository: Pick<Repository, 'signatures'>, resolved: Resolved) => Promise<void>;

/** Chooses the check for one Git repository of an Application. */
export type VerifierOf = (app: Application, url: string, snapshot: Snapshot) => Verify;

/** For those who only want to know where a revision leads, and take nothing from there. */
export const verifiesNothing: VerifierOf = () => async () => undefined;

const made = new WeakMap<Snapshot, Map<string, Verify>>();
const maxMade = 20_000;

/** The check for one Git repository of an Application, by the project and keys of this moment. */
export function verifierOf(app: Application, url: string, snapshot: Snapshot): Verify {
  const known = made.get(snapshot) ?? new Map<string, Verify>();
  made.set(snapshot, known);
  const project = projectOf(app);
  const name = pairName(project, url);
  const verify = known.get(name) ?? makeVerifier(project, url, snapshot);
  if (known.size >= maxMade) known.clear();
  known.set(name, verify);
  return verify;
}

function makeVerifier(name: string, url: string, snapshot: Snapshot): Verify {
  const project = effectiveProject(snapshot, name);
  // Without its project nobody knows what the Application has to prove.
  if (project === undefined) return refuse('GIT/GPG: the project cannot be read');
  const integrity = integrityFor(project, url);
  if (!integrity.ok) return refuse(integrity.verdict.message);
  const { policy } = integrity;
  if (policy === undefined || policy.mode === 'none') return async () => undefined;
  const { mode } = policy;
  const { armour, missing } = keysOf(policy, snapshot.gpgKeys ?? new Map());
  return async (repository, resolved) => {
    const problem = judgeSignatures(policy, await repository.signatures(resolved, { mode, keys: armour }));
    if (problem !== undefined) throw unverified(problem, missing);
  };
}

/** The public keys that a policy permits, and the ids of those that nobody has put in place. */
function keysOf(
  { keys }: IntegrityPolicy,
  known: ReadonlyMap<string, string>,
): { readonly armour: readonly string[]; readonly missing: readonly string[] } {
  const named = (id: string): string[] =>
    [...known].flatMap(([name, armour]) => (isKey(id, name) || isKey(name, id) ? [armour] : []));
  return { armour: [...new Set(keys.flatMap(named))], missing: keys.filter((id) => named(id).length === 0) };
}

function refuse(message: string): Verify {
  return async () => {
    throw unverified(message, []);
  };
}

function unverified(problem: string, missing: readonly string[]): ArgosyError {
  const absent =
    missing.length === 0 ? '' : ` (not in ConfigMap argocd-gpg-keys-cm: ${missing.join(', ').slice(0, 200)})`;
  return new ArgosyError('source-unverified', `${problem}${absent}`, {
    hint: 'sign the revision with a key that the project permits',
  });
}
