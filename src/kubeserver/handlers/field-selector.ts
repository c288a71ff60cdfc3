import { at, type Json } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { type FieldTerm, fieldTerms } from '../field-terms.ts';
import type { Served } from '../registry/served.ts';
import { badRequest } from '../status.ts';

export type FieldTest = (object: KubeObject) => boolean;

interface Supported {
  readonly fields: readonly string[];
  /** Kinds that list their fields by hand say so in other words. */
  readonly byHand: boolean;
}

const always = ['metadata.name', 'metadata.namespace'];
const event = [
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'involvedObject.resourceVersion',
  'involvedObject.fieldPath',
  'reason',
  'reportingComponent',
  'source',
  'type',
];

const byKind: { readonly [storage: string]: readonly string[] } = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
  ],
  nodes: ['spec.unschedulable'],
  namespaces: ['status.phase', 'name'],
  secrets: ['type'],
  services: ['spec.clusterIP', 'spec.type'],
  events: event,
  replicationcontrollers: ['status.replicas'],
  'replicasets.apps': ['status.replicas'],
  'jobs.batch': ['status.successful'],
  'certificatesigningrequests.certificates.k8s.io': ['spec.signerName'],
};

function supportedBy(served: Served): Supported {
  if (served.custom !== undefined)
    return { fields: [...always, ...served.custom.selectableFields.map((path) => path.slice(1))], byHand: true };
  const own = byKind[served.info.storage];
  return { fields: [...always, ...(own ?? [])], byHand: own !== undefined };
}

/** Reads a field selector of a kind; throws 400 in the real server's words. */
export function parseFieldSelector(text: string, served: Served): FieldTest {
  const supported = supportedBy(served);
  const tests = fieldTerms(text).map((term) => testOf(term, text, served, supported));
  return (object) => tests.every((test) => test(object));
}

function testOf(
  { text, field, operator, value, problem }: FieldTerm,
  whole: string,
  served: Served,
  supported: Supported,
): FieldTest {
  if (operator === undefined) throw badRequest(`invalid selector: '${whole}'; can't understand '${text}'`);
  if (problem !== undefined) throw badRequest(problem);
  if (!supported.fields.includes(field))
    throw badRequest(
      supported.byHand
        ? `field label not supported: ${field}`
        : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  const wanted = operator !== '!=';
  return (object) => (fieldText(object, field, served) === value) === wanted;
}

function fieldText(object: KubeObject, field: string, served: Served): string {
  const json = asJson(object);
  if (field === 'name' && served.info.storage === 'namespaces') return object.metadata.name ?? '';
  if (field === 'source' && served.info.storage === 'events') return print(at(json, 'source', 'component'));
  if (field === 'status.successful') return print(at(json, 'status', 'succeeded') ?? 0);
  if (field === 'status.replicas') return print(at(json, 'status', 'replicas') ?? 0);
  if (field === 'spec.unschedulable' || field === 'spec.hostNetwork')
    return print(at(json, ...field.split('.')) ?? false);
  return print(at(json, ...field.split('.')));
}

function print(value: Json | undefined): string {
  return value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}
