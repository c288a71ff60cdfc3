/**
 * The objects and settings that users write, as types with parsers: unknown JSON in, a value or a list of problems out.
 *
 * A parsed value is the JSON itself, checked, so unknown fields survive; what an object *means* (permitted, in sync, due)
 * is for `core/policy`, `core/diff` and `core/sync`. Begin with `parsed.ts`, then `application.ts` and `project.ts`.
 */
export {
  type Application,
  instanceName,
  isMultiSource,
  keyOfInstance,
  namespaceOfApplication,
  parseApplication,
  printApplication,
  projectOf,
  qualifiedName,
  sourcesOf,
} from './application.ts';
export {
  type ClusterConfig,
  type ClusterSecret,
  clusterKey,
  commaList,
  type ExecProviderConfig,
  implicitCluster,
  inClusterName,
  inClusterServer,
  parseClusterSecret,
  skipsReconcile,
} from './cluster.ts';
export { configMapData } from './config-map.ts';
export { parseDuration } from './duration.ts';
export { Hidden } from './hidden.ts';
export type { NamedMeta } from './meta.ts';
export type {
  Operation,
  OperationInitiator,
  OperationPhase,
  OperationState,
  ResourceResult,
  SyncOperation,
  SyncOperationResource,
  SyncResult,
  SyncStrategy,
} from './operation.ts';
export type { IgnoreRules, ResourceOverride } from './overrides.ts';
export { type Parsed, type Problem, printProblems } from './parsed.ts';
export {
  type AppProject,
  type AppProjectSpec,
  type AppProjectStatus,
  type DestinationServiceAccount,
  type JwtToken,
  type OrphanedResources,
  type ProjectDestination,
  type ProjectQuota,
  type ProjectRole,
  parseAppProject,
  printAppProject,
  type ResourcePattern,
  type SourceIntegrityPolicy,
  type SyncWindow,
} from './project.ts';
export { hasCredential, parseRepositorySecret, type Repository, type RepositoryType } from './repository.ts';
export { decodeBase64, secretTypeLabel } from './secret.ts';
export {
  type CompareOptions,
  type GlobalProject,
  type ReadSettings,
  type ResourceFilter,
  type RespectRbac,
  readSettings,
  type Settings,
  shippedExclusions,
  type TrackingMethod,
} from './settings.ts';
export { type Params, readParams } from './settings-params.ts';
export { type RbacSettings, readRbac } from './settings-rbac.ts';
export type { Acceptance, Cluster, Snapshot } from './snapshot.ts';
export type {
  ApplicationSource,
  DirectorySource,
  HelmParameter,
  HelmSource,
  JsonnetVar,
  KustomizePatch,
  KustomizeSource,
  PluginParameter,
  PluginSource,
  SourceHydrator,
} from './source.ts';
export { parseSource } from './source.ts';
export type {
  ApplicationDestination,
  ApplicationSpec,
  IgnoreDifference,
  Info,
  RetryStrategy,
  SyncPolicy,
} from './spec.ts';
export type {
  ApplicationStatus,
  ApplicationSummary,
  ComparedTo,
  Condition,
  HealthStatus,
  ResourceStatus,
  RevisionHistory,
  SyncStatus,
} from './status.ts';
export { parseYaml } from './yaml.ts';
