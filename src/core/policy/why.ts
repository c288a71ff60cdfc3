import { type Application, type Cluster, clusterKey, namespaceOfApplication, type Snapshot } from '../api/index.ts';
import { type Admission, admitApplication } from './application.ts';
import { acceptCluster } from './cluster-acceptance.ts';
import { type Fact, FactList } from './fact.ts';
import { note } from './note.ts';
import { permitsObject, type Subject } from './object.ts';
import type { Refusal, Verdict } from './verdict.ts';
import type { Identity } from './who.ts';

/** A decision with the chain of facts behind it. */
export interface Explanation {
  readonly verdict: Verdict['answer'];
  /** One sentence: what is permitted, or the refusal the user reads. */
  readonly message: string;
  /** Every refusal, the deciding one first. */
  readonly refusals: readonly Exclude<Verdict, { answer: 'allowed' }>[];
  readonly facts: readonly Fact[];
  /** Position of the fact that settled the whole. */
  readonly deciding: number | undefined;
  /** How many facts were left out. */
  readonly dropped: number;
  readonly warnings: readonly string[];
  readonly cluster?: { readonly key: string; readonly name: string; readonly server: string; readonly tenant: boolean };
  readonly identity?: Identity;
}

/** Where each refusal is decided. */
const stepOf: { readonly [R in Refusal]: string } = {
  'namespace-not-watched': 'namespace',
  'project-missing': 'project',
  'project-invalid': 'project',
  'not-associated': 'association',
  'over-quota': 'quota',
  'source-invalid': 'source',
  'source-not-permitted': 'source',
  'destination-invalid': 'cluster',
  'destination-not-permitted': 'destination',
  'cluster-not-found': 'cluster',
  'cluster-ambiguous': 'cluster',
  'cluster-disabled': 'cluster',
  'cluster-not-scoped': 'destination',
  'kind-not-permitted': 'kind',
  'scope-unknown': 'scope',
  'namespace-not-permitted': 'destination',
  'namespace-not-managed': 'cluster',
  'name-invalid': 'name',
  'control-plane-object': 'control plane',
  'account-invalid': 'identity',
  'account-missing': 'identity',
  'window-closed': 'sync window',
  'window-invalid': 'sync window',
  'address-refused': 'address',
};

/** Explains whether an Application may deploy, and, if an object is given, whether it may manage that object. */
export function explainAdmission(snapshot: Snapshot, app: Application, subject?: Subject): Explanation {
  const list = new FactList();
  const admission = admitApplication(snapshot, app, list);
  const name = `${namespaceOfApplication(app, snapshot.controlPlane)}/${app.metadata.name}`;
  if (!admission.ok) return refused(list, admission);
  if (subject !== undefined) return explainObject(snapshot, app, { admission, subject, list });
  const message = `${name} may deploy to ${app.spec.destination.namespace ?? 'the namespaces of its objects'} on ${admission.cluster.server} in project ${admission.project.name}`;
  return admitted(list, admission, { message, step: 'destination' });
}

/** Explains as whom the requests of an Application are made. */
export function explainIdentity(snapshot: Snapshot, app: Application): Explanation {
  const list = new FactList();
  const admission = admitApplication(snapshot, app, list);
  if (!admission.ok) return refused(list, admission);
  const { identity } = admission;
  if (!identity.ok) return refused(list, { refusals: [identity.verdict] });
  const message =
    identity.identity.as === 'impersonate'
      ? identity.identity.user
      : `the credential of cluster ${admission.cluster.server} (${identity.identity.because})`;
  return { ...admitted(list, admission, { message, step: 'identity' }), identity: identity.identity };
}

/** Explains which cluster the destination of an Application means. */
export function explainCluster(snapshot: Snapshot, app: Application): Explanation {
  const list = new FactList();
  const admission = admitApplication(snapshot, app, list);
  if (!admission.ok) return refused(list, admission);
  const { cluster } = admission;
  const where = cluster.secret === '' ? 'the local cluster' : `Secret ${clusterKey(cluster)}`;
  return admitted(list, admission, { message: `${cluster.server} (${where})`, step: 'cluster' });
}

/** Explains whether a cluster Secret may be used; quotas were counted when the snapshot was made. */
export function explainSecret(snapshot: Snapshot, cluster: Cluster): Explanation {
  const list = new FactList();
  const alone = acceptCluster(snapshot, cluster, list);
  const { acceptance } = cluster;
  const object = `Secret ${clusterKey(cluster)}`;
  if (!acceptance.accepted && alone.accepted) {
    const place = { object, revision: cluster.resourceVersion, field: 'metadata.creationTimestamp' };
    note(list, place, {
      step: 'quota',
      compared: acceptance.reason,
      decides: true,
      change: 'raise spec.quota.clusters of the project',
    });
  }
  return {
    verdict: acceptance.accepted ? 'allowed' : 'denied',
    message: acceptance.accepted ? `${object} is accepted` : acceptance.reason,
    refusals: [],
    facts: list.facts,
    deciding: list.facts.length - 1,
    dropped: list.dropped,
    warnings: [],
  };
}

interface ObjectQuestion {
  readonly admission: Extract<Admission, { ok: true }>;
  readonly subject: Subject;
  readonly list: FactList;
}

function explainObject(
  snapshot: Snapshot,
  app: Application,
  { admission, subject, list }: ObjectQuestion,
): Explanation {
  const applicationNamespace = namespaceOfApplication(app, snapshot.controlPlane);
  // The chain of the Application is settled; what decides now is the object's.
  const before = list.facts.length;
  const verdict = permitsObject({ ...admission, applicationNamespace }, subject, list);
  if (verdict.answer !== 'allowed') return refused(list, { refusals: [verdict] }, before);
  const message = `${app.metadata.name} may manage ${subject.kind} ${subject.namespace === '' ? '' : `${subject.namespace}/`}${subject.name}`;
  const last = list.facts.findLastIndex(({ decides }) => decides);
  return { ...admitted(list, admission, { message, step: '' }), deciding: last };
}

function admitted(
  list: FactList,
  admission: Extract<Admission, { ok: true }>,
  said: { readonly message: string; readonly step: string },
): Explanation {
  const { name, server, tenant } = admission.cluster;
  return {
    verdict: 'allowed',
    message: said.message,
    refusals: [],
    facts: list.facts,
    deciding: decidingFact(list.facts, said.step, 0),
    dropped: list.dropped,
    warnings: admission.warnings,
    cluster: { key: clusterKey(admission.cluster), name, server, tenant },
  };
}

function refused(
  list: FactList,
  { refusals }: { readonly refusals: Extract<Admission, { ok: false }>['refusals'] },
  from = 0,
): Explanation {
  const [first] = refusals;
  return {
    verdict: first.answer,
    message: first.message,
    refusals,
    facts: list.facts,
    deciding: decidingFact(list.facts, stepOf[first.refusal], from),
    dropped: list.dropped,
    warnings: [],
  };
}

function decidingFact(facts: readonly Fact[], step: string, from: number): number | undefined {
  const found = facts.findLastIndex((fact, i) => i >= from && fact.decides && fact.step === step);
  return found < 0 ? undefined : found;
}
