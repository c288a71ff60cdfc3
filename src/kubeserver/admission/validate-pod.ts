import { isArray, isObject, type Json, type JsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import type { Cause } from '../status.ts';
import { duplicate, each, forbiddenField, invalidValue, notFoundValue, oneOf, required } from './cause.ts';
import { dnsLabel, portName } from './names.ts';
import { quantityValue } from './quantity.ts';
import { labelCauses } from './validate-meta.ts';

const portRange = 'must be between 1 and 65535, inclusive';
const protocols = ['SCTP', 'TCP', 'UDP'];

/** What is wrong with a pod, or with the template of one; `claimed` are volumes its controller will add. */
export function podSpecCauses(spec: JsonObject, path: string, claimed: readonly string[] = []): Cause[] {
  const own = each(spec['volumes'], '').map(({ item }) => stringAt(item, 'name') ?? '');
  const volumes = new Set([...own, ...claimed]);
  const containers = each(spec['containers'], `${path}.containers`);
  const init = each(spec['initContainers'], `${path}.initContainers`);
  return [
    ...volumeCauses(spec['volumes'], `${path}.volumes`),
    ...(containers.length === 0 ? [required(`${path}.containers`)] : []),
    ...containerListCauses(containers, volumes),
    ...containerListCauses(init, volumes),
    ...oneOf(spec['restartPolicy'], `${path}.restartPolicy`, ['Always', 'OnFailure', 'Never']),
    ...oneOf(spec['dnsPolicy'], `${path}.dnsPolicy`, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']),
    ...labelCauses(spec['nodeSelector'], `${path}.nodeSelector`),
  ];
}

type Listed = ReturnType<typeof each>;

function containerListCauses(containers: Listed, volumes: ReadonlySet<string>): Cause[] {
  const seen = new Set<string>();
  return containers.flatMap(({ item, path }) => {
    const name = stringAt(item, 'name') ?? '';
    const again = name !== '' && seen.has(name) ? [duplicate(`${path}.name`, name)] : [];
    seen.add(name);
    return [...containerCauses(item, path, volumes), ...again];
  });
}

function containerCauses(container: JsonObject, path: string, volumes: ReadonlySet<string>): Cause[] {
  const name = stringAt(container, 'name') ?? '';
  const nameCauses =
    name === '' ? [required(`${path}.name`)] : dnsLabel(name).map((why) => invalidValue(`${path}.name`, name, why));
  return [
    ...nameCauses,
    ...imageCauses(stringAt(container, 'image') ?? '', `${path}.image`),
    ...each(container['ports'], `${path}.ports`).flatMap(({ item, path: port }) => portCauses(item, port)),
    ...sameNamePorts(container, path),
    ...each(container['env'], `${path}.env`).flatMap(({ item, path: env }) => envCauses(item, env)),
    ...mountCauses(container['volumeMounts'], `${path}.volumeMounts`, volumes),
    ...['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((probe) =>
      probeCauses(objectAt(container, probe), `${path}.${probe}`),
    ),
    ...oneOf(container['imagePullPolicy'], `${path}.imagePullPolicy`, ['Always', 'IfNotPresent', 'Never']),
    ...resourceCauses(objectAt(container, 'resources'), `${path}.resources`),
  ];
}

function imageCauses(image: string, path: string): Cause[] {
  if (image === '') return [required(path)];
  return image.trim() === image ? [] : [invalidValue(path, image, 'must not have leading or trailing whitespace')];
}

/** Ports may share a number under several protocols, but no name. */
function sameNamePorts(container: JsonObject, path: string): Cause[] {
  const seen = new Set<string>();
  return each(container['ports'], `${path}.ports`).flatMap(({ item, path: port }) => {
    const name = stringAt(item, 'name') ?? '';
    if (name === '') return [];
    if (seen.has(name)) return [duplicate(`${port}.name`, name)];
    seen.add(name);
    return [];
  });
}

function portCauses(port: JsonObject, path: string): Cause[] {
  const name = stringAt(port, 'name') ?? '';
  const number = port['containerPort'] ?? 0;
  const range = (key: string, value: Json): Cause[] =>
    typeof value === 'number' && value >= 1 && value <= 65535 ? [] : [invalidValue(`${path}.${key}`, value, portRange)];
  const hostPort = port['hostPort'] ?? 0;
  return [
    ...(name === '' ? [] : portName(name).map((why) => invalidValue(`${path}.name`, name, why))),
    ...(number === 0 ? [required(`${path}.containerPort`)] : range('containerPort', number)),
    ...(hostPort === 0 ? [] : range('hostPort', hostPort)),
    ...oneOf(port['protocol'], `${path}.protocol`, protocols),
  ];
}

const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

function envCauses(env: JsonObject, path: string): Cause[] {
  const causes = (stringAt(env, 'name') ?? '') === '' ? [required(`${path}.name`)] : [];
  const from = env['valueFrom'];
  if (!isObject(from)) return causes;
  const given = sources.filter((source) => isObject(from[source]));
  if (given.length === 0) {
    const why =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [...causes, invalidValue(`${path}.valueFrom`, '', why)];
  }
  if ((stringAt(env, 'value') ?? '') !== '')
    causes.push(invalidValue(`${path}.valueFrom`, '', 'may not be specified when `value` is not empty'));
  if (given.length > 1)
    causes.push(invalidValue(`${path}.valueFrom`, '', 'may not have more than one field specified at a time'));
  return causes;
}

function mountCauses(mounts: Json | undefined, field: string, volumes: ReadonlySet<string>): Cause[] {
  const seen = new Set<string>();
  return each(mounts, field).flatMap(({ item, path }) => {
    const name = stringAt(item, 'name') ?? '';
    const mountPath = stringAt(item, 'mountPath') ?? '';
    const causes: Cause[] = name === '' ? [required(`${path}.name`)] : [];
    if (!volumes.has(name)) causes.push(notFoundValue(`${path}.name`, name));
    if (mountPath === '') causes.push(required(`${path}.mountPath`));
    else if (seen.has(mountPath)) causes.push(invalidValue(`${path}.mountPath`, mountPath, 'must be unique'));
    seen.add(mountPath);
    return causes;
  });
}

function probeCauses(probe: JsonObject | undefined, path: string): Cause[] {
  if (probe === undefined) return [];
  const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'].filter((handler) => isObject(probe[handler]));
  if (handlers.length === 0) return [required(path, 'must specify a handler type')];
  const causes = handlers.slice(1).map((handler) => {
    return forbiddenField(`${path}.${handler}`, 'may not specify more than 1 handler type');
  });
  for (const handler of handlers) {
    const port = objectAt(probe, handler)?.['port'];
    if (typeof port === 'number' && (port < 1 || port > 65535))
      causes.push(invalidValue(`${path}.${handler}.port`, port, portRange));
  }
  for (const key of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ]) {
    const value = probe[key];
    if (typeof value === 'number' && value < 0)
      causes.push(invalidValue(`${path}.${key}`, value, 'must be greater than or equal to 0'));
  }
  return causes;
}

function resourceCauses(resources: JsonObject | undefined, path: string): Cause[] {
  const [limits, requests] = [objectAt(resources, 'limits'), objectAt(resources, 'requests')];
  return Object.entries(requests ?? {}).flatMap(([name, request]) => {
    const limit = limits?.[name];
    const [asked, most] = [quantityValue(request), quantityValue(limit)];
    if (
      isObject(limit) ||
      isArray(limit) ||
      limit === undefined ||
      asked === undefined ||
      most === undefined ||
      asked <= most
    )
      return [];
    return [
      invalidValue(`${path}.requests`, request, `must be less than or equal to ${name} limit of ${String(limit)}`),
    ];
  });
}

function volumeCauses(volumes: Json | undefined, field: string): Cause[] {
  const seen = new Set<string>();
  return each(volumes, field).flatMap(({ item, path }) => {
    const name = stringAt(item, 'name') ?? '';
    const causes: Cause[] =
      name === '' ? [required(`${path}.name`)] : dnsLabel(name).map((why) => invalidValue(`${path}.name`, name, why));
    if (seen.has(name)) causes.push(duplicate(`${path}.name`, name));
    seen.add(name);
    const kinds = Object.keys(item).filter((key) => key !== 'name' && isObject(item[key]));
    for (const kind of kinds.slice(1))
      causes.push(forbiddenField(`${path}.${kind}`, 'may not specify more than 1 volume type'));
    if (kinds[0] === 'configMap' && (stringAt(item, 'configMap', 'name') ?? '') === '')
      causes.push(required(`${path}.configMap.name`));
    if (kinds[0] === 'secret' && (stringAt(item, 'secret', 'secretName') ?? '') === '')
      causes.push(required(`${path}.secret.secretName`));
    return causes;
  });
}
