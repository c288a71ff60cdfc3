import { at, type Json, type JsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import { printed } from '../printed.ts';
import { podCells } from './pod.ts';
import { ageOf, nameOf, type Printer } from './printer.ts';
import { age, count, labels, list, selector } from './text.ts';
import { workloads } from './workloads.ts';

const size = (value: Json | undefined): number => Object.keys(objectAt({ value: value ?? {} }, 'value') ?? {}).length;

/** Columns between name and age, for kinds with nothing behind the age. */
function simple(columns: readonly string[], cells: (object: JsonObject) => Json[]): Printer {
  return {
    columns: [...columns, 'Age'],
    cells: (object, now) => [nameOf(object), ...cells(object), ageOf(object, now)],
  };
}

function subjects(object: JsonObject, kind: string): string {
  return list(object['subjects'])
    .filter((subject) => subject['kind'] === kind)
    .map(
      (subject) =>
        (kind === 'ServiceAccount' ? `${stringAt(subject, 'namespace') ?? ''}/` : '') +
        (stringAt(subject, 'name') ?? ''),
    )
    .join(', ');
}

const binding: Printer = {
  columns: ['Role', 'Age', 'Users:string:1', 'Groups:string:1', 'ServiceAccounts:string:1'],
  cells: (object, now) => [
    nameOf(object),
    `${stringAt(object, 'roleRef', 'kind') ?? ''}/${stringAt(object, 'roleRef', 'name') ?? ''}`,
    ageOf(object, now),
    subjects(object, 'User'),
    subjects(object, 'Group'),
    subjects(object, 'ServiceAccount'),
  ],
};

function externalAddress(service: JsonObject): string {
  const type = stringAt(service, 'spec', 'type');
  if (type === 'ExternalName') return stringAt(service, 'spec', 'externalName') ?? '<none>';
  const external = list(at(service, 'spec', 'externalIPs')).map(String);
  if (type !== 'LoadBalancer') return external.length === 0 ? '<none>' : external.join(',');
  const given = list(at(service, 'status', 'loadBalancer', 'ingress')).map(
    (one) => stringAt(one, 'ip') ?? stringAt(one, 'hostname') ?? '',
  );
  return given.length === 0 ? '<pending>' : [...given, ...external].join(',');
}

function servicePorts(service: JsonObject): string {
  const texts = list(at(service, 'spec', 'ports')).map((port) => {
    const node = count(port, 'nodePort') === 0 ? '' : `:${count(port, 'nodePort')}`;
    return `${count(port, 'port')}${node}/${stringAt(port, 'protocol') ?? 'TCP'}`;
  });
  return texts.length === 0 ? '<none>' : texts.join(',');
}

function eventTime(event: JsonObject, now: Date): string {
  const last =
    stringAt(event, 'lastTimestamp') ?? stringAt(event, 'series', 'lastObservedTime') ?? stringAt(event, 'eventTime');
  return age(last ?? stringAt(event, 'metadata', 'creationTimestamp'), now);
}

function nodeRoles(node: JsonObject): string {
  const roles = Object.keys(objectAt(node, 'metadata', 'labels') ?? {})
    .filter((key) => key.startsWith('node-role.kubernetes.io/'))
    .map((key) => key.slice('node-role.kubernetes.io/'.length));
  return roles.length === 0 ? '<none>' : roles.sort().join(',');
}

/** The printers of built-in kinds, by storage; other kinds show name and creation time. */
export const printers: { readonly [storage: string]: Printer } = {
  namespaces: simple(['Status'], (object) => [stringAt(object, 'status', 'phase') ?? '']),
  configmaps: simple(['Data'], (object) => [size(object['data']) + size(object['binaryData'])]),
  secrets: simple(['Type', 'Data'], (object) => [stringAt(object, 'type') ?? '', size(object['data'])]),
  serviceaccounts: simple(['Secrets'], (object) => [list(object['secrets']).length]),
  pods: {
    columns: [
      'Ready',
      'Status',
      'Restarts',
      'Age',
      'IP:string:1',
      'Node:string:1',
      'Nominated Node:string:1',
      'Readiness Gates:string:1',
    ],
    cells: podCells,
  },
  services: {
    columns: ['Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age', 'Selector:string:1'],
    cells: (object, now) => [
      nameOf(object),
      stringAt(object, 'spec', 'type') ?? '',
      stringAt(object, 'spec', 'clusterIP') ?? '<none>',
      externalAddress(object),
      servicePorts(object),
      ageOf(object, now),
      labels(at(object, 'spec', 'selector')),
    ],
  },
  nodes: {
    columns: [
      'Status',
      'Roles',
      'Age',
      'Version',
      'Internal-IP:string:1',
      'External-IP:string:1',
      'OS-Image:string:1',
      'Kernel-Version:string:1',
      'Container-Runtime:string:1',
    ],
    cells: (object, now) => {
      const ready = list(at(object, 'status', 'conditions')).find((one) => one['type'] === 'Ready');
      const info = (key: string): string => stringAt(object, 'status', 'nodeInfo', key) ?? '<unknown>';
      const address = list(at(object, 'status', 'addresses')).find((one) => one['type'] === 'InternalIP');
      return [
        nameOf(object),
        ready?.['status'] === 'True' ? 'Ready' : 'NotReady',
        nodeRoles(object),
        ageOf(object, now),
        info('kubeletVersion'),
        stringAt(address, 'address') ?? '<none>',
        '<none>',
        info('osImage'),
        info('kernelVersion'),
        info('containerRuntimeVersion'),
      ];
    },
  },
  events: {
    columns: [
      'Type',
      'Reason',
      'Object',
      'Subobject:string:1',
      'Source:string:1',
      'Message',
      'First Seen:string:1',
      'Count:string:1',
      'Name:string:1',
    ],
    cells: (object, now) => {
      const about = object['involvedObject'];
      const target = `${(stringAt(about, 'kind') ?? '').toLowerCase()}/${stringAt(about, 'name') ?? ''}`;
      return [
        eventTime(object, now),
        stringAt(object, 'type') ?? '',
        stringAt(object, 'reason') ?? '',
        target,
        stringAt(about, 'fieldPath') ?? '',
        stringAt(object, 'source', 'component') ?? stringAt(object, 'reportingComponent') ?? '',
        (stringAt(object, 'message') ?? '').trim(),
        age(stringAt(object, 'firstTimestamp') ?? stringAt(object, 'metadata', 'creationTimestamp'), now),
        Math.max(1, count(object, 'count')),
        nameOf(object),
      ];
    },
  },
  persistentvolumeclaims: {
    columns: [
      'Status',
      'Volume',
      'Capacity',
      'Access Modes',
      'StorageClass',
      'VolumeAttributesClass',
      'Age',
      'VolumeMode:string:1',
    ],
    cells: (object, now) => [
      nameOf(object),
      stringAt(object, 'status', 'phase') ?? '',
      stringAt(object, 'spec', 'volumeName') ?? '',
      stringAt(object, 'status', 'capacity', 'storage') ?? '',
      '',
      stringAt(object, 'spec', 'storageClassName') ?? '',
      '<unset>',
      ageOf(object, now),
      stringAt(object, 'spec', 'volumeMode') ?? '<unset>',
    ],
  },
  ...workloads,
  'ingresses.networking.k8s.io': simple(['Class', 'Hosts', 'Address', 'Ports'], (object) => {
    const hosts = list(at(object, 'spec', 'rules'))
      .map((rule) => stringAt(rule, 'host') ?? '')
      .filter((host) => host !== '');
    const addresses = list(at(object, 'status', 'loadBalancer', 'ingress')).map(
      (one) => stringAt(one, 'ip') ?? stringAt(one, 'hostname') ?? '',
    );
    return [
      stringAt(object, 'spec', 'ingressClassName') ?? '<none>',
      hosts.length === 0 ? '*' : hosts.join(','),
      addresses.join(','),
      list(at(object, 'spec', 'tls')).length > 0 ? '80, 443' : '80',
    ];
  }),
  'networkpolicies.networking.k8s.io': simple(['Pod-Selector'], (object) => [
    selector(at(object, 'spec', 'podSelector')),
  ]),
  'rolebindings.rbac.authorization.k8s.io': binding,
  'clusterrolebindings.rbac.authorization.k8s.io': binding,
  'horizontalpodautoscalers.autoscaling': simple(
    ['Reference', 'Targets', 'MinPods', 'MaxPods', 'Replicas'],
    (object) => [
      `${stringAt(object, 'spec', 'scaleTargetRef', 'kind') ?? ''}/${stringAt(object, 'spec', 'scaleTargetRef', 'name') ?? ''}`,
      '<unknown>',
      printed(at(object, 'spec', 'minReplicas') ?? '<unset>'),
      count(object, 'spec', 'maxReplicas'),
      count(object, 'status', 'currentReplicas'),
    ],
  ),
  'poddisruptionbudgets.policy': simple(
    ['Min Available', 'Max Unavailable', 'Allowed Disruptions:integer'],
    (object) => [
      printed(at(object, 'spec', 'minAvailable') ?? 'N/A'),
      printed(at(object, 'spec', 'maxUnavailable') ?? 'N/A'),
      count(object, 'status', 'disruptionsAllowed'),
    ],
  ),
  'storageclasses.storage.k8s.io': simple(
    ['Provisioner', 'ReclaimPolicy', 'VolumeBindingMode', 'AllowVolumeExpansion'],
    (object) => [
      stringAt(object, 'provisioner') ?? '',
      stringAt(object, 'reclaimPolicy') ?? 'Delete',
      stringAt(object, 'volumeBindingMode') ?? '<unset>',
      object['allowVolumeExpansion'] === true,
    ],
  ),
  'leases.coordination.k8s.io': simple(['Holder'], (object) => [stringAt(object, 'spec', 'holderIdentity') ?? '']),
  'priorityclasses.scheduling.k8s.io': {
    columns: ['Value:integer', 'Global-Default:boolean', 'Age', 'PreemptionPolicy'],
    cells: (object, now) => [
      nameOf(object),
      count(object, 'value'),
      object['globalDefault'] === true,
      ageOf(object, now),
      stringAt(object, 'preemptionPolicy') ?? '',
    ],
  },
  'apiservices.apiregistration.k8s.io': simple(['Service', 'Available'], (object) => {
    const name = stringAt(object, 'spec', 'service', 'name');
    const available = list(at(object, 'status', 'conditions')).find((one) => one['type'] === 'Available');
    return [
      name === undefined ? 'Local' : `${stringAt(object, 'spec', 'service', 'namespace') ?? ''}/${name}`,
      stringAt(available, 'status') ?? 'Unknown',
    ];
  }),
  'controllerrevisions.apps': simple(['Controller', 'Revision'], (object) => {
    const [owner] = list(at(object, 'metadata', 'ownerReferences'));
    return [
      owner === undefined
        ? '<none>'
        : `${(stringAt(owner, 'kind') ?? '').toLowerCase()}/${stringAt(owner, 'name') ?? ''}`,
      count(object, 'revision'),
    ];
  }),
};
