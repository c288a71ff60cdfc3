import { isArgosyError } from '../../core/errors/index.ts';
import type { JsonObject } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { connect, controlDoor, type Reader, type Resource, readKubeconfig } from '../../kube/index.ts';

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

const kinds = {
  application: resource('argoproj.io', 'v1alpha1', 'Application', 'applications'),
  project: resource('argoproj.io', 'v1alpha1', 'AppProject', 'appprojects'),
  configMap: resource('', 'v1', 'ConfigMap', 'configmaps'),
  secret: resource('', 'v1', 'Secret', 'secrets'),
};

function resource(group: string, version: string, kind: string, plural: string): Resource {
  return { group, version, kind, plural, namespaced: true, verbs: ['get', 'list'] };
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
  if (application !== undefined) keep(await reader.get(kinds.application, home, application, { signal }));
  await reader.list(kinds.project, { namespace: controlPlane, signal }, keep);
  for (const name of settings)
    await optional(async () => keep(await reader.get(kinds.configMap, controlPlane, name, { signal })));
  const unread = new Map<string, string>();
  for (const namespace of new Set([controlPlane, home])) {
    try {
      await reader.list(kinds.secret, { namespace, labelSelector: secretLabel, signal }, keep);
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
