/**
 * A real Kubernetes control plane on loopback for tests: etcd, kube-apiserver, kube-controller-manager.
 *
 *   node test/support/real-cluster.ts --serve    start one, print where it is as a line of JSON, stop at end of stdin
 *
 * `ARGOSY_REAL_CLUSTER=<dir>` (the `dir` of that line) makes `startRealCluster` attach to it instead of starting one.
 */
import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditEvent, auditReader } from './real-audit.ts';
import { auditPolicy, kubeconfigOf } from './real-files.ts';
import { findBinary, freePorts, Nursery, type Program, untilReady } from './real-processes.ts';

export interface RealClusterOptions {
  /** Start kube-controller-manager too (default true). */
  readonly controllers?: boolean;
  /** Let etcd wait for the disk as in production: for benchmarks (default false). */
  readonly fsync?: boolean;
  /** Keep an audit log (default true); benchmarks may do without. */
  readonly audit?: boolean;
  /** More users of the static token file, beside the admin. */
  readonly users?: readonly { readonly token: string; readonly name: string; readonly groups: readonly string[] }[];
  /** Appended to kube-apiserver's arguments. */
  readonly apiServerArgs?: readonly string[];
  /** Never attach to a shared cluster, even if `ARGOSY_REAL_CLUSTER` names one (default false). */
  readonly own?: boolean;
}

export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RealCluster {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  /** A member of system:masters. */
  readonly adminToken: string;
  /** Path of a kubeconfig for the admin. */
  readonly kubeconfig: string;
  readonly dir: string;
  kubectl(args: readonly string[], options?: { as?: string; input?: string }): Promise<KubectlResult>;
  /** What the audit log says since this process attached; writes are flushed before they are answered. */
  audit(): AuditEvent[];
  /** Forgets history up to now, so that old continue tokens and revisions have expired. */
  compact(): Promise<void>;
  restartApiServer(): Promise<void>;
  /** Kills etcd and starts it again on the same data. */
  restartEtcd(): Promise<void>;
  stop(): Promise<void>;
}

interface Place {
  readonly dir: string;
  readonly url: string;
  readonly etcdUrl: string;
  readonly adminToken: string;
}

/** Starts a cluster, or attaches to the one `ARGOSY_REAL_CLUSTER` names if no special options are asked for. */
export async function startRealCluster(options: RealClusterOptions = {}): Promise<RealCluster> {
  const shared = process.env['ARGOSY_REAL_CLUSTER'];
  const special = Object.keys(options).length > 0;
  if (shared !== undefined && shared !== '' && !special) return attach(shared);
  return startOwn(options);
}

const notOurs = (): Promise<void> =>
  Promise.reject(new Error('a shared cluster is not restarted; start one with {own: true}'));

function attach(dir: string): RealCluster {
  const place = JSON.parse(readFileSync(join(dir, 'cluster.json'), 'utf8')) as Place; // written by startOwn
  return faceOf(place, {
    restartApiServer: notOurs,
    restartEtcd: notOurs,
    stop: () => Promise.resolve(),
  });
}

async function startOwn(options: RealClusterOptions): Promise<RealCluster> {
  const dir = mkdtempSync(join(tmpdir(), 'argosy-real-'));
  const nursery = new Nursery(dir);
  const stop = (): Promise<void> => nursery.close();
  try {
    const [etcdPort = 0, peerPort = 0, apiPort = 0, managerPort = 0] = await freePorts(4);
    const place: Place = {
      dir,
      url: `https://127.0.0.1:${apiPort}`,
      etcdUrl: `http://127.0.0.1:${etcdPort}`,
      adminToken: randomBytes(24).toString('hex'),
    };
    writeFiles(place, options);
    const runEtcd = (): Promise<Program> =>
      startEtcd(nursery, place, `http://127.0.0.1:${peerPort}`, options.fsync === true);
    let etcd = await runEtcd();
    let apiServer = await startApiServer(nursery, place, apiPort, options);
    const ca = readFileSync(join(dir, 'certs/apiserver.crt'), 'utf8');
    writeFileSync(join(dir, 'kubeconfig'), kubeconfigOf(place.url, ca, place.adminToken), { mode: 0o600 });
    writeFileSync(join(dir, 'cluster.json'), JSON.stringify(place), { mode: 0o600 });
    if (options.controllers !== false) await startManager(nursery, place, managerPort);
    const restartApiServer = async (): Promise<void> => {
      await apiServer.stop();
      apiServer = await startApiServer(nursery, place, apiPort, options);
    };
    const restartEtcd = async (): Promise<void> => {
      await etcd.stop();
      etcd = await runEtcd();
    };
    return faceOf(place, { restartApiServer, restartEtcd, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

function faceOf(place: Place, life: Pick<RealCluster, 'restartApiServer' | 'restartEtcd' | 'stop'>): RealCluster {
  const { dir, url, adminToken } = place;
  return {
    url,
    dir,
    adminToken,
    ca: readFileSync(join(dir, 'certs/apiserver.crt'), 'utf8'),
    kubeconfig: join(dir, 'kubeconfig'),
    kubectl: (args, options) => kubectl(join(dir, 'kubeconfig'), args, options),
    audit: auditReader(join(dir, 'audit.log')),
    compact: () => compact(place.etcdUrl),
    ...life,
  };
}

function writeFiles({ dir, adminToken }: Place, options: RealClusterOptions): void {
  mkdirSync(join(dir, 'certs'));
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  writeFileSync(join(dir, 'sa.key'), privateKey, { mode: 0o600 });
  writeFileSync(join(dir, 'sa.pub'), publicKey);
  writeFileSync(join(dir, 'audit-policy.json'), JSON.stringify(auditPolicy));
  const users = [{ token: adminToken, name: 'kubernetes-admin', groups: ['system:masters'] }, ...(options.users ?? [])];
  const lines = users.map(({ token, name, groups }) => `${token},${name},${name},"${groups.join(',')}"`);
  writeFileSync(join(dir, 'tokens.csv'), `${lines.join('\n')}\n`, { mode: 0o600 });
}

async function startEtcd(nursery: Nursery, { dir, etcdUrl }: Place, peers: string, fsync: boolean): Promise<Program> {
  const args = [
    '--name=argosy',
    `--data-dir=${join(dir, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=argosy=${peers}`,
    `--unsafe-no-fsync=${!fsync}`,
    '--log-level=warn',
    '--quota-backend-bytes=4294967296',
  ];
  const program = nursery.start('etcd', findBinary('etcd', 'ETCD'), args, join(dir, 'etcd.log'));
  await untilReady(program, async () => (await fetch(`${etcdUrl}/health`)).ok);
  return program;
}

async function startApiServer(
  nursery: Nursery,
  place: Place,
  port: number,
  options: RealClusterOptions,
): Promise<Program> {
  const { dir, etcdUrl } = place;
  const audit = [
    `--audit-policy-file=${join(dir, 'audit-policy.json')}`,
    `--audit-log-path=${join(dir, 'audit.log')}`,
    '--audit-log-mode=blocking',
    '--audit-log-maxsize=100000',
  ];
  const args = [
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(dir, 'certs')}`,
    // Endpoints of the service `kubernetes` may not be on loopback, and nobody routes to them here.
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${join(dir, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(dir, 'sa.key')}`,
    `--token-auth-file=${join(dir, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--allow-privileged=true',
    ...(options.audit === false ? [] : audit),
    ...(options.apiServerArgs ?? []),
  ];
  const binary = findBinary('kube-apiserver', 'KUBE_APISERVER');
  const program = nursery.start('kube-apiserver', binary, args, join(dir, 'kube-apiserver.log'));
  await untilReady(program, () => answersOk(`${place.url}/readyz`, place.adminToken));
  return program;
}

async function startManager(nursery: Nursery, { dir }: Place, port: number): Promise<void> {
  const args = [
    `--kubeconfig=${join(dir, 'kubeconfig')}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(dir, 'certs-manager')}`,
    '--leader-elect=false',
    '--use-service-account-credentials=false',
    `--service-account-private-key-file=${join(dir, 'sa.key')}`,
    `--root-ca-file=${join(dir, 'certs/apiserver.crt')}`,
    '--allocate-node-cidrs=false',
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
    '--concurrent-gc-syncs=10',
    // Nobody has nodes, volumes or clouds here; what is left starts faster without their controllers.
    '--controllers=*,-node-ipam-controller,-node-lifecycle-controller,-node-route-controller,-service-lb-controller,-cloud-node-lifecycle-controller,-persistentvolume-attach-detach-controller,-persistentvolume-expander-controller,-ttl-controller',
  ];
  const binary = findBinary('kube-controller-manager', 'KUBE_CONTROLLER_MANAGER');
  const program = nursery.start('kube-controller-manager', binary, args, join(dir, 'kube-controller-manager.log'));
  await untilReady(program, () => answersOk(`https://127.0.0.1:${port}/healthz`, ''));
}

/** Only for readiness, before the certificate is known to anyone: everything else verifies it. */
function answersOk(url: string, token: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
    const asking = request(url, { headers, rejectUnauthorized: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asking.on('timeout', () => asking.destroy(new Error('timed out')));
    asking.on('error', reject);
    asking.end();
  });
}

/** Runs kubectl with a deadline and gives what it said. */
export function kubectl(
  kubeconfig: string,
  args: readonly string[],
  options: { as?: string; input?: string } = {},
): Promise<KubectlResult> {
  const common = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${kubeconfig}.cache`];
  const all = [...common, ...(options.as === undefined ? [] : [`--as=${options.as}`]), ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(findBinary('kubectl', 'KUBECTL'), all, { timeout: 120_000, killSignal: 'SIGKILL' });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}

async function compact(etcdUrl: string): Promise<void> {
  const ask = async (path: string, body: object): Promise<{ header?: { revision?: string } }> => {
    const response = await fetch(`${etcdUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`etcd answered ${response.status} to ${path}: ${await response.text()}`);
    return (await response.json()) as { header?: { revision?: string } }; // etcd's own gateway
  };
  const key = Buffer.from('compact_rev_key').toString('base64');
  const { header } = await ask('/v3/kv/range', { key });
  const revision = header?.revision ?? '0';
  // kube-apiserver drops its snapshots in memory by this key, the same way as after its own compactions.
  await ask('/v3/kv/put', { key, value: Buffer.from(revision).toString('base64') });
  await ask('/v3/kv/compaction', { revision, physical: true });
}

async function serve(): Promise<void> {
  const cluster = await startRealCluster({ own: true });
  const { dir, url, kubeconfig } = cluster;
  const end = async (): Promise<void> => {
    await cluster.stop();
    process.exit(0);
  };
  process.removeAllListeners('SIGTERM');
  process.on('SIGTERM', () => void end());
  process.stdin.on('end', () => void end());
  process.stdin.resume();
  // Said last: whoever reads it may ask for the end at once, and must be heard.
  console.log(JSON.stringify({ dir, url, kubeconfig }));
}

if (process.argv[1] === import.meta.filename && process.argv.includes('--serve')) await serve();
