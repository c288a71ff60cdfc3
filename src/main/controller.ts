import { readLive, resourceOf } from '../cache/index.ts';
import { admit, type ClusterAccess, createQueue, type Manifests, reconcile, type World } from '../controller/index.ts';
import {
  type Application,
  clusterKey,
  configMapData,
  implicitCluster,
  parseAppProject,
  readParams,
  readRbac,
  readSettings,
  type Snapshot,
  sourcesOf,
} from '../core/api/index.ts';
import { isOurs } from '../core/diff/index.ts';
import { ArgosyError } from '../core/errors/index.ts';
import type { Json } from '../core/json/index.ts';
import { type KubeObject, objectKey, printKey } from '../core/objects/index.ts';
import type { Git } from '../git/index.ts';
import {
  type Connection,
  cacheDoor,
  controlDoor,
  type Discovery,
  type Following,
  type Resource,
  tenantDoor,
} from '../kube/index.ts';
import { renderDirectory, type SourceTree } from '../render/index.ts';
import type { Logger } from '../telemetry/index.ts';

export interface ControllerOptions {
  /** Our own cluster, with our own account. */
  readonly connection: Connection;
  readonly git: Git;
  readonly log: Logger;
  readonly controlPlane: string;
  readonly appNamespaces: readonly string[];
  /** How often repositories are asked for news. */
  readonly pollMs: number;
}

const applications: Resource = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Application',
  plural: 'applications',
  namespaced: true,
  verbs: [],
};
const projects: Resource = { ...applications, kind: 'AppProject', plural: 'appprojects' };
const configMaps: Resource = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  verbs: [],
};

/** Starts the controller on one connection; the answer stops it. */
export async function startController(options: ControllerOptions): Promise<{ stop(): Promise<void> }> {
  const { connection, controlPlane, log } = options;
  const control = controlDoor(connection);
  const apps = new Map<string, KubeObject>();
  let snapshot = emptySnapshot(options);
  const world: World = {
    controlPlane,
    log,
    now: () => new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    application: (key) => apps.get(key),
    admit: (app) => admit(snapshot, app),
    render: (app) => render(app, options.git),
    cluster: async (key) => access(key, connection, controlPlane),
    async patchApplication(app, patch) {
      await control.patch(applications, app.metadata.namespace ?? controlPlane, app.metadata.name, 'merge', patch);
    },
  };
  const queue = createQueue({
    workers: 8,
    tenantOf: (key) => key.split('/')[0] ?? '',
    work: (key) => reconcile(key, world),
    clock: { now: Date.now, after: (ms, run) => timer(setTimeout(run, ms)) },
    onError: (key, error, failures) => log.warn('pass failed', { application: key, failures, error: String(error) }),
  });
  const all = (): void => {
    for (const key of apps.keys()) queue.add(key);
  };
  const change = (next: Partial<Snapshot>): void => {
    snapshot = { ...snapshot, ...next, revision: snapshot.revision + 1 };
    all();
  };
  const following: Following[] = [
    follow(control.follow, applications, undefined, (objects, touched) => {
      apps.clear();
      for (const object of objects) apps.set(keyOf(object), object);
      if (touched !== undefined) queue.add(keyOf(touched));
    }),
    follow(control.follow, projects, controlPlane, (objects) => {
      const parsed = objects.flatMap((object) => {
        const project = parseAppProject(object as unknown as Json); // objects come from a watch as parsed JSON
        return project.ok ? [[project.value.metadata.name, project.value] as const] : [];
      });
      change({ projects: new Map(parsed) });
    }),
    follow(control.follow, configMaps, controlPlane, (objects) => {
      const settings = objects.find(({ metadata }) => metadata.name === 'argocd-cm');
      const data = settings === undefined ? new Map<string, string>() : configMapData(settings as unknown as Json);
      change({ settings: readSettings(data).value });
    }),
  ];
  const poll = setInterval(all, options.pollMs);
  return {
    async stop() {
      clearInterval(poll);
      for (const each of following) each.stop();
      await queue.stop();
      await Promise.all(following.map(({ done }) => done));
    },
  };
}

function emptySnapshot({ controlPlane, appNamespaces }: ControllerOptions): Snapshot {
  const none = new Map<string, string>();
  return {
    revision: 0,
    controlPlane,
    settings: readSettings(none).value,
    params: readParams(none).value,
    rbac: readRbac(none).value,
    appNamespaces,
    tenantClusters: false,
    projects: new Map(),
    brokenProjects: new Map(),
    clusters: [],
    repositories: [],
    tlsCertificates: new Map(),
    knownHosts: '',
  };
}

function follow(
  start: Connection['follow'],
  resource: Resource,
  namespace: string | undefined,
  onChange: (objects: readonly KubeObject[], touched?: KubeObject) => void,
): Following {
  const objects = new Map<string, KubeObject>();
  let whole = false;
  const told = (touched?: KubeObject): void => {
    if (whole) onChange([...objects.values()], touched);
  };
  return start(resource, namespace === undefined ? {} : { namespace }, {
    restart: () => {
      whole = false;
      objects.clear();
    },
    upsert: (object) => {
      objects.set(keyOf(object), object);
      told(object);
    },
    remove: (object) => {
      objects.delete(keyOf(object));
      told();
    },
    complete: () => {
      if (whole) return;
      whole = true;
      told();
      for (const object of objects.values()) told(object);
    },
    broken: () => 'retry',
  });
}

async function render(app: Application, git: Git): Promise<Manifests> {
  const [source] = sourcesOf(app);
  if (source === undefined) throw new ArgosyError('render-failed', 'the Application has no source');
  const repository = git.repository({ url: source.repoURL, scope: '' });
  await repository.fetch();
  const { commit } = await repository.resolve(source.targetRevision ?? 'HEAD');
  const tree: SourceTree = {
    revision: commit,
    idOf: (path) => repository.treeId(commit, path),
    files: async (path) =>
      (await repository.files(commit, path)).map((entry) => ({ path: entry.path, id: entry.id, kind: entry.kind })),
    read: (ids) => repository.read(ids),
    exportTo: () => Promise.reject(new ArgosyError('tool-missing', 'only plain files can be rendered yet')),
  };
  const { objects } = await renderDirectory(tree, source.path ?? '');
  return { revision: commit, sourceType: 'Directory', rendered: objects.map((item) => ({ ...item, source: 0 })) };
}

async function access(key: string, connection: Connection, controlPlane: string): Promise<ClusterAccess> {
  if (key !== clusterKey(implicitCluster(controlPlane)))
    throw new ArgosyError('unknown', `cluster ${key} cannot be reached yet`);
  const discovery: Discovery = await connection.discover();
  const reader = cacheDoor(connection);
  return {
    resource: (group, kind) => resourceOf(discovery, { group, kind }),
    live: (instance, targets, known) => {
      const wanted = new Set(targets.map((target) => printKey(target.key)));
      const keep = (text: string, object: KubeObject): boolean =>
        wanted.has(text) || isOurs({ key: objectKey(object), object }, instance);
      return readLive(reader, discovery, [...targets.map((target) => target.key), ...known], keep);
    },
    as: (identity) => tenantDoor(connection, identity),
  };
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

function timer(handle: NodeJS.Timeout): () => void {
  return () => clearTimeout(handle);
}
