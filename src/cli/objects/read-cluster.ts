import { isArgosyError } from '../../core/errors/index.ts';
import type { JsonObject } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import {
  applications,
  appProjects,
  configMaps,
  connect,
  controlDoor,
  type Reader,
  readKubeconfig,
  secrets,
} from '../../kube/index.ts';

/** Where a running installation is and what is asked about it. */
export interface LiveSource {
  readonly kubeconfig: string | readonly string[];
  readonly context?: string | undefined;
  readonly controlPlane: string;
  /** Whose Secrets count besides the control plane's. */
  readonly namespace: string;
  /** The Application in that namespace, where one is asked about. */
  readonly application?: string | undefined;
  readonly signal: AbortSignal;
}

/** What was read, and the namespaces whose Secrets could not be. */
export interface LiveObjects {
  readonly objects: readonly JsonObject[];
  readonly unread: ReadonlyMap<string, string>;
}

const settings = ['argocd-cm', 'argocd-cmd-params-cm', 'argocd-rbac-cm'];
const secretLabel = 'argocd.argoproj.io/secret-type';

/** Reads what decides about one Application, or about a namespace's cluster Secrets, from a running installation, as the person who asks. */
export async function readCluster(source: LiveSource): Promise<LiveObjects> {
  const connection = connect(await readKubeconfig(source.kubeconfig, { context: source.context }));
  try {
    return await readAll(controlDoor(connection), source);
  } finally {
    await connection.close();
  }
}

async function readAll(reader: Reader, source: LiveSource): Promise<LiveObjects> {
  const { controlPlane, namespace: home, application, signal } = source;
  const objects: JsonObject[] = [];
  const keep = (item: KubeObject): void => void objects.push(asJson(item));
  if (application !== undefined) keep(await reader.get(applications, home, application, { signal }));
  await reader.list(appProjects, { namespace: controlPlane, signal }, keep);
  for (const name of settings)
    await optional(async () => keep(await reader.get(configMaps, controlPlane, name, { signal })));
  const unread = new Map<string, string>();
  for (const namespace of new Set([controlPlane, home])) {
    try {
      await reader.list(secrets, { namespace, labelSelector: secretLabel, signal }, keep);
    } catch (error) {
      if (!isArgosyError(error) || error.code !== 'kube-forbidden') throw error;
      unread.set(namespace, error.message);
    }
  }
  return { objects, unread };
}

/** An absent ConfigMap means defaults; anything else that fails is an error. */
async function optional(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!isArgosyError(error) || error.code !== 'kube-not-found') throw error;
  }
}
