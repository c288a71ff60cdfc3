import { type Cluster, inClusterServer } from '../../core/api/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import type { Credential, KubeConfig } from '../../kube/index.ts';

/** How to reach the cluster of a Secret. Whether it may be used was decided before; here its fields become a config. */
export function kubeConfigOf(cluster: Cluster): KubeConfig {
  const { tlsClientConfig: tls, proxyUrl } = cluster.config;
  return {
    server: cluster.server,
    caData: tls?.caData === undefined ? undefined : Buffer.from(tls.caData, 'base64'),
    insecure: tls?.insecure,
    tlsServerName: tls?.serverName,
    proxyUrl,
    credential: credentialOf(cluster),
  };
}

/**
 * Tells whether a Secret means our own connection: one of the control plane for the cluster we run in that brings no
 * credential only says what of it is looked at, as in Argo CD.
 */
export function isOwnCluster(cluster: Cluster | undefined): boolean {
  if (cluster === undefined) return true;
  return !cluster.tenant && cluster.server === inClusterServer && credentialOf(cluster).type === 'none';
}

function credentialOf({ config, namespace, secret }: Cluster): Credential {
  const { bearerToken, username, password, tlsClientConfig: tls, execProviderConfig: exec } = config;
  if (bearerToken !== undefined && !bearerToken.isEmpty) return { type: 'token', token: bearerToken.reveal() };
  if (username !== undefined && username !== '') return { type: 'basic', username, password: password?.reveal() ?? '' };
  if (tls?.certData !== undefined && tls.keyData !== undefined) {
    return {
      type: 'certificate',
      cert: Buffer.from(tls.certData, 'base64'),
      key: Buffer.from(tls.keyData.reveal(), 'base64'),
    };
  }
  if (exec?.command !== undefined) {
    const { command, args = [], env = {}, apiVersion = 'client.authentication.k8s.io/v1' } = exec;
    return { type: 'exec', exec: { command, args, env, apiVersion } };
  }
  if (config.awsAuthConfig !== undefined) {
    throw new ArgosyError(
      'config-invalid',
      `cluster Secret ${namespace}/${secret}: awsAuthConfig is not supported; use execProviderConfig`,
    );
  }
  return { type: 'none' };
}
