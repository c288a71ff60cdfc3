import type { MutableJsonObject } from '../../../core/json/index.ts';
import { child, each, ensure, fill, isFilled } from './fill.ts';

/** The defaults of a Service, without what the server allocates (addresses, node ports, address families). */
export function defaultService(object: MutableJsonObject): void {
  const spec = ensure(object, 'spec');
  fill(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['sessionAffinity'] === 'ClientIP')
    fill(ensure(ensure(spec, 'sessionAffinityConfig'), 'clientIP'), { timeoutSeconds: 10_800 });
  for (const port of each(spec, 'ports')) {
    fill(port, { protocol: 'TCP' });
    if (port['targetPort'] === undefined || port['targetPort'] === 0 || port['targetPort'] === '')
      port['targetPort'] = port['port'] ?? 0;
  }
  const isExternal = spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer';
  if (isExternal) fill(spec, { externalTrafficPolicy: 'Cluster' });
  if (spec['type'] !== 'ExternalName') fill(spec, { internalTrafficPolicy: 'Cluster' });
  if (spec['type'] === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true });
}

/** The defaults of Endpoints. */
export function defaultEndpoints(object: MutableJsonObject): void {
  for (const subset of each(object, 'subsets'))
    for (const port of each(subset, 'ports')) fill(port, { protocol: 'TCP' });
}

/** The defaults of an EndpointSlice. */
export function defaultEndpointSlice(object: MutableJsonObject): void {
  for (const endpoint of each(object, 'endpoints')) ensure(endpoint, 'conditions');
  for (const port of each(object, 'ports')) fill(port, { name: '', protocol: 'TCP' });
}

/** The defaults of an IngressClass. */
export function defaultIngressClass(object: MutableJsonObject): void {
  const parameters = child(object, 'spec', 'parameters');
  if (parameters !== undefined) fill(parameters, { scope: 'Cluster' });
}

/** The defaults of a NetworkPolicy: it is about ingress, and about egress where it has such rules. */
export function defaultNetworkPolicy(object: MutableJsonObject): void {
  const spec = ensure(object, 'spec');
  for (const direction of ['ingress', 'egress'])
    for (const rule of each(spec, direction)) for (const port of each(rule, 'ports')) fill(port, { protocol: 'TCP' });
  if (!isFilled(spec, 'policyTypes'))
    spec['policyTypes'] = isFilled(spec, 'egress') ? ['Ingress', 'Egress'] : ['Ingress'];
}

/** The defaults of a HorizontalPodAutoscaler of version 2. */
export function defaultAutoscaler(object: MutableJsonObject): void {
  const spec = ensure(object, 'spec');
  fill(spec, { minReplicas: 1 });
  if (!isFilled(spec, 'metrics'))
    spec['metrics'] = [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
    ];
  const behavior = child(spec, 'behavior');
  if (behavior === undefined) return;
  const percent = { type: 'Percent', value: 100, periodSeconds: 15 };
  defaultScaling(child(behavior, 'scaleUp'), [{ type: 'Pods', value: 4, periodSeconds: 15 }, percent]);
  defaultScaling(child(behavior, 'scaleDown'), [percent]);
}

function defaultScaling(rules: MutableJsonObject | undefined, policies: MutableJsonObject[]): void {
  if (rules === undefined) return;
  fill(rules, { selectPolicy: 'Max' });
  if (!isFilled(rules, 'policies')) rules['policies'] = policies;
}

/** The defaults of a HorizontalPodAutoscaler of version 1. */
export function defaultAutoscalerV1(object: MutableJsonObject): void {
  fill(ensure(object, 'spec'), { minReplicas: 1, targetCPUUtilizationPercentage: 80 });
}
