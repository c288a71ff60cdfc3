import { admin, eventually, ok, unique } from './cluster.ts';

/** A kind of a CRD made for one case. */
export interface CustomKind {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** The path of its objects in a namespace, or of one; without a namespace over all. */
  path(namespace?: string, name?: string): string;
  /** An object of it. */
  object(name: string, more?: object): object;
}

export const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The body of a CRD with one version `v1` of this schema; `more` is merged into the version, `spec` into the spec. */
export function crdBody(group: string, schema: object, more: object = {}, spec: object = {}): object {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [version],
      ...spec,
    },
  };
}

/** Creates a CRD in a group of its own and waits until its objects are served. */
export async function customKind(schema: object, more: object = {}, spec: object = {}): Promise<CustomKind> {
  const api = await admin();
  const group = `${unique('g')}.example.com`;
  ok(await api.create(crdPath, crdBody(group, schema, more, spec)), 201);
  await eventually(async () => ok(await api.get(`/apis/${group}/v1/widgets`)));
  return kindOf(group);
}

/** The names of the kind that `crdBody` defines in a group. */
export function kindOf(group: string, version = 'v1'): CustomKind {
  return {
    name: `widgets.${group}`,
    group,
    version,
    kind: 'Widget',
    plural: 'widgets',
    path: (namespace, name) =>
      `/apis/${group}/${version}/${namespace === undefined ? '' : `namespaces/${namespace}/`}widgets${name === undefined ? '' : `/${name}`}`,
    object: (name, rest = {}) => ({ apiVersion: `${group}/${version}`, kind: 'Widget', metadata: { name }, ...rest }),
  };
}

/** A schema that takes everything. */
export const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A schema with a `spec` of this schema. */
export function withSpec(spec: object): object {
  return { type: 'object', properties: { spec: { type: 'object', ...spec } } };
}
