import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Cluster, ClusterSecret, Snapshot } from '../core/api/index.ts';
import { ArgosyError } from '../core/errors/index.ts';
import type { Installation } from '../core/policy/index.ts';
import type { Reader } from '../kube/index.ts';
import { Acceptances } from './acceptances.ts';
import { type Change, changeBetween, isEmptyChange } from './change.ts';
import { byIdentity, type Draft, draftSnapshot, namespacesOf, type Readings, readAll } from './compose.ts';
import { ControlPlane } from './control-plane.ts';
import { type Rejection, Rejections } from './rejections.ts';
import type { SettingsReport } from './report.ts';
import { defaultLimits, type TenantLimits } from './tenant-secrets.ts';
import { Tenants } from './tenants.ts';

export interface SettingsOptions {
  /** The control plane's own cluster, with its own credential. */
  readonly reader: Pick<Reader, 'follow' | 'get'>;
  readonly installation: Installation;
  readonly report: SettingsReport;
  /** Changes that come within this time make one snapshot. */
  readonly debounceMs?: number | undefined;
  readonly limits?: Partial<TenantLimits> | undefined;
  /** How long the first snapshot waits for tenants' Secrets; what is not read by then counts as unread. */
  readonly tenantWaitMs?: number | undefined;
}

/** The settings of a running installation. */
export interface SettingsWatch {
  /** The newest snapshot. Throws `unknown` before `ready`. */
  current(): Snapshot;
  /** Called with every change after `ready`, in order; never with an empty one. Answers how to stop listening. */
  onChange(listener: (change: Change) => void): () => void;
  /** Resolves with the first whole snapshot; rejects if stopped before. */
  readonly ready: Promise<Snapshot>;
  /** Sentences about what the first snapshot waits for; none once there is one. */
  waitingFor(): readonly string[];
  /** Resolves when all refusals known so far were told. */
  told(): Promise<void>;
  stop(): Promise<void>;
}

/** Begins to watch the settings of an installation. */
export function watchSettings(options: SettingsOptions): SettingsWatch {
  return new Watcher(options);
}

/** How long judging Secrets may hold the main loop at a time. */
const stretchMs = 8;
/** Putting so many together is a stretch of its own. */
const manySecrets = 1000;

class Watcher implements SettingsWatch {
  readonly ready: Promise<Snapshot>;
  readonly #options: SettingsOptions;
  readonly #plane: ControlPlane;
  readonly #tenants: Tenants;
  readonly #rejections: Rejections;
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #first = Promise.withResolvers<Snapshot>();
  readonly #acceptances = new Acceptances();
  #secrets: { readonly version: string; readonly list: readonly ClusterSecret[] } = { version: '', list: [] };
  #readings: Readings | undefined;
  #snapshot: Snapshot | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Until when the first snapshot waits for tenants. */
  #patience: number | undefined;
  #stopped = false;
  /** While a snapshot is being made, news wait for the next one. */
  #updating = false;
  #again = false;

  constructor(options: SettingsOptions) {
    this.#options = options;
    this.ready = this.#first.promise;
    this.ready.catch(() => undefined); // whoever waits hears of it; nobody has to wait
    const onChange = (): void => this.#schedule();
    const { reader, installation, report } = options;
    const { controlPlane } = installation;
    this.#rejections = new Rejections(report);
    const limits = { ...defaultLimits, ...options.limits };
    this.#tenants = new Tenants({ reader, controlPlane, report, limits, onChange });
    this.#plane = new ControlPlane({ reader, namespace: controlPlane, report, onChange });
  }

  current(): Snapshot {
    if (this.#snapshot !== undefined) return this.#snapshot;
    throw new ArgosyError('unknown', 'the settings have not been read yet');
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  waitingFor(): readonly string[] {
    return this.#snapshot === undefined ? [...this.#plane.unread()] : [];
  }

  told(): Promise<void> {
    return this.#rejections.settled();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#rejections.stop();
    this.#first.reject(new ArgosyError('cancelled', 'the settings were stopped before they were read'));
    await Promise.all([this.#plane.stop(), this.#tenants.stop()]);
  }

  /** The first change of a burst starts the clock, so that one who writes without end delays nobody for ever. */
  #schedule(): void {
    this.#again ||= this.#updating;
    if (this.#timer !== undefined || this.#updating || this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#work();
    }, this.#options.debounceMs ?? 100);
  }

  async #work(): Promise<void> {
    this.#updating = true;
    this.#again = false;
    await this.#update();
    this.#updating = false;
    if (this.#again) this.#schedule();
  }

  async #update(): Promise<void> {
    if (this.#stopped || !this.#plane.isWhole) return;
    const { installation, report } = this.#options;
    this.#readings = readAll(this.#plane, report, this.#readings);
    const { appNamespaces, tenantClusters } = namespacesOf(installation, this.#readings.params);
    this.#tenants.watch(tenantClusters ? appNamespaces : []);
    if (this.#snapshot === undefined && !this.#tenants.isAnswered && this.#waitsForTenants()) return;
    const before = this.#snapshot;
    const draft = draftSnapshot({
      revision: (before?.revision ?? 0) + 1,
      installation,
      readings: this.#readings,
      plane: this.#plane,
      unread: new Map(this.#tenants.unread()),
    });
    const clusters = await this.#accepted(draft, this.#secretsNow());
    if (this.#stopped) return;
    const after: Snapshot = { ...draft, clusters };
    this.#snapshot = after;
    this.#rejections.update(this.#refused(after));
    this.#tell(changeBetween(before, after), after);
  }

  /** Many Secrets are judged in short stretches. The draft and the list were taken at one moment and do not change meanwhile. */
  async #accepted(draft: Draft, secrets: readonly ClusterSecret[]): Promise<readonly Cluster[]> {
    let began = performance.now();
    for (const _ of this.#acceptances.ahead(draft, secrets)) {
      if (performance.now() - began < stretchMs) continue;
      await othersTurn();
      began = performance.now();
    }
    if (secrets.length > manySecrets) await othersTurn();
    return this.#acceptances.accept(draft, secrets);
  }

  /** One tenant with a thousand fat Secrets may delay the first snapshot, but not for long. */
  #waitsForTenants(): boolean {
    const now = performance.now();
    this.#patience ??= now + (this.#options.tenantWaitMs ?? 15_000);
    if (now >= this.#patience) return false;
    this.#schedule();
    return true;
  }

  /** All cluster Secrets in order; put together anew only if one of them changed. */
  #secretsNow(): readonly ClusterSecret[] {
    const version = `${this.#plane.secretsVersion}/${this.#tenants.version}`;
    if (version !== this.#secrets.version) {
      const list = [...this.#plane.clusters(), ...this.#tenants.clusters()].sort(byIdentity);
      this.#secrets = { version, list };
    }
    return this.#secrets.list;
  }

  *#refused(snapshot: Snapshot): Iterable<Rejection> {
    yield* this.#tenants.unusable();
    for (const { tenant, acceptance, namespace, secret, uid } of snapshot.clusters) {
      if (!tenant || acceptance.accepted) continue;
      const about = { apiVersion: 'v1', kind: 'Secret', namespace, name: secret, uid };
      yield { about, reason: acceptance.reason };
    }
  }

  #tell(change: Change, snapshot: Snapshot): void {
    this.#first.resolve(snapshot);
    if (isEmptyChange(change)) return;
    for (const listener of this.#listeners) listener(change);
  }
}
