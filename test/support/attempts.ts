import { createTestRepository, type TestRepository } from './git-repository.ts';
import { type AppView, appView, isSynced, type Stage, until } from './story.ts';
import { attack, configMap, openThreat, openWatchedStage, type Threat } from './threat.ts';

/**
 * What stories of a tenant's attempts share: the threat model with a controller on it, a repository that the attacker
 * may use, something of the neighbour's to spy on, and two Applications of others who must not notice anything.
 */
export interface Attempts {
  readonly stage: Stage;
  readonly threat: Threat;
  readonly repository: TestRepository;
  /** The attacker's Application of a path in the repository; the path bears its name unless told. */
  mine(name: string, path?: string, more?: Parameters<typeof attack>[3]): string;
  /** An Application of somebody else. */
  neighbour(name: string, place: { namespace: string; path: string; to: string; options?: string }): string;
  /** Whether an object is in the cluster. */
  here(kind: string, namespace: string, name: string): Promise<boolean>;
  /** Puts the attacker's project back as the platform made it. */
  restoreProject(): Promise<void>;
  close(): Promise<void>;
}

/** A Service that never becomes healthy where there is no load balancer, and is gone as soon as it is deleted. */
export const gate =
  'apiVersion: v1\nkind: Service\nmetadata: {name: gate, annotations: {argocd.argoproj.io/sync-wave: "1"}}\nspec: {type: LoadBalancer, ports: [{port: 80}]}\n';

/** Opens the setting under names that begin with `name`, with these files in the repository. */
export async function openAttempts(name: string, files: Record<string, string>): Promise<Attempts> {
  const stage = await openWatchedStage();
  const repository = createTestRepository({
    'good/one.yaml': configMap('one'),
    'stolen/plat.yaml': configMap('plat'),
    ...files,
  });
  const threat = await openThreat(stage, name);
  const attempts = attemptsOn(stage, threat, repository);
  try {
    await raiseCurtain(attempts);
  } catch (error) {
    await attempts.close();
    throw error;
  }
  return attempts;
}

function attemptsOn(stage: Stage, threat: Threat, repository: TestRepository): Attempts {
  const source = (path: string): string => `repoURL: '${repository.url}', path: ${path}, targetRevision: main`;
  return {
    stage,
    threat,
    repository,
    mine: (name, path = name, more = {}) => attack(threat, name, source(path), more),
    neighbour: (name, { namespace, path, to, options = '[]' }) => `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  project: ${namespace === `${threat.name}-argocd` ? `${threat.name}-plat` : namespace}
  source: {${source(path)}}
  destination: {server: https://kubernetes.default.svc, namespace: ${to}}
  syncPolicy: {automated: {}, syncOptions: ${options}}
`,
    here: async (kind, namespace, name) => (await stage.get(kind, namespace, name)) !== undefined,
    restoreProject: () => stage.apply(project(`${threat.name}-a`, `${threat.name}-argocd`, repository.url)),
    async close() {
      await threat.close();
      await stage.stop();
      repository.remove();
    },
  };
}

async function raiseCurtain({ stage, threat: { name }, neighbour, restoreProject }: Attempts): Promise<void> {
  await restoreProject();
  await stage.apply(configMap('canary', `namespace: ${name}-b`, 'secret: c4n4ry-b'));
  await stage.apply(
    `apiVersion: v1\nkind: Secret\nmetadata: {name: canary, namespace: ${name}-b}\nstringData: {key: c4n4ry-s}\n`,
  );
  await stage.start({ controlPlane: `${name}-argocd`, appNamespaces: [`${name}-a`, `${name}-b`] });
  await stage.apply(neighbour('plat', { namespace: `${name}-argocd`, path: 'stolen', to: `${name}-plat` }));
  await stage.apply(neighbour('good', { namespace: `${name}-b`, path: 'good', to: `${name}-b` }));
  await until(() => appView(stage, `${name}-argocd`, 'plat'), isSynced, 120_000);
  await until(() => appView(stage, `${name}-b`, 'good'), isSynced, 120_000);
}

function project(team: string, controlPlane: string, repository: string): string {
  const destination = { server: 'https://kubernetes.default.svc', namespace: team };
  const spec = {
    sourceNamespaces: [team],
    sourceRepos: [repository],
    destinations: [destination],
    destinationServiceAccounts: [{ ...destination, defaultServiceAccount: 'deployer' }],
  };
  return `apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: ${team}, namespace: ${controlPlane}}\nspec: ${JSON.stringify(spec)}\n`;
}

/** How the last operation of an Application stands, as `phase: message`. */
export function operationOf(app: AppView): string {
  return `${app.status?.operationState?.phase}: ${app.status?.operationState?.message}`;
}
