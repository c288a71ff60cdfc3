import type { MutableJsonObject } from '../../../core/json/index.ts';
import { child, each, ensure, fill } from './fill.ts';
import { defaultVolume } from './volume.ts';

/** The defaults of a pod itself; the requests a limit implies and service links are filled only here. */
export function defaultPod(pod: MutableJsonObject): void {
  const spec = ensure(pod, 'spec');
  for (const container of containersOf(spec)) requestLimits(container);
  fill(spec, { enableServiceLinks: true });
  defaultPodSpec(spec);
}

/** The defaults of a pod template. */
export function defaultTemplate(template: MutableJsonObject | undefined): void {
  if (template === undefined) return;
  ensure(template, 'metadata');
  defaultPodSpec(ensure(template, 'spec'));
}

function containersOf(spec: MutableJsonObject): MutableJsonObject[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((key) => each(spec, key));
}

function defaultPodSpec(spec: MutableJsonObject): void {
  fill(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
  const account = spec['serviceAccountName'] ?? spec['serviceAccount'];
  if (account !== undefined && account !== '') {
    spec['serviceAccountName'] = account;
    spec['serviceAccount'] = account;
  }
  for (const container of containersOf(spec)) defaultContainer(container, spec['hostNetwork'] === true);
  for (const volume of each(spec, 'volumes')) defaultVolume(volume);
}

function defaultContainer(container: MutableJsonObject, hostNetwork: boolean): void {
  fill(container, {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicy(container['image']),
  });
  for (const port of each(container, 'ports')) {
    fill(port, { protocol: 'TCP' });
    if (hostNetwork) fill(port, { hostPort: port['containerPort'] ?? 0 });
  }
  for (const variable of each(container, 'env')) fillReference(child(variable, 'valueFrom', 'fieldRef'));
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) defaultProbe(child(container, name));
  for (const name of ['postStart', 'preStop']) defaultHttpGet(child(container, 'lifecycle', name, 'httpGet'));
}

/** Field references name the version they are read in. */
export function fillReference(reference: MutableJsonObject | undefined): void {
  if (reference !== undefined) fill(reference, { apiVersion: 'v1' });
}

/** Only an image without a tag, or with the tag `latest`, is pulled every time. */
function pullPolicy(image: unknown): string {
  const text = typeof image === 'string' ? image : '';
  const [name = '', digest] = text.split('@');
  const tag = /:([^:/]+)$/.exec(name)?.[1];
  if (digest !== undefined && tag === undefined) return 'IfNotPresent';
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function defaultProbe(probe: MutableJsonObject | undefined): void {
  if (probe === undefined) return;
  fill(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  defaultHttpGet(child(probe, 'httpGet'));
  const grpc = child(probe, 'grpc');
  if (grpc !== undefined) fill(grpc, { service: '' });
}

function defaultHttpGet(get: MutableJsonObject | undefined): void {
  if (get !== undefined) fill(get, { path: '/', scheme: 'HTTP' });
}

function requestLimits(container: MutableJsonObject): void {
  const resources = child(container, 'resources');
  const limits = child(resources, 'limits');
  if (resources === undefined || limits === undefined || Object.keys(limits).length === 0) return;
  fill(ensure(resources, 'requests'), { ...limits });
}
