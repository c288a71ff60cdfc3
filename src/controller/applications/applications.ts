import { type Application, parseApplication } from '../../core/api/index.ts';
import { isArgosyError } from '../../core/errors/index.ts';
import { at, equal, type Json } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { applications, type Following, type FollowSink, type Reader } from '../../kube/index.ts';
import { planWatches } from '../../settings/index.ts';

export interface ApplicationsOptions {
  readonly reader: Pick<Reader, 'follow'>;
  readonly controlPlane: string;
  /**
   * An Application came, changed or went; `app` is undefined for one that is gone or cannot be read. Called once per
   * change, also for those a new list no longer has. `moved`: somebody else took its operation further, or ended it.
   */
  readonly onChange: (key: string, app: Application | undefined, moved: boolean) => void;
  /** They cannot be watched; told once for each reason until they can be again. */
  readonly onBroken: (error: Error) => void;
  /** They can be watched again after they could not be. */
  readonly onBack?: (() => void) | undefined;
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
  /** Takes in what was read beside the watches, as if one of them had shown it. */
  show(object: KubeObject): void;
  /** Carries out a write of ours and takes in its answer; its echo is no change, even if it comes before the answer. */
  write(key: string, write: OwnWrite): Promise<void>;
  /** Follows exactly the namespaces that these patterns name, besides the control plane's. */
  watch(patterns: readonly string[]): void;
  stop(): Promise<void>;
}

/** A write of ours. */
export interface OwnWrite {
  readonly send: () => Promise<KubeObject>;
  /** Whether it says how far the operation has come; if not, whatever the answer says of that is somebody else's. */
  readonly tellsOperation: boolean;
}

/** What a watch has shown while a write of ours is under way. */
interface Shown {
  readonly version: string | undefined;
  readonly moved: boolean;
}

/** Begins to follow the control plane's Applications. */
export function watchApplications(options: ApplicationsOptions): Applications {
  return new Watched(options);
}

class Watched implements Applications {
  readonly #options: ApplicationsOptions;
  readonly #objects = new Map<string, KubeObject>();
  readonly #scopes = new Map<string, Following>();
  readonly #ending: Promise<void>[] = [];
  /** Parsed once per version: an Application is looked at far more often than it changes. */
  readonly #parsed = new WeakMap<KubeObject, Application | null>();
  readonly #writing = new Map<string, Shown[]>();
  /** Whose last write of ours was not answered: what a watch shows next may be just that write. */
  readonly #unanswered = new Set<string>();
  #includes: (namespace: string) => boolean = () => false;

  constructor(options: ApplicationsOptions) {
    this.#options = options;
    this.#open(options.controlPlane);
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  app(key: string): Application | undefined {
    const object = this.#objects.get(key);
    return object === undefined ? undefined : this.#read(object);
  }

  *all(): Iterable<Application> {
    for (const object of this.#objects.values()) {
      const app = this.#read(object);
      if (app !== undefined) yield app;
    }
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  get size(): number {
    return this.#objects.size;
  }

  accept(object: KubeObject): void {
    const key = keyOf(object);
    // Only what the watches know: an answer to a write that raced with a deletion must not bring it back.
    if (this.#objects.has(key) && isNewer(object, this.#objects.get(key))) this.#objects.set(key, object);
  }

  show(object: KubeObject): void {
    if (this.#objects.has(keyOf(object))) this.#upsert(object);
  }

  async write(key: string, { send, tellsOperation }: OwnWrite): Promise<void> {
    const shown: Shown[] = [];
    this.#writing.set(key, shown);
    let own: string | undefined;
    let moved = false;
    try {
      const before = this.#objects.get(key);
      const answer = await send();
      own = answer.metadata.resourceVersion;
      moved = !tellsOperation && isMoved(before, answer);
      this.accept(answer);
      this.#unanswered.delete(key);
    } catch (error) {
      if (!isArgosyError(error) || error.code !== 'kube-conflict') this.#unanswered.add(key);
      throw error;
    } finally {
      this.#writing.delete(key);
      const others = shown.filter(({ version }) => version !== own);
      moved ||= others.some((other) => other.moved);
      if ((moved || others.length > 0) && this.#objects.has(key)) this.#options.onChange(key, this.app(key), moved);
    }
  }

  watch(patterns: readonly string[]): void {
    const { controlPlane } = this.#options;
    const plan = planWatches(patterns, controlPlane);
    this.#includes = plan.includes;
    const wanted = new Set(plan.everywhere ? [''] : [controlPlane, ...plan.namespaces]);
    for (const scope of wanted) this.#open(scope);
    for (const scope of [...this.#scopes.keys()]) if (!wanted.has(scope)) this.#close(scope);
    for (const key of [...this.#objects.keys()]) if (!this.#counts(key.slice(0, key.indexOf('/')))) this.#drop(key);
  }

  async stop(): Promise<void> {
    for (const scope of [...this.#scopes.keys()]) this.#close(scope);
    await Promise.all(this.#ending);
  }

  #counts(namespace: string): boolean {
    return namespace === this.#options.controlPlane || this.#includes(namespace);
  }

  #read(object: KubeObject): Application | undefined {
    const known = this.#parsed.get(object);
    if (known !== undefined) return known ?? undefined;
    const result = parseApplication(object as unknown as Json); // objects come from a watch as parsed JSON
    this.#parsed.set(object, result.ok ? result.value : null);
    return result.ok ? result.value : undefined;
  }

  #open(scope: string): void {
    if (this.#scopes.has(scope)) return;
    const select = scope === '' ? {} : { namespace: scope };
    this.#scopes.set(scope, this.#options.reader.follow(applications, select, this.#sink(scope)));
  }

  #close(scope: string): void {
    const following = this.#scopes.get(scope);
    if (following === undefined) return;
    this.#scopes.delete(scope);
    following.stop();
    this.#ending.push(following.done);
  }

  #sink(scope: string): FollowSink {
    const covers = (key: string): boolean => scope === '' || key.startsWith(`${scope}/`);
    // Names a new list has not named yet; what is left of them at its end is gone.
    let missing = new Set<string>();
    let said = '';
    let isBroken = false;
    return {
      restart: () => {
        missing = new Set([...this.#objects.keys()].filter(covers));
      },
      upsert: (object) => {
        // The watch may cover more than counts: the list is checked at every entry, not only when it is opened.
        if (!this.#counts(object.metadata.namespace ?? '')) return;
        missing.delete(keyOf(object));
        this.#upsert(object);
      },
      remove: (object) => this.#drop(keyOf(object)),
      complete: () => {
        said = '';
        for (const key of missing) this.#drop(key);
        missing = new Set();
        if (isBroken) this.#options.onBack?.();
        isBroken = false;
      },
      broken: (error) => {
        isBroken = true;
        if (error.message !== said) this.#options.onBroken(error);
        said = error.message;
        return 'retry';
      },
    };
  }

  #upsert(object: KubeObject): void {
    const key = keyOf(object);
    const known = this.#objects.get(key);
    // The echo of a write of ours says nothing new. An older version does: somebody else wrote before us, and what
    // they asked for is part of what we hold, but nobody has looked at it yet.
    if (known?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    const newest = known === undefined || isNewer(object, known) ? object : known;
    this.#objects.set(key, newest);
    const moved = isMoved(known, newest) && !this.#unanswered.delete(key);
    const shown = this.#writing.get(key);
    if (shown === undefined) this.#options.onChange(key, this.#read(newest), moved);
    else shown.push({ version: object.metadata.resourceVersion, moved });
  }

  #drop(key: string): void {
    this.#unanswered.delete(key);
    if (this.#objects.delete(key)) this.#options.onChange(key, undefined, false);
  }
}

/** Whether an operation has gone on between two versions. */
function isMoved(before: KubeObject | undefined, after: KubeObject): boolean {
  if (before === undefined || before.metadata.uid !== after.metadata.uid) return false;
  const stateOf = (object: KubeObject): Json | undefined => at(asJson(object), 'status', 'operationState');
  return !equal(stateOf(before), stateOf(after));
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
