import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditEvent, auditReader } from './real-audit.ts';
import { type KubectlResult, kubectl, startRealCluster } from './real-cluster.ts';

/** A cluster for conformance cases and stories: the embedded one, or the real one, with the same face. */
export interface TestCluster {
  readonly flavour: 'embedded' | 'real';
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  /** A member of system:masters. */
  readonly adminToken: string;
  /** Path of a kubeconfig for the admin. */
  readonly kubeconfig: string;
  kubectl(args: readonly string[], options?: { as?: string; input?: string }): Promise<KubectlResult>;
  audit(): AuditEvent[];
  /** Forgets history up to now, so that old continue tokens and revisions have expired. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the cluster that is asked for or that `ARGOSY_TEST_CLUSTER` names: `embedded` (the default) or `real`. */
export async function testCluster(asked?: TestCluster['flavour']): Promise<TestCluster> {
  const flavour = asked ?? process.env['ARGOSY_TEST_CLUSTER'] ?? 'embedded';
  if (flavour === 'real') {
    return { flavour, ...(await startRealCluster()) };
  }
  if (flavour !== 'embedded') throw new Error(`ARGOSY_TEST_CLUSTER is ${flavour}; it may be embedded or real`);
  return embedded();
}

async function embedded(): Promise<TestCluster> {
  const { startCluster } = await import('../../src/kubeserver/index.ts');
  const dir = mkdtempSync(join(tmpdir(), 'argosy-embedded-'));
  const [auditLog, kubeconfig] = [join(dir, 'audit.log'), join(dir, 'kubeconfig')];
  const faults: unknown[] = [];
  const cluster = await startCluster({
    auditLog,
    auditLevel: 'RequestResponse',
    // The real control plane has no node, no storage and no load balancer either.
    actors: { off: ['pod', 'claim', 'load-balancer'] },
    onFault: (fault) => faults.push(fault),
  });
  writeFileSync(kubeconfig, cluster.adminKubeconfig(), { mode: 0o600 });
  return {
    flavour: 'embedded',
    url: cluster.url,
    ca: cluster.caPem,
    adminToken: cluster.adminToken,
    kubeconfig,
    kubectl: (args, options) => kubectl(kubeconfig, args, options),
    audit: auditReader(auditLog),
    compact: async () => cluster.compact(),
    stop: async () => {
      await cluster.stop();
      rmSync(dir, { recursive: true, force: true });
      // A fault the server swallowed to stay alive is still a fault.
      if (faults.length > 0) throw new AggregateError(faults, `${faults.length} faults inside the embedded cluster`);
    },
  };
}
