import {
  type Application,
  clusterKey,
  namespaceOfApplication,
  type Snapshot,
  skipsReconcile,
} from '../../core/api/index.ts';
import {
  admitApplication,
  nextWindowChange,
  permitsObject,
  permitsOperation,
  permitsSync,
} from '../../core/policy/index.ts';
import type { Quotas } from '../project/quota.ts';
import type { Admission } from './world.ts';

/** Asks the policy about an Application as a whole, on one snapshot. */
export function admit(snapshot: Snapshot, app: Application, quotas: Pick<Quotas, 'refusal'>): Admission {
  const decision = decisionOn(snapshot, app);
  if (!decision.ok) {
    const [first] = decision.refusals;
    if (first.refusal === 'namespace-not-watched') return { answer: 'ignored' };
    return {
      answer: 'refused',
      condition: first.condition,
      message: decision.refusals.map(({ message }) => message).join('; '),
    };
  }
  const { project, cluster, identity } = decision;
  if (skipsReconcile(cluster)) return { answer: 'ignored' };
  const over = quotas.refusal(project, app);
  if (over !== undefined) return { answer: 'refused', condition: over.condition, message: over.message };
  if (!identity.ok)
    return { answer: 'refused', condition: identity.verdict.condition, message: identity.verdict.message };
  const place = { project, cluster, applicationNamespace: namespaceOfApplication(app, snapshot.controlPlane) };
  return {
    answer: 'admitted',
    cluster: clusterKey(cluster),
    identity: identity.identity,
    permits: (key, namespaced) => permitsObject(place, { ...key, namespaced }),
    permitsOperation: (operation) => permitsOperation(project, operation),
    window: (request) => ({
      verdict: permitsSync(project, app, { ...request, cluster }),
      changesAt: nextWindowChange(project, app, request.now, cluster),
    }),
    orphanedResources: project.project.spec.orphanedResources,
    warnings: decision.warnings,
  };
}

type Decision = ReturnType<typeof admitApplication>;
const decisions = new WeakMap<Application, { readonly snapshot: Snapshot; readonly decision: Decision }>();

/** It is asked before each write; neither snapshots nor Applications ever change, so the answer of before is good again. */
function decisionOn(snapshot: Snapshot, app: Application): Decision {
  const known = decisions.get(app);
  if (known?.snapshot === snapshot) return known.decision;
  const decision = admitApplication(snapshot, app);
  decisions.set(app, { snapshot, decision });
  return decision;
}
