import { at, type JsonObject, stringAt } from '../../json/index.ts';
import type { Health } from '../types.ts';
import { type Assess, conditionOf, degraded, healthy, progressing, suspended } from './read.ts';

/** Kinds of others that sum themselves up in one condition; true is healthy, false is degraded. */
const kindsByCondition: Readonly<Record<string, readonly string[]>> = {
  Ready: [
    'cert-manager.io/Certificate',
    'cert-manager.io/ClusterIssuer',
    'cert-manager.io/Issuer',
    'external-secrets.io/ClusterSecretStore',
    'external-secrets.io/ExternalSecret',
    'external-secrets.io/PushSecret',
    'external-secrets.io/SecretStore',
    'helm.toolkit.fluxcd.io/HelmRelease',
    'image.toolkit.fluxcd.io/ImagePolicy',
    'image.toolkit.fluxcd.io/ImageRepository',
    'image.toolkit.fluxcd.io/ImageUpdateAutomation',
    'karpenter.k8s.aws/EC2NodeClass',
    'karpenter.sh/NodePool',
    'kustomize.toolkit.fluxcd.io/Kustomization',
    'notification.toolkit.fluxcd.io/Receiver',
    'serving.knative.dev/Service',
    'source.toolkit.fluxcd.io/Bucket',
    'source.toolkit.fluxcd.io/GitRepository',
    'source.toolkit.fluxcd.io/HelmChart',
    'source.toolkit.fluxcd.io/OCIRepository',
  ],
  Synced: ['bitnami.com/SealedSecret'],
};

/** The checks of the kinds above, by `group/Kind`. */
export function conditionChecks(): readonly (readonly [kind: string, check: Assess])[] {
  return Object.entries(kindsByCondition).flatMap(([condition, kinds]) =>
    kinds.map((kind) => [kind, (object: JsonObject) => byCondition(object, condition)] as const),
  );
}

function byCondition(object: JsonObject, type: string): Health {
  if (at(object, 'spec', 'suspend') === true) return suspended(`${stringAt(object, 'kind') ?? ''} is suspended`);
  // A certificate that is being renewed still holds the result of the last time.
  const issuing = conditionOf(object, 'Issuing');
  if (stringAt(issuing, 'status') === 'True') return progressing(stringAt(issuing, 'message'));
  const condition = conditionOf(object, type);
  const message = stringAt(condition, 'message') ?? stringAt(condition, 'reason');
  switch (stringAt(condition, 'status')) {
    case 'True':
      return healthy(message);
    case 'False':
      return degraded(message);
    default:
      return progressing(message ?? `Waiting for the condition ${type}`);
  }
}
