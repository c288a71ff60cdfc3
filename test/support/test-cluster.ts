import type { AuditEvent } from './real-audit.ts';
import type { KubectlResult } from './real-cluster.ts';

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
    const { startRealCluster } = await import('./real-cluster.ts');
    return { flavour, ...(await startRealCluster()) };
  }
  if (flavour !== 'embedded') throw new Error(`ARGOSY_TEST_CLUSTER is ${flavour}; it may be embedded or real`);
  throw new Error('the embedded cluster cannot be started yet');
}
