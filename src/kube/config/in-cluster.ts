import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { ArgosyError } from '../../core/errors/index.ts';
import type { KubeConfig } from '../types.ts';
import { sealedConfig } from './secrecy.ts';

const accountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** What a pod's environment says; `config` reads it and hands it in. */
export interface PodSurroundings {
  /** `KUBERNETES_SERVICE_HOST`. */
  readonly host: string | undefined;
  /** `KUBERNETES_SERVICE_PORT`. */
  readonly port: string | undefined;
  /** Where the service account is mounted; tests say elsewhere. */
  readonly folder?: string | undefined;
}

/** The configuration of the pod we run in. Its token is read again as the kubelet rotates it. */
export async function inClusterConfig(pod: PodSurroundings): Promise<KubeConfig> {
  if (!pod.host || !pod.port)
    throw new ArgosyError('config-invalid', 'not running inside a cluster: no KUBERNETES_SERVICE_HOST and _PORT', {
      hint: 'name a kubeconfig with --kubeconfig',
    });
  const folder = pod.folder ?? accountFolder;
  const host = isIP(pod.host) === 6 ? `[${pod.host}]` : pod.host;
  const namespace = (await readFile(join(folder, 'namespace'), 'utf8').catch(() => '')).trim();
  return sealedConfig({
    server: `https://${host}:${pod.port}`,
    caData: await readFile(join(folder, 'ca.crt')).catch(() => undefined), // without it the system's authorities decide
    namespace: namespace === '' ? undefined : namespace,
    credential: { type: 'token-file', path: join(folder, 'token') },
  });
}
