/**
 * Who may do what, where, as whom: every decision about tenants, as pure functions of one snapshot.
 *
 * Each answers with a compact verdict; given a recorder, the same call also leaves the chain of facts behind it. Nothing
 * here reads a cluster or a clock: the caller brings snapshot, instants and answers of API servers, and acts on what is
 * said. Begin with `application.ts`, the gate of every pass; `effective.ts` says what a project is made of.
 */
export { type AddressClass, classifyAddress } from './address.ts';
export { type Admission, admitApplication } from './application.ts';
export { applicationsOverQuota } from './application-quota.ts';
export { type Assembled, assembleSnapshot, type Installation, type Unread, type Unreadable } from './assemble.ts';
export { type Association, associate, listsNamespace, watchesNamespace } from './association.ts';
export { type Resolution, resolveCluster } from './cluster.ts';
export { type AcceptanceInputs, acceptCluster, acceptClusters, clusterJudge } from './cluster-acceptance.ts';
export { permitsDestination } from './destination.ts';
export { EffectiveProject, effectiveProject } from './effective.ts';
export { type Fact, FactList, factLimit, type Recorder } from './fact.ts';
export { type IdentityDecision, identityFor } from './identity.ts';
export { type Integrity, type IntegrityPolicy, integrityFor } from './integrity.ts';
export { type Place, permitsObject, type Subject } from './object.ts';
export { permitsOperation } from './operation.ts';
export { isListed, type Outbound, permitsConnection, permitsFiles } from './outbound.ts';
export { type Aged, withinQuota } from './quota.ts';
export { isNamespaced } from './scope.ts';
export { isKey, judgeSignatures, type SignatureFact } from './signatures.ts';
export { allSources, permitsSource, permitsSources } from './source.ts';
export { type ProjectProblem, validateProject } from './validate-project.ts';
export {
  type Allowed,
  allowed,
  type ConditionType,
  type Denied,
  denied,
  type Refusal,
  type Undecided,
  type Verdict,
} from './verdict.ts';
export {
  accessReviews,
  type Meaning,
  type ReadAnswer,
  type ReadTarget,
  type Review,
  type ReviewAnswer,
  readMeaning,
  visibilityMode,
} from './visibility.ts';
export type { Warning } from './warning.ts';
export { projectWarnings, settingsWarnings } from './warnings.ts';
export { watchesKind } from './watched-kind.ts';
export { type ClusterReason, type Identity, type ServiceAccountUser, serviceAccountUser } from './who.ts';
export { type Explanation, explainAdmission, explainCluster, explainIdentity, explainSecret } from './why.ts';
export { nextWindowChange, permitsSync, type SyncRequest } from './windows.ts';
