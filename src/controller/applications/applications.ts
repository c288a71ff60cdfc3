import { type Application, parseApplication } from '../../core/api/index.ts';
import type { Json } from '../../core/json/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { Following, Reader, Resource } from '../../kube/index.ts';
import { planWatches } from '../../settings/index.ts';

const resource: Resource = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Application',
  plural: 'applications',
  namespaced: true,
  verbs: [],
};

export interface ApplicationsOptions {
  readonly reader: Pick<Reader, 'follow'>;
  readonly controlPlane: string;
  /**
   * An Application came, changed or went; `app` is undefined for one that is gone or cannot be read. Called once per
   * change, also for those a new list no longer has.
   */
  readonly onChange: (key: string, app: Application | undefined) => void;
  readonly onBroken: (error: Error) => void;
}

/** The Applications of the control plane and of the namespaces that count, as the watches last saw them. */
export interface Applications {
  get(key: string): KubeObject | undefined;
  /** The same, read; undefined where it cannot be. */
  app(key: string): Application | undefined;
  /** All that can be read. */
  all(): Iterable<Application>;
  keys(): Iterable<string>;
  readonly size: number;
  /** Takes in what the API server answered to a write of ours: the next pass must not see less than this one wrote. */
  accept(object: KubeObject): void;
  /** Follows exactly the namespaces that these patterns name, besides the control plane's. */
  watch(patterns: readonly string[]): void;
  stop(): Promise<void>;
}

/** Begins to follow the control plane's Applications. */
export function watchApplications(options: ApplicationsOptions): Applications {
  const objects = new Map<string, KubeObject>();
  const scopes = new Map<string, Following>();
  const ending: Promise<void>[] = [];
  let includes: (namespace: string) => boolean = () => false;
  const counts = (namespace: string): boolean => namespace === options.controlPlane || includes(namespace);

  // Parsed once per version: an Application is looked at far more often than it changes.
  const parsed = new WeakMap<KubeObject, Application | null>();
  const read = (object: KubeObject): Application | undefined => {
    const known = parsed.get(object);
    if (known !== undefined) return known ?? undefined;
    const result = parseApplication(object as unknown as Json); // objects come from a watch as parsed JSON
    parsed.set(object, result.ok ? result.value : null);
    return result.ok ? result.value : undefined;
  };
  const appOf = (key: string): Application | undefined => {
    const object = objects.get(key);
    return object === undefined ? undefined : read(object);
  };
  const drop = (key: string): void => {
    if (objects.delete(key)) options.onChange(key, undefined);
  };
  const open = (scope: string): void => {
    if (scopes.has(scope)) return;
    const covers = (key: string): boolean => scope === '' || key.startsWith(`${scope}/`);
    // Names a new list has not named yet; what is left of them at its end is gone.
    let missing = new Set<string>();
    const following = options.reader.follow(resource, scope === '' ? {} : { namespace: scope }, {
      restart: () => {
        missing = new Set([...objects.keys()].filter(covers));
      },
      upsert: (object) => {
        // The watch may cover more than counts: the list is checked at every entry, not only when it is opened.
        if (!counts(object.metadata.namespace ?? '')) return;
        const key = keyOf(object);
        missing.delete(key);
        const known = objects.get(key);
        // The echo of a write of ours says nothing new. An older version does: somebody else wrote before us, and what
        // they asked for is part of what we hold, but nobody has looked at it yet.
        if (known?.metadata.resourceVersion === object.metadata.resourceVersion) return;
        const newest = isNewer(object, known) ? object : known;
        if (newest !== undefined) objects.set(key, newest);
        options.onChange(key, read(newest ?? object));
      },
      remove: (object) => drop(keyOf(object)),
      complete: () => {
        for (const key of missing) drop(key);
        missing = new Set();
      },
      broken: (error) => {
        options.onBroken(error);
        return 'retry';
      },
    });
    scopes.set(scope, following);
  };
  const close = (scope: string): void => {
    const following = scopes.get(scope);
    if (following === undefined) return;
    scopes.delete(scope);
    following.stop();
    ending.push(following.done);
  };
  open(options.controlPlane);

  return {
    get: (key) => objects.get(key),
    app: appOf,
    *all() {
      for (const key of objects.keys()) {
        const app = appOf(key);
        if (app !== undefined) yield app;
      }
    },
    keys: () => objects.keys(),
    accept(object) {
      const key = keyOf(object);
      // Only what the watches know: an answer to a write that raced with a deletion must not bring it back.
      if (objects.has(key) && isNewer(object, objects.get(key))) objects.set(key, object);
    },
    get size() {
      return objects.size;
    },
    watch(patterns) {
      const plan = planWatches(patterns, options.controlPlane);
      includes = plan.includes;
      const wanted = new Set(plan.everywhere ? [''] : [options.controlPlane, ...plan.namespaces]);
      for (const scope of wanted) open(scope);
      for (const scope of [...scopes.keys()]) if (!wanted.has(scope)) close(scope);
      for (const key of [...objects.keys()]) if (!counts(key.slice(0, key.indexOf('/')))) drop(key);
    },
    async stop() {
      for (const scope of [...scopes.keys()]) close(scope);
      await Promise.all(ending);
    },
  };
}

/** Versions of one kind are numbers that grow; where they are not, whatever comes is taken for new. */
function isNewer(object: KubeObject, known: KubeObject | undefined): boolean {
  if (known === undefined || known.metadata.uid !== object.metadata.uid) return true;
  const [now, before] = [Number(object.metadata.resourceVersion), Number(known.metadata.resourceVersion)];
  if (Number.isNaN(now) || Number.isNaN(before))
    return object.metadata.resourceVersion !== known.metadata.resourceVersion;
  return now > before;
}

/** The key of an Application: `namespace/name`. */
export function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}
