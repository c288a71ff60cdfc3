import type { GroupKind } from '../objects/index.ts';

/** Cluster-scoped kinds of Kubernetes itself: what a cluster's discovery says about them cannot make them namespaced. */
const clusterScoped: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['', new Set(['Namespace', 'Node', 'PersistentVolume', 'ComponentStatus'])],
  ['rbac.authorization.k8s.io', new Set(['ClusterRole', 'ClusterRoleBinding'])],
  ['apiextensions.k8s.io', new Set(['CustomResourceDefinition'])],
  ['apiregistration.k8s.io', new Set(['APIService'])],
  [
    'admissionregistration.k8s.io',
    new Set([
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'MutatingAdmissionPolicy',
      'MutatingAdmissionPolicyBinding',
    ]),
  ],
  ['storage.k8s.io', new Set(['StorageClass', 'VolumeAttachment', 'CSIDriver', 'CSINode', 'VolumeAttributesClass'])],
  ['scheduling.k8s.io', new Set(['PriorityClass'])],
  ['networking.k8s.io', new Set(['IngressClass', 'IPAddress', 'ServiceCIDR'])],
  ['node.k8s.io', new Set(['RuntimeClass'])],
  ['certificates.k8s.io', new Set(['CertificateSigningRequest', 'ClusterTrustBundle'])],
  ['flowcontrol.apiserver.k8s.io', new Set(['FlowSchema', 'PriorityLevelConfiguration'])],
  ['resource.k8s.io', new Set(['DeviceClass', 'ResourceSlice'])],
]);

/** Whether a kind is namespaced: as discovery says, except that built-in cluster-scoped kinds always are. */
export function isNamespaced(kind: GroupKind, discovered: boolean | undefined): boolean | undefined {
  return clusterScoped.get(kind.group)?.has(kind.kind) === true ? false : discovered;
}
