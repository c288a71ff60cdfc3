import { ArgosyError } from '../../../core/errors/index.ts';
import {
  type Assembled,
  type Explanation,
  explainAdmission,
  explainIdentity,
  explainSecret,
} from '../../../core/policy/index.ts';
import { parseSubject } from '../why/subject.ts';
import type { Case, Try } from './case-file.ts';

/** What came of one case. */
export interface CaseResult {
  readonly name: string;
  readonly passed: boolean;
  /** What was expected and what came instead, one line each. */
  readonly differences: readonly string[];
  readonly explanation: Explanation;
}

/** Tries one case. */
export function runCase(assembled: Assembled, one: Case): CaseResult {
  const explanation = explain(assembled, one.try);
  const { expect } = one;
  const differences = [
    ...differs('verdict', expect.verdict, explanation.verdict),
    ...(expect.message === undefined || explanation.message.includes(expect.message)
      ? []
      : [`expected a message with ${JSON.stringify(expect.message)}, got ${JSON.stringify(explanation.message)}`]),
    ...differs('identity', expect.identity, identityOf(explanation)),
    ...clusterDiffers(expect.cluster, explanation),
  ];
  return { name: one.name, passed: differences.length === 0, differences, explanation };
}

function explain(assembled: Assembled, attempt: Try): Explanation {
  const { snapshot } = assembled;
  if (attempt.secret !== undefined) {
    const secret = snapshot.clusters.find(({ namespace, secret: name }) => `${namespace}/${name}` === attempt.secret);
    if (secret === undefined)
      throw new ArgosyError('usage', `there is no cluster Secret ${attempt.secret} in a namespace that counts`);
    return explainSecret(snapshot, secret);
  }
  const name = attempt.application ?? '';
  const app = assembled.applications.get(name.includes('/') ? name : `${snapshot.controlPlane}/${name}`);
  if (app === undefined) throw new ArgosyError('usage', `there is no Application ${name} among the given objects`);
  const subject = parseSubject(attempt);
  // The question about the Application alone also says as whom it acts.
  return subject === undefined
    ? mergeIdentity(explainAdmission(snapshot, app), explainIdentity(snapshot, app))
    : explainAdmission(snapshot, app, subject);
}

function mergeIdentity(admission: Explanation, identity: Explanation): Explanation {
  if (admission.verdict !== 'allowed') return admission;
  return identity.verdict === 'allowed' && identity.identity !== undefined
    ? { ...admission, identity: identity.identity }
    : identity;
}

function identityOf({ identity }: Explanation): string {
  if (identity === undefined) return 'none';
  return identity.as === 'impersonate' ? identity.user : 'cluster';
}

function differs(what: string, expected: string | undefined, got: string): readonly string[] {
  return expected === undefined || expected === got ? [] : [`expected ${what} ${expected}, got ${got}`];
}

function clusterDiffers(expected: string | undefined, { cluster }: Explanation): readonly string[] {
  if (expected === undefined || expected === cluster?.key || expected === cluster?.server) return [];
  return [`expected cluster ${expected}, got ${cluster === undefined ? 'none' : `${cluster.key} (${cluster.server})`}`];
}
