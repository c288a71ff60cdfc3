import {
  type Application,
  type Cluster,
  clusterKey,
  namespaceOfApplication,
  projectOf,
  secretTypeLabel,
} from '../../../../core/api/index.ts';
import { isObject, type JsonObject, objectAt, own, stringAt, thaw } from '../../../../core/json/index.ts';
import { trackingAnnotation } from '../../../../core/objects/index.ts';
import { type Assembled, admitApplication, watchesNamespace } from '../../../../core/policy/index.ts';
import { Names } from './names.ts';

/** An Application that moves: where it was, and the object for the control plane. */
export interface MovedApplication {
  readonly from: Application;
  readonly namespace: string;
  readonly project: string;
  readonly name: string;
  readonly object: JsonObject;
}

/** A cluster Secret that moves. */
export interface MovedSecret {
  readonly from: Cluster;
  /** Name of the new Secret, and of the cluster for `destination.name`. */
  readonly name: string;
  readonly object: JsonObject;
}

/** Everything that moves, and what stays behind with the reason. */
export interface Plan {
  readonly applications: readonly MovedApplication[];
  readonly secrets: readonly MovedSecret[];
  readonly left: readonly string[];
}

/** Plans the way of tenants' Applications and cluster Secrets into the control-plane namespace. Pure; nothing is written. */
export function planRelocation(objects: readonly JsonObject[], assembled: Assembled): Plan {
  const { snapshot } = assembled;
  const left: string[] = [];
  const secrets = moveSecrets(objects, assembled, left);
  const byKey = new Map(secrets.map((secret) => [clusterKey(secret.from), secret]));
  const names = new Names([...inControlPlane(assembled)].map(({ metadata }) => metadata.name));
  const applications: MovedApplication[] = [];
  for (const [key, app] of sorted(assembled.applications)) {
    const namespace = namespaceOfApplication(app, snapshot.controlPlane);
    if (namespace === snapshot.controlPlane) continue;
    if (watchesNamespace(snapshot, namespace).answer !== 'allowed') {
      left.push(`Application ${key}: its namespace does not count, it is ignored today`);
      continue;
    }
    const admission = admitApplication(snapshot, app);
    if (!admission.ok) {
      // In the control plane every project is open to it: what is refused today must not be let in by moving.
      left.push(`Application ${key}: refused today: ${admission.refusals[0].message}`);
      continue;
    }
    const name = names.give(namespace, app.metadata.name);
    const cluster = byKey.get(clusterKey(admission.cluster));
    const object = movedApplication(app, { name, controlPlane: snapshot.controlPlane, cluster: cluster?.name });
    applications.push({ from: app, namespace, project: projectOf(app), name, object });
  }
  return { applications, secrets, left };
}

function* inControlPlane({ applications, snapshot }: Assembled): Iterable<Application> {
  for (const app of applications.values()) {
    if (namespaceOfApplication(app, snapshot.controlPlane) === snapshot.controlPlane) yield app;
  }
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function moveSecrets(objects: readonly JsonObject[], { snapshot }: Assembled, left: string[]): MovedSecret[] {
  const written = new Map(
    objects
      .filter((object) => stringAt(object, 'kind') === 'Secret')
      .map((object) => [
        `${stringAt(object, 'metadata', 'namespace')}/${stringAt(object, 'metadata', 'name')}`,
        object,
      ]),
  );
  const own = snapshot.clusters.filter(({ tenant }) => !tenant);
  const names = new Names(own.flatMap(({ secret, name }) => [secret, name]));
  const moved: MovedSecret[] = [];
  const tenants = sorted(
    new Map(snapshot.clusters.filter(({ tenant }) => tenant).map((each) => [clusterKey(each), each])),
  );
  for (const [key, cluster] of tenants) {
    const object = written.get(key);
    if (object === undefined) continue;
    if (!cluster.acceptance.accepted) {
      left.push(`Secret ${key}: refused today: ${cluster.acceptance.reason}`);
      continue;
    }
    const name = names.give(cluster.namespace, cluster.secret);
    moved.push({ from: cluster, name, object: movedSecret(object, name, snapshot.controlPlane) });
  }
  return moved;
}

/** Annotations that speak of the old object, or hold a copy of it. */
const leftBehind = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'argocd.argoproj.io/refresh',
  'argocd.argoproj.io/hydrate',
  trackingAnnotation,
];

function metadataOf(object: JsonObject, name: string, namespace: string): JsonObject {
  const labels = objectAt(object, 'metadata', 'labels');
  const written = objectAt(object, 'metadata', 'annotations') ?? {};
  const annotations = Object.fromEntries(Object.entries(written).filter(([key]) => !leftBehind.includes(key)));
  return {
    name,
    namespace,
    ...(labels === undefined ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

interface Place {
  readonly name: string;
  readonly controlPlane: string;
  /** Name of the moved cluster it deploys to; undefined for one of the control plane's. */
  readonly cluster: string | undefined;
}

/** Status, operation and everything the API server fills in stay behind; the new object begins anew. */
function movedApplication({ raw }: Application, { name, controlPlane, cluster }: Place): JsonObject {
  const finalizers = own(objectAt(raw, 'metadata') ?? {}, 'finalizers');
  const spec = thaw(objectAt(raw, 'spec') ?? {});
  if (cluster !== undefined && isObject(spec['destination'])) {
    const { server: _, ...rest } = spec['destination'];
    // By name each Secret keeps its own credential; by address several tenants' would be one.
    spec['destination'] = { ...rest, name: cluster };
  }
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { ...metadataOf(raw, name, controlPlane), ...(finalizers === undefined ? {} : { finalizers }) },
    spec,
  };
}

function movedSecret(object: JsonObject, name: string, controlPlane: string): JsonObject {
  const data = objectAt(object, 'data');
  const plain = objectAt(object, 'stringData');
  const metadata = metadataOf(object, name, controlPlane);
  const type = stringAt(object, 'type');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadata, labels: { ...objectAt(metadata, 'labels'), [secretTypeLabel]: 'cluster' } },
    ...(type === undefined ? {} : { type }),
    // What stands in stringData wins over data.
    ...(data === undefined ? {} : { data: plain === undefined ? { ...data, name: btoa(name) } : data }),
    ...(plain === undefined ? {} : { stringData: { ...plain, name } }),
  };
}
