import { randomUUID } from 'node:crypto';
import { type MutableJsonObject, thaw } from '../../src/core/json/index.ts';
import { asJson, type KubeObject, parseApiVersion } from '../../src/core/objects/index.ts';
import type { Inside, ResourceInfo, Store } from '../../src/kubeserver/ports.ts';
import { conflict, notFound } from '../../src/kubeserver/status.ts';
import { MemoryStore } from '../../src/kubeserver/store/memory-store.ts';

const kinds = `v1 Namespace namespaces -|v1 Node nodes -|v1 PersistentVolume persistentvolumes -|v1 Pod pods
v1 ConfigMap configmaps|v1 Secret secrets|v1 ServiceAccount serviceaccounts|v1 Service services|v1 Endpoints endpoints
v1 Event events|v1 PersistentVolumeClaim persistentvolumeclaims|apps/v1 Deployment deployments|apps/v1 ReplicaSet replicasets
apps/v1 StatefulSet statefulsets|apps/v1 DaemonSet daemonsets|apps/v1 ControllerRevision controllerrevisions|batch/v1 Job jobs
batch/v1 CronJob cronjobs|networking.k8s.io/v1 Ingress ingresses|discovery.k8s.io/v1 EndpointSlice endpointslices
rbac.authorization.k8s.io/v1 Role roles|rbac.authorization.k8s.io/v1 RoleBinding rolebindings
rbac.authorization.k8s.io/v1 ClusterRole clusterroles -|rbac.authorization.k8s.io/v1 ClusterRoleBinding clusterrolebindings -`;

const table: ResourceInfo[] = kinds.split(/[|\n]/).map((line) => {
  const [apiVersion = '', kind = '', plural = '', cluster] = line.trim().split(' ');
  const { group, version } = parseApiVersion(apiVersion);
  const storage = group === '' ? plural : `${plural}.${group}`;
  const names = { plural, singular: kind.toLowerCase(), shortNames: [], categories: [] };
  const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
  const rest = { namespaced: cluster === undefined, verbs, subresources: ['status'], storage };
  return { group, version, kind, listKind: `${kind}List`, ...names, ...rest };
});

/** The store with the least around it that actors and access need: no schema, no admission, no HTTP. */
export function tinyInside(): Inside {
  return new TinyInside(new MemoryStore({}));
}

class TinyInside implements Inside {
  readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  now(): Date {
    return new Date();
  }

  resources(): readonly ResourceInfo[] {
    return table;
  }

  resourceFor(group: string, kind: string): ResourceInfo | undefined {
    return table.find((info) => info.group === group && info.kind === kind);
  }

  #info(group: string, kind: string): ResourceInfo {
    const info = this.resourceFor(group, kind);
    if (info === undefined) throw new Error(`no kind ${kind} in ${group}`);
    return info;
  }

  #key(group: string, kind: string, namespace: string, name: string): string {
    return `${this.#info(group, kind).storage}/${namespace}/${name}`;
  }

  get(group: string, kind: string, namespace: string, name: string): KubeObject | undefined {
    return this.store.get(this.#key(group, kind, namespace, name))?.object;
  }

  list(group: string, kind: string, namespace?: string): readonly KubeObject[] {
    const { storage } = this.#info(group, kind);
    const prefix = namespace === undefined ? `${storage}/` : `${storage}/${namespace}/`;
    return this.store.list(prefix).entries.map(({ object }) => object);
  }

  async create(object: KubeObject): Promise<KubeObject> {
    const { group } = parseApiVersion(object.apiVersion);
    const body = thaw(asJson(object));
    const metadata = body['metadata'] as MutableJsonObject; // every object has one
    if (metadata['name'] === undefined)
      metadata['name'] = `${String(metadata['generateName'])}${randomUUID().slice(0, 5)}`;
    metadata['uid'] = randomUUID();
    metadata['creationTimestamp'] = `${this.now().toISOString().slice(0, 19)}Z`;
    metadata['generation'] = 1;
    const key = this.#key(group, object.kind, object.metadata.namespace ?? '', String(metadata['name']));
    return (await this.store.put(key, body as unknown as KubeObject, undefined)).object;
  }

  async update(
    group: string,
    kind: string,
    namespace: string,
    name: string,
    change: (object: MutableJsonObject) => MutableJsonObject | undefined,
    options: { subresource?: 'status' } = {},
  ): Promise<KubeObject | undefined> {
    const key = this.#key(group, kind, namespace, name);
    const entry = this.store.get(key);
    if (entry === undefined) return undefined;
    const next = change(thaw(asJson(entry.object)));
    if (next === undefined) return entry.object;
    const before = JSON.stringify(asJson(entry.object)['spec'] ?? null);
    const metadata = next['metadata'] as MutableJsonObject;
    if (options.subresource === undefined && JSON.stringify(next['spec'] ?? null) !== before)
      metadata['generation'] = Number(metadata['generation'] ?? 0) + 1;
    const finalizers = metadata['finalizers'];
    const done = metadata['deletionTimestamp'] !== undefined && (!Array.isArray(finalizers) || finalizers.length === 0);
    const spec = next['spec'] as MutableJsonObject | undefined;
    const held = kind === 'Namespace' && Array.isArray(spec?.['finalizers']) && spec['finalizers'].length > 0;
    if (done && !held) return (await this.store.delete(key, entry.revision)).object;
    return (await this.store.put(key, next as unknown as KubeObject, entry.revision)).object;
  }

  async delete(
    group: string,
    kind: string,
    namespace: string,
    name: string,
    options: { propagation?: 'Foreground' | 'Background' | 'Orphan'; uid?: string } = {},
  ): Promise<void> {
    const key = this.#key(group, kind, namespace, name);
    const entry = this.store.get(key);
    const { plural } = this.#info(group, kind);
    if (entry === undefined) throw notFound({ group, plural }, name);
    if (options.uid !== undefined && options.uid !== entry.object.metadata.uid) throw conflict({ group, plural }, name);
    const body = thaw(asJson(entry.object));
    const metadata = body['metadata'] as MutableJsonObject;
    const finalizers = Array.isArray(metadata['finalizers']) ? metadata['finalizers'] : [];
    const more = { Foreground: 'foregroundDeletion', Orphan: 'orphan', Background: undefined }[
      options.propagation ?? 'Background'
    ];
    if (more !== undefined && !finalizers.includes(more)) finalizers.push(more);
    const spec = body['spec'] as MutableJsonObject | undefined;
    const held = kind === 'Namespace' && Array.isArray(spec?.['finalizers']) && spec['finalizers'].length > 0;
    if (finalizers.length === 0 && !held) {
      await this.store.delete(key, entry.revision);
      return;
    }
    metadata['finalizers'] = finalizers;
    metadata['deletionTimestamp'] ??= `${this.now().toISOString().slice(0, 19)}Z`;
    if (held) body['status'] = { phase: 'Terminating' };
    await this.store.put(key, body as unknown as KubeObject, entry.revision);
  }

  watch(group: string, kind: string, onEvent: Parameters<Inside['watch']>[2]): { stop(): void } {
    return this.store.watch(`${this.#info(group, kind).storage}/`, this.store.revision, onEvent);
  }
}
