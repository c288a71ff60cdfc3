import { isArray, isObject, type MutableJsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import type { Admission, Inside } from '../ports.ts';
import { type Cause, invalid } from '../status.ts';
import { each, invalidValue } from './cause.ts';

const firstPort = 30_000;
const lastPort = 32_767;

/** The addresses and node ports Services hold, as the store tells. */
class Addresses {
  readonly #holders = new Map<string, string>();
  #ip = 10;
  #port = 0;

  constructor(inside: Inside) {
    inside.watch('', 'Service', ({ type, object, previous }) => {
      if (previous !== undefined) this.#release(previous);
      if (type === 'DELETED') this.#release(object);
      else this.#hold(object);
    });
    for (const service of inside.list('', 'Service')) this.#hold(service);
  }

  taken(address: string, by: string): boolean {
    const holder = this.#holders.get(address);
    return holder !== undefined && holder !== by;
  }

  /** The next free address; moving on each time keeps two requests in flight apart. */
  nextIp(): string {
    for (;;) {
      this.#ip = this.#ip >= 65_533 ? 10 : this.#ip + 1;
      const address = `10.96.${this.#ip >> 8}.${this.#ip & 255}`;
      if (!this.#holders.has(address)) return address;
    }
  }

  nextPort(): number {
    for (;;) {
      this.#port = (this.#port + 1) % (lastPort - firstPort + 1);
      const port = firstPort + this.#port;
      if (!this.#holders.has(String(port))) return port;
    }
  }

  #hold(service: KubeObject): void {
    for (const address of addressesOf(service)) this.#holders.set(address, keyOf(service));
  }

  #release(service: KubeObject): void {
    for (const address of addressesOf(service))
      if (this.#holders.get(address) === keyOf(service)) this.#holders.delete(address);
  }
}

function keyOf(service: KubeObject): string {
  return `${service.metadata.namespace ?? ''}/${service.metadata.name ?? ''}`;
}

function addressesOf(service: KubeObject): string[] {
  const spec = objectAt(asJson(service), 'spec');
  const ip = stringAt(spec, 'clusterIP') ?? '';
  const ports = each(spec?.['ports'], '').flatMap(({ item }) => {
    return typeof item['nodePort'] === 'number' ? [String(item['nodePort'])] : [];
  });
  return ip === '' || ip === 'None' ? ports : [ip, ...ports];
}

/** Gives Services their cluster addresses and node ports, and refuses those outside the ranges or taken. */
export function serviceAddresses(inside: Inside): Admission {
  let addresses: Addresses | undefined; // made at first use: the store is empty of Services until then
  return {
    mutate: ({ resource, operation, object, old, info }) => {
      if (resource.group !== '' || resource.kind !== 'Service' || operation === 'DELETE') return;
      if (object === undefined || info.subresource !== '') return;
      const spec = object['spec'];
      if (!isObject(spec)) return;
      addresses ??= new Addresses(inside);
      const before = old === undefined ? undefined : objectAt(asJson(old), 'spec');
      if (before !== undefined) keepAllocated(spec, before);
      const name = stringAt(object, 'metadata', 'name') ?? '';
      const causes = allocate(addresses, spec, `${info.namespace}/${name}`);
      if (causes.length > 0) throw invalid({ group: '', kind: 'Service' }, name, causes);
    },
  };
}

type Spec = MutableJsonObject;

/** Tells whether a type of Service is reached from outside the cluster. */
const isOpen = (type: unknown): boolean => type === 'NodePort' || type === 'LoadBalancer';

/** A client that sends a Service back without its address means the one it has. */
function keepAllocated(spec: Spec, before: { readonly [key: string]: unknown }): void {
  if (!isOpen(spec['type']) && isOpen(before['type']))
    for (const key of ['externalTrafficPolicy', 'allocateLoadBalancerNodePorts', 'healthCheckNodePort'])
      delete spec[key];
  const needs = (type: unknown): boolean => type !== 'ExternalName';
  if (!needs(spec['type']) || !needs(before['type'])) return;
  const [ip, given] = [spec['clusterIP'] ?? '', before['clusterIP']];
  if (ip === '' && typeof given === 'string') {
    spec['clusterIP'] = given;
    delete spec['clusterIPs'];
  }
  if (spec['clusterIP'] !== given) delete spec['clusterIPs'];
  if (spec['type'] === 'ClusterIP' || !isArray(spec['ports']) || !isArray(before['ports'])) return;
  for (const [index, port] of spec['ports'].entries()) {
    const was: unknown = before['ports'][index];
    if (isObject(port) && isObject(was) && port['port'] === was['port'] && was['nodePort'] !== undefined)
      (port as MutableJsonObject)['nodePort'] ??= was['nodePort'] as number; // a stored node port is a number
  }
}

function allocate(addresses: Addresses, spec: Spec, by: string): Cause[] {
  const type = spec['type'] ?? 'ClusterIP';
  if (type === 'ExternalName') {
    for (const key of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy'])
      delete spec[key];
    return [];
  }
  const asked = typeof spec['clusterIP'] === 'string' ? spec['clusterIP'] : '';
  const causes = asked === '' || asked === 'None' ? [] : ipCauses(addresses, asked, by);
  if (causes.length > 0) return causes;
  const ip = asked === '' ? addresses.nextIp() : asked;
  spec['clusterIP'] = ip;
  spec['clusterIPs'] = [ip];
  // Without a selector the endpoints are somebody else's and may be of both families.
  const both = ip === 'None' && !isObject(spec['selector']);
  spec['ipFamilies'] ??= both ? ['IPv4', 'IPv6'] : ['IPv4'];
  spec['ipFamilyPolicy'] ??= both ? 'RequireDualStack' : 'SingleStack';
  if (type === 'ClusterIP') dropNodePorts(spec);
  return isOpen(type) ? nodePorts(addresses, spec, by) : [];
}

function ipCauses(addresses: Addresses, ip: string, by: string): Cause[] {
  const wrong = (why: string): Cause[] => [
    invalidValue('spec.clusterIPs', [ip], `failed to allocate IP ${ip}: ${why}`),
  ];
  if (!/^10\.96\.\d{1,3}\.\d{1,3}$/.test(ip)) return wrong('the provided network does not match the current range');
  return addresses.taken(ip, by) ? wrong('provided IP is already allocated') : [];
}

function dropNodePorts(spec: Spec): void {
  for (const { item } of each(spec['ports'], '')) delete (item as MutableJsonObject)['nodePort']; // ours to change
}

function nodePorts(addresses: Addresses, spec: Spec, by: string): Cause[] {
  return each(spec['ports'], 'spec.ports').flatMap(({ item, path }) => {
    const port = item as MutableJsonObject; // part of the object under admission
    const asked = typeof port['nodePort'] === 'number' ? port['nodePort'] : 0;
    if (asked === 0) port['nodePort'] = addresses.nextPort();
    else if (asked < firstPort || asked > lastPort) {
      const why = `provided port is not in the valid range. The range of valid ports is ${firstPort}-${lastPort}`;
      return [invalidValue(`${path}.nodePort`, asked, why)];
    } else if (addresses.taken(String(asked), by))
      return [invalidValue(`${path}.nodePort`, asked, 'provided port is already allocated')];
    return [];
  });
}
