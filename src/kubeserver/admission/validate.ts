import { objectAt, stringAt } from '../../core/json/index.ts';
import { asJson } from '../../core/objects/index.ts';
import type { Admission } from '../ports.ts';
import { badRequest, invalid } from '../status.ts';
import type { Check } from './cause.ts';
import { quantityProblem } from './quantity.ts';
import {
  checkClaim,
  checkClusterRole,
  checkClusterRoleBinding,
  checkConfigMap,
  checkEvent,
  checkIngress,
  checkRole,
  checkRoleBinding,
  checkSecret,
} from './validate-kinds.ts';
import { metaCauses } from './validate-meta.ts';
import { checkService } from './validate-service.ts';
import {
  checkCronJob,
  checkDaemonSet,
  checkDeployment,
  checkJob,
  checkPod,
  checkReplicaSet,
  checkStatefulSet,
} from './validate-workload.ts';

/** The checks of the common kinds, by `Kind.group`. */
const checks: { readonly [kind: string]: Check } = {
  'ConfigMap.': checkConfigMap,
  'Secret.': checkSecret,
  'Service.': checkService,
  'Pod.': checkPod,
  'PersistentVolumeClaim.': checkClaim,
  'Event.': checkEvent,
  'Deployment.apps': checkDeployment,
  'ReplicaSet.apps': checkReplicaSet,
  'StatefulSet.apps': checkStatefulSet,
  'DaemonSet.apps': checkDaemonSet,
  'Job.batch': checkJob,
  'CronJob.batch': checkCronJob,
  'Ingress.networking.k8s.io': checkIngress,
  'Role.rbac.authorization.k8s.io': checkRole,
  'ClusterRole.rbac.authorization.k8s.io': checkClusterRole,
  'RoleBinding.rbac.authorization.k8s.io': checkRoleBinding,
  'ClusterRoleBinding.rbac.authorization.k8s.io': checkClusterRoleBinding,
};

/** Rules of names, metadata and the common kinds that a schema cannot say; a status is never judged by them. */
export function validateObjects(): Admission {
  return {
    mutate: ({ object, resource, operation }) => {
      if (object === undefined || operation === 'DELETE') return;
      const problem = quantityProblem(object);
      if (problem === undefined) return;
      const { kind, version } = resource;
      throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`);
    },
    validate: ({ object, old, resource, operation, info }) => {
      if (object === undefined || operation === 'DELETE' || info.subresource === 'status') return;
      const key = `${resource.kind}.${resource.group}`;
      const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
      const before = old === undefined ? undefined : asJson(old);
      // An object on its way out needs only lose its finalizers, even if it would not be accepted today.
      const going = stringAt(objectAt(before, 'metadata'), 'deletionTimestamp') !== undefined;
      const causes = [...metaCauses(key, object), ...(going ? [] : (check?.(object, before) ?? []))];
      const subject = info.subresource === 'scale' ? { group: 'autoscaling', kind: 'Scale' } : resource;
      if (causes.length > 0) throw invalid(subject, stringAt(object, 'metadata', 'name') ?? '', causes);
    },
  };
}
