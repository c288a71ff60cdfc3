/** A structural schema, as CRDs take it. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
}

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const integer: Schema = { type: 'integer', format: 'int64' };
export const count: Schema = { type: 'integer', format: 'int64', minimum: 0 };
export const time: Schema = { type: 'string', format: 'date-time' };
/** An object whose content is its owner's affair. */
export const open: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
export const integerOrText: Schema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
};

export function shortText(maxLength: number): Schema {
  return { type: 'string', maxLength };
}

export function list(items: Schema): Schema {
  return { type: 'array', items };
}

export function map(additionalProperties: Schema): Schema {
  return { type: 'object', additionalProperties };
}

export function object(properties: { readonly [name: string]: Schema }, required: readonly string[] = []): Schema {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

/** A printer column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly jsonPath: string;
  /** Shown only with `-o wide`. */
  readonly wide?: boolean;
}

export interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly columns?: readonly Column[];
  readonly statusSubresource?: boolean;
  readonly properties: { readonly [name: string]: Schema };
}

/** The CRD of a kind of ours in the group that Argo CD uses. */
export function crdOf({ kind, plural, shortNames, columns = [], statusSubresource, properties }: Kind): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.argoproj.io`,
      labels: { 'app.kubernetes.io/name': `${plural}.argoproj.io`, 'app.kubernetes.io/part-of': 'argocd' },
    },
    spec: {
      group: 'argoproj.io',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          ...(statusSubresource === true ? { subresources: { status: {} } } : {}),
          ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns.map(columnOf) }),
          schema: {
            openAPIV3Schema: object({ apiVersion: text, kind: text, metadata: { type: 'object' }, ...properties }, [
              'metadata',
              'spec',
            ]),
          },
        },
      ],
    },
  };
}

function columnOf({ name, jsonPath, wide }: Column): object {
  return { name, type: 'string', jsonPath, ...(wide === true ? { priority: 10 } : {}) };
}
