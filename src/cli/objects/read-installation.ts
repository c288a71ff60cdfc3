import { isArgosyError } from '../../core/errors/index.ts';
import type { JsonObject } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import {
  applications,
  appProjects,
  configMaps,
  connect,
  controlDoor,
  readKubeconfig,
  secrets,
} from '../../kube/index.ts';

/** Where a running installation is. */
export interface InstallationSource {
  readonly kubeconfig: string | readonly string[];
  readonly context: string | undefined;
  readonly controlPlane: string;
  readonly signal: AbortSignal;
}

const settings = ['argocd-cm', 'argocd-cmd-params-cm', 'argocd-rbac-cm'];

/** Reads Applications and cluster Secrets of all namespaces, and the projects and settings, as the person who asks. */
export async function readInstallation(source: InstallationSource): Promise<readonly JsonObject[]> {
  const { kubeconfig, context, controlPlane, signal } = source;
  const connection = connect(await readKubeconfig(kubeconfig, { context }));
  const objects: JsonObject[] = [];
  const keep = (item: KubeObject): void => void objects.push(asJson(item));
  try {
    const reader = controlDoor(connection);
    // Half of what is there would be moved half: whatever cannot be read stops it.
    await reader.list(applications, { signal }, keep);
    await reader.list(appProjects, { namespace: controlPlane, signal }, keep);
    const labelSelector = 'argocd.argoproj.io/secret-type=cluster';
    await reader.list(secrets, { labelSelector, signal }, keep);
    for (const name of settings) {
      const map = reader.get(configMaps, controlPlane, name, { signal });
      const found = await map.catch((error: unknown) => {
        if (isArgosyError(error) && error.code === 'kube-not-found') return undefined;
        throw error;
      });
      if (found !== undefined) keep(found);
    }
  } finally {
    await connection.close();
  }
  return objects;
}
