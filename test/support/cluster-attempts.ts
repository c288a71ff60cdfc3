import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Controller } from '../../src/controller/index.ts';
import { isArgosyError } from '../../src/core/errors/index.ts';
import { connect } from '../../src/kube/index.ts';
import { startInstallation } from '../../src/main/controller.ts';
import { createLogger, createMetrics, type Metrics } from '../../src/telemetry/index.ts';
import { gate } from './attempts.ts';
import { createTestRepository, type TestRepository } from './git-repository.ts';
import { type HostileCluster, startHostileCluster } from './hostile-cluster.ts';
import { type AppView, appView, isSynced, type Stage, tokenOf, until } from './story.ts';
import { configMap, openThreat, openWatchedStage, type Threat } from './threat.ts';

/**
 * The setting of attempts with cluster Secrets: two teams have one each for the same address, every line the controller
 * logs is kept, and the attacker can run servers that only call themselves clusters.
 */
export class ClusterAttempts {
  readonly stage: Stage;
  readonly threat: Threat;
  readonly repository: TestRepository;
  readonly metrics: Metrics = createMetrics();
  readonly log: string[] = [];
  /** The token of each team's account in its own namespace. */
  readonly tokens: Record<string, string> = {};
  readonly #cacheDir = mkdtempSync(join(tmpdir(), 'argosy-clusters-'));
  readonly #hostile: HostileCluster[] = [];
  #controller: Controller | undefined;

  private constructor(stage: Stage, threat: Threat, repository: TestRepository) {
    this.stage = stage;
    this.threat = threat;
    this.repository = repository;
  }

  /** Opens it with both teams' first Applications Synced. */
  static async open(): Promise<ClusterAttempts> {
    const stage = await openWatchedStage();
    const repository = createTestRepository({
      'shop/one.yaml': configMap('shop'),
      'waves/one.yaml': configMap('wave-1'),
      'waves/gate.yaml': gate,
      'waves/two.yaml': configMap('wave-2', 'annotations: {argocd.argoproj.io/sync-wave: "2"}'),
      'last/one.yaml': configMap('last'),
    });
    const threat = await openThreat(stage, 'clu', ['a', 'b'].map(account).join(''));
    const attempts = new ClusterAttempts(stage, threat, repository);
    try {
      await attempts.#begin();
    } catch (error) {
      await attempts.close();
      throw error;
    }
    return attempts;
  }

  async #begin(): Promise<void> {
    const { stage, tokens, metrics, log } = this;
    await stage.patch('ConfigMap', 'clu-argocd', 'argocd-cm', {
      data: { 'cluster.tenant.allowedHosts': '127.0.0.1:*' },
    });
    await stage.apply(
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cmd-params-cm, namespace: clu-argocd}\ndata: {application.namespaces: "clu-a,clu-b"}\n',
    );
    for (const team of ['a', 'b']) tokens[team] = await tokenOf(stage, `clu-${team}-prod`, 'remote');
    this.#controller = startInstallation({
      connection: stage.connection,
      installation: { controlPlane: 'clu-argocd' },
      cacheDir: this.#cacheDir,
      log: createLogger({ level: 'debug', write: (line) => void log.push(line) }),
      metrics,
      pollMs: 300,
      version: 'test',
    });
    await this.#controller.ready;
    for (const team of ['a', 'b']) await stage.apply(this.secret(team, 'real'));
    for (const team of ['a', 'b']) await stage.apply(this.application(team, 'shop', 'real'));
    for (const team of ['a', 'b']) await until(() => this.view(team, 'shop'), isSynced, 120_000);
  }

  /** A team's Application as the controller tells it. */
  view(team: string, name: string): Promise<AppView | undefined> {
    return appView(this.stage, `clu-${team}`, name);
  }

  /** The neighbour's next change arrives, whatever the attacker's clusters do. */
  async neighbourIsServed(change = `at: "${Date.now()}"`): Promise<string> {
    const revision = this.repository.commit({ 'shop/one.yaml': configMap('shop', '', change) });
    await until(
      () => this.view('b', 'shop'),
      (app) => isSynced(app) && app?.status?.sync?.revision === revision,
      60_000,
    );
    return revision;
  }

  /** Starts a server that calls itself a cluster, with the attacker's Secret and Application for it. */
  async attackWith(name: string, answer: Parameters<typeof startHostileCluster>[0]): Promise<HostileCluster> {
    const cluster = await this.bait(answer);
    await this.threat.tenant.apply(this.secret('a', name, { server: cluster, token: `${canary}-${name}` }));
    await this.threat.tenant.apply(this.application('a', name, name));
    return cluster;
  }

  /** Starts a server that calls itself a cluster, and nothing that leads there. */
  async bait(answer: Parameters<typeof startHostileCluster>[0]): Promise<HostileCluster> {
    const cluster = await startHostileCluster(answer);
    this.#hostile.push(cluster);
    return cluster;
  }

  /** Takes the attacker's Application and Secret away again. */
  async withdraw(name: string): Promise<void> {
    await this.threat.tenant.remove('Application', 'clu-a', name);
    await this.threat.tenant.remove('Secret', 'clu-a', name);
  }

  /** Whether the API server still takes the token of a team: it may remember one for some seconds. */
  async isAccepted(team: string): Promise<boolean> {
    const { url, ca } = this.stage.cluster;
    const credential = { type: 'token', token: this.tokens[team] ?? '' } as const;
    const connection = connect({ server: url, caData: Buffer.from(ca), credential });
    const answer = await connection.discover({ fresh: true }).then(
      () => true,
      (error: unknown) => !(isArgosyError(error) && error.code === 'kube-unauthorized'),
    );
    await connection.close();
    return answer;
  }

  /** Makes a team's account anew, after it was taken away, and asks for its token. */
  async renewAccount(team: string): Promise<void> {
    await this.stage.apply(account(team));
    this.tokens[team] = await tokenOf(this.stage, `clu-${team}-prod`, 'remote');
  }

  /** A cluster Secret of a team; for the cluster of the stage, with the team's own token, unless told. */
  secret(
    team: string,
    name: string,
    { server, token = this.tokens[team] ?? '' }: { server?: HostileCluster; token?: string } = {},
  ): string {
    const { url, ca } = server ?? this.stage.cluster;
    const config = JSON.stringify({
      bearerToken: token,
      tlsClientConfig: { caData: Buffer.from(ca).toString('base64') },
    });
    return `
apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: clu-${team}, labels: {argocd.argoproj.io/secret-type: cluster}}
stringData: {name: ${name}, server: '${url}', project: clu-${team}-ext, namespaces: clu-${team}-prod, config: '${config}'}
`;
  }

  /** An Application of a team for a cluster by its name; it takes the path of its own name where there is one. */
  application(team: string, name: string, cluster: string): string {
    const path = ['waves', 'last'].includes(name) ? name : 'shop';
    return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: clu-${team}}
spec:
  project: clu-${team}-ext
  source: {repoURL: '${this.repository.url}', path: ${path}, targetRevision: main}
  destination: {name: ${cluster}, namespace: clu-${team}-prod}
  syncPolicy: {automated: {}, retry: {limit: 0}}
`;
  }

  async close(): Promise<void> {
    await this.#controller?.stop();
    for (const cluster of this.#hostile) await cluster.close();
    await this.threat.close();
    await this.stage.stop();
    this.repository.remove();
    rmSync(this.#cacheDir, { recursive: true, force: true });
  }
}

/** Every token the attacker writes holds it, so that it can be looked for wherever something is told. */
export const canary = 'c4n4ry-t0k3n';

function account(team: string): string {
  return `---
apiVersion: v1
kind: Namespace
metadata: {name: clu-${team}-prod}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: remote, namespace: clu-${team}-prod}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: remote, namespace: clu-${team}-prod}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{kind: ServiceAccount, name: remote, namespace: clu-${team}-prod}]
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: clu-${team}-ext, namespace: clu-argocd}
spec:
  sourceNamespaces: [clu-${team}]
  sourceRepos: ['*']
  destinations: [{name: '*', namespace: 'clu-*-prod'}]
`;
}
