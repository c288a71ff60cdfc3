import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../core/json/index.ts';
import { builtinTypes } from '../registry/builtins.ts';
import type { Registry } from '../registry/registry.ts';
import type { Served } from '../registry/served.ts';
import { groupsOf } from './groups.ts';
import { openApiSchema, refsOf } from './openapi-schema.ts';

const metaType = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** The OpenAPI documents: an index and one document per group and version, made when they are first asked for. */
export class OpenApi {
  readonly #registry: Registry;
  #generation = -1;
  #documents = new Map<string, () => JsonObject>();
  #made = new Map<string, JsonObject>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  at(path: string, _accept: string): JsonObject | undefined {
    this.#refresh();
    if (path === '/openapi/v2') return this.#version2();
    if (path === '/openapi/v3') return this.#index();
    return path.startsWith('/openapi/v3/') ? this.#document(path.slice('/openapi/v3/'.length)) : undefined;
  }

  #refresh(): void {
    if (this.#generation === this.#registry.generation) return;
    this.#generation = this.#registry.generation;
    this.#made = new Map();
    this.#documents = new Map([['version', versionDocument]]);
    for (const group of groupsOf(this.#registry))
      for (const { apiVersion, kinds } of group.versions)
        this.#documents.set(group.name === '' ? `api/${apiVersion}` : `apis/${apiVersion}`, () => documentOf(kinds));
  }

  #document(name: string): JsonObject | undefined {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const made = this.#documents.get(name)?.();
    if (made !== undefined) this.#made.set(name, made);
    return made;
  }

  #index(): JsonObject {
    const entries = [...this.#documents.keys()].sort().map((name): [string, Json] => {
      // The registry's generation tells whether a document changed, without making it.
      const hash = createHash('sha512').update(`${name} ${this.#generation}`).digest('hex').toUpperCase();
      return [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` }];
    });
    return { paths: Object.fromEntries(entries) };
  }

  /** Only the frame: clients that need types read version 3. */
  #version2(): JsonObject {
    return { swagger: '2.0', info: { title: 'Kubernetes', version: 'v1.36.3-argosy' }, paths: {}, definitions: {} };
  }
}

function versionDocument(): JsonObject {
  return frame(
    { '/version/': { get: { operationId: 'getCodeVersion', responses: { 200: { description: 'OK' } } } } },
    {},
  );
}

function frame(paths: JsonObject, schemas: JsonObject): JsonObject {
  return { openapi: '3.0.0', info: { title: 'Kubernetes', version: '1.36' }, paths, components: { schemas } };
}

function documentOf(kinds: readonly Served[]): JsonObject {
  const schemas = new Map<string, JsonObject>();
  for (const served of kinds) {
    if (served.custom !== undefined) addCustom(served, schemas);
    else addType(served.type, schemas);
    const name = typeName(served);
    const gvk = [{ group: served.info.group, kind: served.info.kind, version: served.info.version }];
    schemas.set(name, { ...schemas.get(name), 'x-kubernetes-group-version-kind': gvk });
  }
  const paths = Object.assign({}, ...kinds.map(pathsOf)) as JsonObject; // all paths differ
  return frame(paths, Object.fromEntries(schemas));
}

function addType(name: string, schemas: Map<string, JsonObject>): void {
  const types = builtinTypes();
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  if (type === undefined || schemas.has(name)) return;
  schemas.set(name, openApiSchema(type));
  for (const ref of refsOf(type)) addType(ref, schemas);
}

/** The real server turns a custom kind's group around for the name of its schema. */
function typeName({ info, type }: Served): string {
  return type === '' ? `${info.group.split('.').reverse().join('.')}.${info.version}.${info.kind}` : type;
}

function addCustom(served: Served, schemas: Map<string, JsonObject>): void {
  addType(metaType, schemas);
  const published = served.custom?.published ?? {};
  const properties = (published['properties'] ?? {}) as JsonObject; // checked when the CRD was written
  schemas.set(typeName(served), {
    ...published,
    properties: {
      ...properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { allOf: [{ $ref: `#/components/schemas/${metaType}` }] },
    },
  });
}

const actions: { readonly [verb: string]: readonly [string, string] } = {
  get: ['get', 'get'],
  update: ['put', 'put'],
  patch: ['patch', 'patch'],
  delete: ['delete', 'delete'],
  list: ['get', 'list'],
  create: ['post', 'post'],
  deletecollection: ['delete', 'deletecollection'],
};

function pathsOf(served: Served): JsonObject {
  const { group, version, plural, namespaced, verbs } = served.info;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const one = verbs.filter((verb) => ['get', 'update', 'patch', 'delete'].includes(verb));
  const all = verbs.filter((verb) => ['list', 'create', 'deletecollection'].includes(verb));
  return {
    ...(namespaced ? { [`${root}/${plural}`]: operations(served, ['list']) } : {}),
    [collection]: operations(served, all),
    ...(one.length === 0 ? {} : { [`${collection}/{name}`]: operations(served, one) }),
  };
}

const query = (name: string): Json => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } });

function operations(served: Served, verbs: readonly string[]): JsonObject {
  const { group, version, kind } = served.info;
  const ref = { $ref: `#/components/schemas/${typeName(served)}` };
  const entries = verbs.map((verb): [string, Json] => {
    const [method, action] = actions[verb] ?? ['get', 'get'];
    const writes = ['create', 'update', 'patch'].includes(verb);
    return [
      method,
      {
        operationId: `${action}${kind}`,
        ...(writes ? { parameters: ['dryRun', 'fieldManager', 'fieldValidation'].map(query) } : {}),
        responses: { 200: { description: 'OK', content: { 'application/json': { schema: ref } } } },
        'x-kubernetes-action': action,
        'x-kubernetes-group-version-kind': { group, version, kind },
      },
    ];
  });
  return Object.fromEntries(entries);
}
