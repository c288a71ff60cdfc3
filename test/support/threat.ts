import assert from 'node:assert/strict';
import { loadAll } from 'js-yaml';
import type { KubeObject } from '../../src/core/objects/index.ts';
import { connect, readKubeconfig } from '../../src/kube/index.ts';
import type { AuditEvent } from './real-audit.ts';
import {
  type AppView,
  appView,
  conditionsOf,
  kindOf,
  openStage,
  personOf,
  type Stage,
  tokenOf,
  until,
} from './story.ts';
import { deployer, namespaces } from './tenant.ts';
import { testCluster } from './test-cluster.ts';

/**
 * The setting of the threat model: the control plane `<name>-argocd`, a platform that deploys to `<name>-plat`, and two
 * teams whose Applications and objects live in `<name>-a` and `<name>-b`, deployed as the account `deployer` there.
 */
export interface Threat {
  readonly name: string;
  /** The attacker: a person with rights in `<name>-a` only. */
  readonly tenant: Awaited<ReturnType<typeof personOf>>;
  /** An Application of the attacker as the controller tells it. */
  view(name: string): Promise<AppView | undefined>;
  /** Waits until an Application of the attacker is as asked for. */
  seen(name: string, good: (app: AppView) => boolean): Promise<AppView>;
  /** Sends the attacker home. */
  close(): Promise<void>;
  /** Every write of ours that breaks the invariants; empty unless something went wrong. */
  trespasses(): string[];
}

/** Whom the controller runs as, where it is not the administrator: a service account and what it may do. */
export interface ControllerAccount {
  readonly namespace: string;
  readonly name: string;
  readonly yaml: string;
}

/** A stage whose controller can be told from the story by its user agent. */
export async function openWatchedStage(account?: ControllerAccount): Promise<Stage> {
  const cluster = await testCluster();
  const config = await readKubeconfig(cluster.kubeconfig);
  if (account === undefined) return openStage({ cluster, through: connect(config, { version: 'controller' }) });
  const admin = connect(config);
  for (const object of loadAll(account.yaml) as KubeObject[])
    await admin.apply(await kindOf(admin, object.kind), object, { fieldManager: 'story', force: true });
  const token = await tokenOf({ connection: admin }, account.namespace, account.name);
  await admin.close();
  const through = connect({ ...config, credential: { type: 'token', token } }, { version: 'controller' });
  return openStage({ cluster, through });
}

/** Sets the stage: everything of the threat model but the controller, which the story starts. */
export async function openThreat(stage: Stage, name: string, more = ''): Promise<Threat> {
  await stage.apply(platform(name));
  if (more !== '') await stage.apply(more);
  const tenant = await personOf(stage, `${name}-a`, 'tenant', 'tenant');
  const view = (app: string): Promise<AppView | undefined> => appView(stage, `${name}-a`, app);
  return {
    name,
    tenant,
    view,
    seen: async (app, good) => {
      const found = await until(
        () => view(app),
        (each) => each !== undefined && good(each),
        60_000,
      );
      assert.ok(found);
      return found;
    },
    close: () => tenant.connection.close(),
    trespasses: () => stage.cluster.audit().flatMap((event) => trespass(event, name)),
  };
}

/** All conditions of an Application in one text. */
export function conditionText(app: AppView | undefined): string {
  return conditionsOf(app).join('\n');
}

/** The attacker's Application in `<name>-a`. */
export function attack(
  threat: Pick<Threat, 'name'>,
  name: string,
  source: string,
  { project = `${threat.name}-a`, namespace = `${threat.name}-a`, policy = 'automated: {}', metadata = '' } = {},
): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ${threat.name}-a${metadata === '' ? '' : `, ${metadata}`}}
spec:
  project: ${project}
  source: {${source}}
  destination: {server: https://kubernetes.default.svc, namespace: ${namespace}}
  syncPolicy: {${policy}}
`;
}

/** A ConfigMap as it stands in a repository. */
export function configMap(name: string, metadata = '', data = 'greeting: hello'): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${metadata === '' ? '' : `, ${metadata}`}}\ndata: {${data}}\n`;
}

const reading = ['get', 'list', 'watch'];
/** The controller itself, and its connections to clusters of Secrets. */
const ours = ['argosy/controller', 'argosy/test'];
const bookkeeping = ['applications', 'appprojects', 'events'];

/** What of a write of ours is against I1 or I2; nothing for all that is in order. */
function trespass(event: AuditEvent, name: string): string[] {
  const { verb, objectRef, impersonatedUser, userAgent, user } = event;
  if (!ours.includes(userAgent ?? '') || reading.includes(verb)) return [];
  const { namespace = '', resource = '' } = objectRef ?? {};
  // Other stories may run beside this one.
  if (!namespace.startsWith(`${name}-`) && !impersonatedUser?.username.includes(`:${name}-`)) return [];
  const said = `${verb} ${resource} ${namespace}/${objectRef?.name ?? ''} as ${impersonatedUser?.username ?? user.username}`;
  if (impersonatedUser !== undefined)
    return impersonatedUser.username === `system:serviceaccount:${namespace}:deployer` ||
      event.responseStatus?.code === 403
      ? []
      : [said];
  if (resource.endsWith('accessreviews') || bookkeeping.includes(resource)) return [];
  // A tenant's own cluster Secret is a credential of its own, and the story's to judge.
  return event.responseStatus?.code === 401 || user.username?.startsWith(`system:serviceaccount:${namespace}:`)
    ? []
    : [said];
}

function platform(name: string): string {
  const spaces = namespaces(...['argocd', 'plat', 'a', 'b'].map((part) => `${name}-${part}`));
  const deployers = ['plat', 'a', 'b'].map((part) => deployer(`${name}-${part}/deployer`)).join('');
  const projects = [
    project(name, 'plat', `sourceNamespaces: []`),
    project(name, 'a', `sourceNamespaces: [${name}-a]`),
    project(name, 'b', `sourceNamespaces: [${name}-b]`),
  ].join('');
  return `${spaces}${deployers}${projects}---
apiVersion: v1
kind: ServiceAccount
metadata: {name: tenant, namespace: ${name}-a}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: tenant, namespace: ${name}-a}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}
subjects: [{kind: ServiceAccount, name: tenant, namespace: ${name}-a}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: tenant, namespace: ${name}-a}
rules: [{apiGroups: [argoproj.io], resources: ['*'], verbs: ['*']}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: tenant-applications, namespace: ${name}-a}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: tenant}
subjects: [{kind: ServiceAccount, name: tenant, namespace: ${name}-a}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: ${name}-argocd, labels: {app.kubernetes.io/part-of: argocd}}
data: {application.sync.impersonation.enabled: "true", source.allowedHosts: "file:, 127.0.0.1:*"}
`;
}

function project(name: string, part: string, who: string): string {
  const destination = `server: https://kubernetes.default.svc, namespace: ${name}-${part}`;
  return `---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: ${name}-${part}, namespace: ${name}-argocd}
spec:
  ${who}
  sourceRepos: ['*']
  destinations: [{${destination}}]
  destinationServiceAccounts: [{${destination}, defaultServiceAccount: deployer}]
`;
}
