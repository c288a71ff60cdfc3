import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJson,
  type MutableJsonObject,
  objectAt,
  own,
  stringAt,
  thaw,
} from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { StatusError, type StoreEvent } from '../ports.ts';
import { type Cluster, timestamp } from './cluster.ts';
import { servedBy } from './custom-kinds.ts';
import { cleanupFinalizer } from './remove.ts';
import { keyPrefix, type Served } from './served.ts';

const group = 'apiextensions.k8s.io';
const kind = 'CustomResourceDefinition';
const prefix = `customresourcedefinitions.${group}/`;

/** Serves custom kinds as their CRDs come, change and go, and tells of it in the CRDs' status. */
export function watchDefinitions(cluster: Cluster): { stop(): void } {
  const keeper = new DefinitionKeeper(cluster);
  for (const { object } of cluster.store.list(prefix).entries) keeper.onDefinition(object);
  return cluster.store.watch(prefix, cluster.store.revision, (event) => keeper.onEvent(event));
}

class DefinitionKeeper {
  readonly #cluster: Cluster;
  /** Watches over objects of CRDs that are being deleted. */
  readonly #emptying = new Map<string, { stop(): void }>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  onEvent(event: StoreEvent): void {
    const name = event.object.metadata.name ?? '';
    if (event.type !== 'DELETED') {
      this.onDefinition(event.object);
      return;
    }
    this.#cluster.registry.removeCustom(name);
    this.#emptying.get(name)?.stop();
    this.#emptying.delete(name);
  }

  onDefinition(definition: KubeObject): void {
    const name = definition.metadata.name ?? '';
    const conflict = this.#nameConflict(definition);
    if (conflict === undefined && isEstablished(definition))
      this.#cluster.registry.setCustom(name, servedBy(definition));
    if (definition.metadata.deletionTimestamp === undefined) this.#accept(definition, conflict);
    else this.#empty(definition);
  }

  /** A name of the CRD that another kind of its group has already. */
  #nameConflict(definition: KubeObject): { reason: string; message: string } | undefined {
    const spec = asJson(definition)['spec'] ?? {};
    const mine = definition.metadata.name ?? '';
    const others = this.#cluster.registry
      .all()
      .filter(({ info, custom }) => info.group === stringAt(spec, 'group') && custom?.definition !== mine);
    const taken = new Set(others.flatMap(({ info }) => [info.plural, info.singular, ...info.shortNames]));
    const names = objectAt(spec, 'names') ?? {};
    for (const [key, reason] of [
      ['plural', 'PluralConflict'],
      ['singular', 'SingularConflict'],
    ] as const) {
      const value = stringAt(names, key) ?? '';
      if (taken.has(value)) return { reason, message: `${JSON.stringify(value)} is already in use` };
    }
    const kinds = new Set(others.flatMap(({ info }) => [info.kind, info.listKind]));
    const wanted = stringAt(names, 'kind') ?? '';
    return kinds.has(wanted)
      ? { reason: 'KindConflict', message: `${JSON.stringify(wanted)} is already in use` }
      : undefined;
  }

  #accept(definition: KubeObject, conflict: { reason: string; message: string } | undefined): void {
    const change = (object: MutableJsonObject): MutableJsonObject | undefined => {
      const status = isObject(object['status']) ? (object['status'] as MutableJsonObject) : {}; // our own copy
      const now = timestamp(this.#cluster.now());
      const conditions = conditionsOf(status['conditions']);
      const accepted = conflict === undefined;
      setCondition(conditions, {
        type: 'NamesAccepted',
        status: accepted ? 'True' : 'False',
        lastTransitionTime: now,
        reason: conflict?.reason ?? 'NoConflicts',
        message: conflict?.message ?? 'no conflicts found',
      });
      if (accepted || conditions.some(({ type, status: is }) => type === 'Established' && is === 'True'))
        setCondition(conditions, {
          type: 'Established',
          status: 'True',
          lastTransitionTime: now,
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        });
      else
        setCondition(conditions, {
          type: 'Established',
          status: 'False',
          lastTransitionTime: now,
          reason: 'NotAccepted',
          message: 'not all names are accepted',
        });
      const names = objectAt(object, 'spec', 'names') ?? {};
      const acceptedNames = accepted ? orderedNames(names) : (status['acceptedNames'] ?? { plural: '', kind: '' });
      object['status'] = { conditions, acceptedNames, storedVersions: storedVersions(object, status) };
      return object;
    };
    const name = definition.metadata.name ?? '';
    void this.#cluster.inside.update(group, kind, '', name, change, { subresource: 'status' }).catch(() => undefined);
  }

  /** Deletes the objects of a CRD that is being deleted, then lets it go. */
  #empty(definition: KubeObject): void {
    const name = definition.metadata.name ?? '';
    if (!(definition.metadata.finalizers ?? []).includes(cleanupFinalizer) || this.#emptying.has(name)) return;
    const [served] = servedBy(definition);
    if (served === undefined) {
      void this.#release(name);
      return;
    }
    const check = (): void => {
      if (this.#cluster.store.list(keyPrefix(served, ''), { limit: 1 }).entries.length === 0) void this.#release(name);
    };
    const watching = this.#cluster.store.watch(keyPrefix(served, ''), this.#cluster.store.revision, (event) => {
      if (event.type === 'DELETED') queueMicrotask(check);
    });
    this.#emptying.set(name, watching);
    void this.#deleteAll(served).then(check);
  }

  async #deleteAll(served: Served): Promise<void> {
    for (const { object } of this.#cluster.store.list(keyPrefix(served, '')).entries) {
      const { namespace = '', name = '' } = object.metadata;
      try {
        await this.#cluster.inside.delete(served.info.group, served.info.kind, namespace, name);
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
      }
    }
  }

  async #release(name: string): Promise<void> {
    this.#emptying.get(name)?.stop();
    await this.#cluster.inside
      .update(group, kind, '', name, (object) => {
        const meta = object['metadata'] as MutableJsonObject; // every object has it
        const left = ((meta['finalizers'] ?? []) as string[]).filter((finalizer) => finalizer !== cleanupFinalizer); // checked by its type
        if (left.length > 0) meta['finalizers'] = left;
        else delete meta['finalizers'];
        return object;
      })
      .catch(() => undefined);
  }
}

function isEstablished(definition: KubeObject): boolean {
  const conditions = own(asJson(definition)['status'], 'conditions');
  return (
    isArray(conditions) &&
    conditions.some((one) => stringAt(one, 'type') === 'Established' && stringAt(one, 'status') === 'True')
  );
}

function conditionsOf(value: MutableJson | undefined): MutableJsonObject[] {
  return Array.isArray(value) ? (value.filter(isObject) as MutableJsonObject[]) : []; // our own copy
}

function setCondition(conditions: MutableJsonObject[], wanted: MutableJsonObject): void {
  const index = conditions.findIndex(({ type }) => type === wanted['type']);
  const found = conditions[index];
  if (found === undefined) conditions.push(wanted);
  else if (found['status'] !== wanted['status'] || found['reason'] !== wanted['reason']) conditions[index] = wanted;
}

function orderedNames(names: JsonObject): MutableJsonObject {
  const result: MutableJsonObject = {};
  for (const key of ['plural', 'singular', 'shortNames', 'kind', 'listKind', 'categories']) {
    const value: Json | undefined = own(names, key);
    if (value !== undefined) result[key] = thaw(value);
  }
  return result;
}

function storedVersions(object: MutableJsonObject, status: MutableJsonObject): MutableJson[] {
  const given = status['storedVersions'];
  const stored = Array.isArray(given) ? [...given] : [];
  const versions = own(object['spec'], 'versions');
  const storage = isArray(versions) ? versions.find((version) => own(version, 'storage') === true) : undefined;
  const name = stringAt(storage, 'name');
  return name === undefined || stored.includes(name) ? stored : [...stored, name];
}
