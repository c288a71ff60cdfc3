import type { Served } from './served.ts';

/** Built-in kinds that count changes of their spec in `metadata.generation`; custom ones all do. */
const withGeneration = new Set([
  'pods',
  'podtemplates',
  'replicationcontrollers',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'replicasets.apps',
  'jobs.batch',
  'cronjobs.batch',
  'ingresses.networking.k8s.io',
  'ingressclasses.networking.k8s.io',
  'networkpolicies.networking.k8s.io',
  'poddisruptionbudgets.policy',
  'customresourcedefinitions.apiextensions.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingadmissionpolicies.admissionregistration.k8s.io',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
  'endpointslices.discovery.k8s.io',
  'priorityclasses.scheduling.k8s.io',
  'flowschemas.flowcontrol.apiserver.k8s.io',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
]);

/** Kinds whose deletion answers with the object instead of a Status. */
const returnsDeleted = new Set([
  'namespaces',
  'pods',
  'podtemplates',
  'persistentvolumes',
  'persistentvolumeclaims',
  'resourcequotas',
  'services',
  'serviceaccounts',
  'storageclasses.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'csidrivers.storage.k8s.io',
  'volumeattributesclasses.storage.k8s.io',
]);

export function countsGenerations(served: Served): boolean {
  return served.custom !== undefined || withGeneration.has(served.info.storage);
}

export function answersDeleted(served: Served): boolean {
  return returnsDeleted.has(served.info.storage);
}

/** Whether status is written only through its own subresource. */
export function splitsStatus(served: Served): boolean {
  return served.info.subresources.includes('status');
}

const createdByPut = new Set([
  'services',
  'endpoints',
  'events',
  'limitranges',
  'leases.coordination.k8s.io',
  'roles.rbac.authorization.k8s.io',
  'rolebindings.rbac.authorization.k8s.io',
  'clusterroles.rbac.authorization.k8s.io',
  'clusterrolebindings.rbac.authorization.k8s.io',
]);

/** Kinds that a PUT creates where they are not there. */
export function putCreates(served: Served): boolean {
  return createdByPut.has(served.info.storage);
}

/** Kinds that are not updated without a resourceVersion; custom ones all are. */
export function demandsVersion(served: Served): boolean {
  return (
    served.custom !== undefined ||
    [
      'customresourcedefinitions.apiextensions.k8s.io',
      'leases.coordination.k8s.io',
      'apiservices.apiregistration.k8s.io',
    ].includes(served.info.storage)
  );
}
