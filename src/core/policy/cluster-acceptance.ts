import type { Acceptance, AppProject, Cluster, ClusterSecret, Snapshot } from '../api/index.ts';
import { serverProblem } from './cluster-server.ts';
import type { Recorder } from './fact.ts';
import { Namespaces } from './namespaces.ts';
import { note, quote } from './note.ts';
import { withinQuota } from './quota.ts';
import { isNamespaceName, isSubdomain } from './who.ts';

/** The part of a snapshot that says whether a cluster Secret may be used. */
export type AcceptanceInputs = Pick<
  Snapshot,
  'controlPlane' | 'appNamespaces' | 'tenantClusters' | 'settings' | 'projects'
>;

/** What one check found: the key it is about and the sentence for the Event. */
interface Problem {
  readonly key: string;
  readonly message: string;
}

type Check = (secret: ClusterSecret, context: Context) => Problem | undefined;

interface Context {
  readonly inputs: AcceptanceInputs;
  readonly watched: Namespaces;
}

/** More namespaces than this in one Secret are refused before anything is connected. */
const namespaceLimit = 1000;

/** Everything a tenant's Secret may hold; `shard` is tolerated and ignored. */
const allowedKeys: ReadonlySet<string> = new Set([
  'name',
  'server',
  'project',
  'namespaces',
  'clusterResources',
  'shard',
  'config',
  'config.bearerToken',
  'config.username',
  'config.password',
  'config.tlsClientConfig',
  'config.tlsClientConfig.caData',
  'config.tlsClientConfig.serverName',
  'config.tlsClientConfig.certData',
  'config.tlsClientConfig.keyData',
]);

const insecureKey = 'config.tlsClientConfig.insecure';

/** In this order; the first that finds something answers. */
const checks: readonly Check[] = [
  isWatched,
  hasAllowedKeys,
  hasProject,
  isListedByProject,
  hasServer,
  hasCredential,
  hasNamespaces,
  hasClusterResources,
];

function isWatched(secret: ClusterSecret, { inputs, watched }: Context): Problem | undefined {
  if (!inputs.tenantClusters)
    return {
      key: 'metadata.namespace',
      message: 'cluster Secrets outside the control-plane namespace are switched off',
    };
  if (watched.match(secret.namespace) !== undefined) return undefined;
  return {
    key: 'metadata.namespace',
    message: `namespace ${quote(secret.namespace)} is not among the application namespaces`,
  };
}

function hasAllowedKeys(secret: ClusterSecret, { inputs }: Context): Problem | undefined {
  const insecureAsked = secret.config.tlsClientConfig?.insecure === true;
  const key = secret.keys.find((written) => {
    // `insecure: false` asks for nothing, and common tools write it.
    if (written === insecureKey) return insecureAsked && !inputs.settings.outbound.tenantClusterInsecure;
    return !allowedKeys.has(written);
  });
  if (key === undefined) return undefined;
  return { key, message: `${quote(key)} is not permitted in a cluster Secret outside the control-plane namespace` };
}

function hasProject(secret: ClusterSecret): Problem | undefined {
  if (secret.project === '')
    return {
      key: 'project',
      message: 'project is required: a cluster Secret outside the control-plane namespace must be scoped to a project',
    };
  if (isSubdomain(secret.project)) return undefined;
  return { key: 'project', message: 'project is not the name of a project' };
}

/** One text for a missing project and one that does not list the namespace: which of the two is nobody's business. */
function isListedByProject(secret: ClusterSecret, { inputs }: Context): Problem | undefined {
  const project = inputs.projects.get(secret.project);
  if (project !== undefined && sourceNamespaces(project).match(secret.namespace) !== undefined) return undefined;
  return {
    key: 'project',
    message: `project ${quote(secret.project)} does not exist or does not permit namespace ${quote(secret.namespace)}`,
  };
}

function hasServer(secret: ClusterSecret, { inputs }: Context): Problem | undefined {
  const problem = serverProblem(secret.server, inputs.settings.outbound);
  return problem === undefined ? undefined : { key: 'server', message: `server ${problem}` };
}

/** Without a credential of its own a tenant's cluster would be met with somebody else's. */
function hasCredential({ config }: ClusterSecret): Problem | undefined {
  const { bearerToken, username = '', password, tlsClientConfig = {} } = config;
  const { certData = '', keyData } = tlsClientConfig;
  const basic = username !== '' && password?.isEmpty === false;
  const certificate = certData !== '' && keyData?.isEmpty === false;
  if (bearerToken?.isEmpty === false || basic || certificate) return undefined;
  return {
    key: 'config',
    message: 'config holds no credential: give bearerToken, or username and password, or certData and keyData',
  };
}

function hasNamespaces({ namespaces }: ClusterSecret): Problem | undefined {
  if (namespaces.length > namespaceLimit)
    return { key: 'namespaces', message: `namespaces lists more than ${namespaceLimit}` };
  const wrong = namespaces.find((namespace) => !isNamespaceName(namespace));
  return wrong === undefined
    ? undefined
    : { key: 'namespaces', message: `namespaces holds ${quote(wrong)}, which is no namespace` };
}

function hasClusterResources(secret: ClusterSecret, { inputs }: Context): Problem | undefined {
  if (!secret.clusterResources) return undefined;
  const project = inputs.projects.get(secret.project);
  if (project === undefined || permitsClusterKinds(inputs, project)) return undefined;
  return {
    key: 'clusterResources',
    message: `clusterResources is true, but project ${quote(secret.project)} permits no cluster-scoped kind`,
  };
}

/** Its own list, or that of any global project: whether one applies is decided where an object is. */
function permitsClusterKinds(inputs: AcceptanceInputs, project: AppProject): boolean {
  const globals = inputs.settings.globalProjects.map(({ projectName }) => inputs.projects.get(projectName));
  return [project, ...globals].some((each) => (each?.spec.clusterResourceWhitelist?.length ?? 0) > 0);
}

const listed = new WeakMap<AppProject, Namespaces>();

function sourceNamespaces(project: AppProject): Namespaces {
  let list = listed.get(project);
  if (list === undefined) {
    list = new Namespaces(project.spec.sourceNamespaces ?? []);
    listed.set(project, list);
  }
  return list;
}

const accepted: Acceptance = Object.freeze({ accepted: true });

/** Whether one cluster Secret may be used, quotas aside. The control plane's own always may. */
export function acceptCluster(inputs: AcceptanceInputs, secret: ClusterSecret, recorder?: Recorder): Acceptance {
  return judge({ inputs, watched: new Namespaces(inputs.appNamespaces) }, secret, recorder);
}

function judge(context: Context, secret: ClusterSecret, recorder: Recorder | undefined): Acceptance {
  const place = { object: `Secret ${secret.namespace}/${secret.secret}`, revision: secret.resourceVersion };
  const step = 'cluster secret';
  if (secret.namespace === context.inputs.controlPlane) {
    note(
      recorder,
      { ...place, field: 'metadata.namespace' },
      { step, compared: "the control plane's own Secrets are always accepted", decides: true },
    );
    return accepted;
  }
  for (const check of checks) {
    const problem = check(secret, context);
    if (problem === undefined) continue;
    note(
      recorder,
      { ...place, field: problem.key },
      { step, compared: problem.message, decides: true, change: `mend ${problem.key}` },
    );
    return { accepted: false, reason: problem.message };
  }
  note(
    recorder,
    { ...place, field: 'data' },
    { step, compared: "every rule for tenants' Secrets holds", decides: true },
  );
  return accepted;
}

/** Answers `acceptCluster` for many Secrets under the same rules, which are read once. */
export function clusterJudge(inputs: AcceptanceInputs): (secret: ClusterSecret) => Acceptance {
  const context = { inputs, watched: new Namespaces(inputs.appNamespaces) };
  return (secret) => judge(context, secret, undefined);
}

const judged = new WeakMap<ClusterSecret, Cluster>();

/**
 * All cluster Secrets with their acceptance, quotas counted: oldest first, per project. A Secret whose answer did not
 * change stays the same value, so that what is remembered about it stays valid. `known` tells answers the judge gave
 * before under these very rules.
 */
export function acceptClusters(
  inputs: AcceptanceInputs,
  secrets: readonly ClusterSecret[],
  known?: (secret: ClusterSecret) => Acceptance | undefined,
): readonly Cluster[] {
  const judgeNow = clusterJudge(inputs);
  const acceptances = secrets.map((secret) => known?.(secret) ?? judgeNow(secret));
  const over = overQuota(
    inputs,
    secrets.filter((_, i) => acceptances[i]?.accepted === true),
  );
  return secrets.map((secret, i) => settled(inputs, secret, over.get(secret) ?? acceptances[i] ?? accepted));
}

function settled(inputs: AcceptanceInputs, secret: ClusterSecret, acceptance: Acceptance): Cluster {
  const tenant = secret.namespace !== inputs.controlPlane;
  const before = judged.get(secret);
  if (before !== undefined && before.tenant === tenant && sameAcceptance(before.acceptance, acceptance)) return before;
  const cluster: Cluster = { ...secret, tenant, acceptance };
  judged.set(secret, cluster);
  return cluster;
}

function sameAcceptance(a: Acceptance, b: Acceptance): boolean {
  return a.accepted ? b.accepted : !b.accepted && a.reason === b.reason;
}

/** The tenants' Secrets a project's quota has no room for. The control plane's own do not count. */
function overQuota(
  inputs: AcceptanceInputs,
  secrets: readonly ClusterSecret[],
): ReadonlyMap<ClusterSecret, Acceptance> {
  const over = new Map<ClusterSecret, Acceptance>();
  const byProject = Map.groupBy(
    secrets.filter(({ namespace }) => namespace !== inputs.controlPlane),
    ({ project }) => project,
  );
  for (const [name, group] of byProject) {
    const limit = inputs.projects.get(name)?.spec.quota?.clusters;
    if (limit === undefined || group.length <= limit) continue;
    const aged = group.map((secret) => ({
      namespace: secret.namespace,
      name: secret.secret,
      creationTimestamp: secret.creationTimestamp,
      secret,
    }));
    const within = withinQuota(limit, aged);
    const reason = `project ${quote(name)} has a quota of ${limit} clusters, which older Secrets use up`;
    for (const each of aged) if (!within.has(each)) over.set(each.secret, { accepted: false, reason });
  }
  return over;
}
