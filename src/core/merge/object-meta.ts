import type { Schema } from './schema.ts';

const text: Schema = { type: 'string' };
const map: Schema = { type: 'object', additionalProperties: text };

const ownerReference: Schema = {
  type: 'object',
  mapType: 'atomic',
  required: ['apiVersion', 'kind', 'name', 'uid'],
  properties: {
    apiVersion: text,
    kind: text,
    name: text,
    uid: text,
    controller: { type: 'boolean' },
    blockOwnerDeletion: { type: 'boolean' },
  },
};

const managedField: Schema = {
  type: 'object',
  properties: {
    manager: text,
    operation: text,
    apiVersion: text,
    time: { type: 'string', format: 'date-time' },
    fieldsType: text,
    fieldsV1: { type: 'object' },
    subresource: text,
  },
};

/** The fields of `metadata` as every kind has them. */
export const objectMetaSchema: Schema = {
  type: 'object',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: { type: 'integer', format: 'int64' },
    creationTimestamp: { type: 'string', format: 'date-time', nullable: true },
    deletionTimestamp: { type: 'string', format: 'date-time', nullable: true },
    deletionGracePeriodSeconds: { type: 'integer', format: 'int64' },
    labels: map,
    annotations: map,
    ownerReferences: {
      type: 'array',
      items: ownerReference,
      listType: 'map',
      listMapKeys: ['uid'],
      patchStrategy: 'merge',
      patchMergeKey: 'uid',
    },
    finalizers: { type: 'array', items: text, listType: 'set', patchStrategy: 'merge' },
    managedFields: { type: 'array', items: managedField, listType: 'atomic' },
  },
};
