import { equal, isArray, type Json, type JsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import type { Cause } from '../status.ts';
import { type Check, duplicate, each, invalidValue, oneOf, required } from './cause.ts';
import { dnsLabel, portName } from './names.ts';
import { labelCauses } from './validate-meta.ts';

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const portRange = 'must be between 1 and 65535, inclusive';

/** What is wrong with a Service; whether its addresses are free is the allocator's question. */
export const checkService: Check = (object, old) => {
  const spec = objectAt(object, 'spec') ?? {};
  const type = stringAt(spec, 'type') ?? 'ClusterIP';
  const ports = each(spec['ports'], 'spec.ports');
  const causes: Cause[] = [];
  if (type === 'ExternalName' && (stringAt(spec, 'externalName') ?? '') === '')
    causes.push(required('spec.externalName'));
  if (ports.length === 0 && type !== 'ExternalName' && spec['clusterIP'] !== 'None')
    causes.push(required('spec.ports'));
  causes.push(...portListCauses(ports));
  causes.push(...labelCauses(spec['selector'], 'spec.selector'));
  causes.push(...oneOf(spec['sessionAffinity'], 'spec.sessionAffinity', ['ClientIP', 'None']));
  causes.push(...oneOf(type, 'spec.type', types));
  return old === undefined ? causes : [...causes, ...fixedAddress(spec, objectAt(old, 'spec') ?? {})];
};

function portListCauses(ports: ReturnType<typeof each>): Cause[] {
  const names = new Set<string>();
  const numbers = new Set<string>();
  const repeated: Cause[] = [];
  const causes = ports.flatMap(({ item, path }) => {
    const name = stringAt(item, 'name') ?? '';
    const key = `${stringAt(item, 'protocol') ?? 'TCP'} ${JSON.stringify(item['port'] ?? 0)}`;
    if (numbers.has(key)) repeated.push(duplicate(path, goPort(item)));
    numbers.add(key);
    const own = portCauses(item, path, ports.length > 1);
    if (name !== '' && names.has(name)) own.splice(nameCount(own, path), 0, duplicate(`${path}.name`, name));
    names.add(name);
    return own;
  });
  return [...causes, ...repeated];
}

function nameCount(causes: readonly Cause[], path: string): number {
  return causes.filter(({ field }) => field === `${path}.name`).length;
}

function goPort(port: JsonObject): Json {
  const protocol = stringAt(port, 'protocol') ?? 'TCP';
  return { Name: '', Protocol: protocol, AppProtocol: null, Port: port['port'] ?? 0, TargetPort: 0, NodePort: 0 };
}

function portCauses(port: JsonObject, path: string, several: boolean): Cause[] {
  const name = stringAt(port, 'name') ?? '';
  const causes: Cause[] = [];
  if (name === '' && several) causes.push(required(`${path}.name`));
  else if (name !== '') causes.push(...dnsLabel(name).map((why) => invalidValue(`${path}.name`, name, why)));
  for (const key of ['port', 'targetPort']) {
    const value = port[key] ?? (key === 'port' ? 0 : undefined);
    if (typeof value === 'number' && (value < 1 || value > 65535))
      causes.push(invalidValue(`${path}.${key}`, value, portRange));
    if (key === 'targetPort' && typeof value === 'string')
      causes.push(...portName(value).map((why) => invalidValue(`${path}.${key}`, value, why)));
  }
  return [...causes, ...oneOf(port['protocol'], `${path}.protocol`, ['SCTP', 'TCP', 'UDP'])];
}

/** The address a Service was given stays with it while it needs one. */
function fixedAddress(spec: JsonObject, before: JsonObject): Cause[] {
  const given = isArray(before['clusterIPs']) ? before['clusterIPs'] : [];
  const wanted = isArray(spec['clusterIPs']) ? spec['clusterIPs'] : [];
  const external = stringAt(spec, 'type') === 'ExternalName' || stringAt(before, 'type') === 'ExternalName';
  if (external || given.length === 0 || equal(given, wanted)) return [];
  return [invalidValue('spec.clusterIPs[0]', wanted, 'may not change once set')];
}
