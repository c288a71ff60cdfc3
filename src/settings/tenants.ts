import { type ClusterSecret, secretTypeLabel } from '../core/api/index.ts';
import { namespaceOf } from '../core/objects/index.ts';
import { type Following, type Reader, secrets } from '../kube/index.ts';
import { planWatches, type WatchPlan } from './plan.ts';
import type { Rejection } from './rejections.ts';
import type { SettingsReport } from './report.ts';
import { type TenantLimits, type TenantSecret, TenantSecrets } from './tenant-secrets.ts';
import { View } from './view.ts';

export interface TenantsOptions {
  readonly reader: Pick<Reader, 'follow' | 'get'>;
  readonly controlPlane: string;
  readonly report: SettingsReport;
  readonly limits: TenantLimits;
  readonly onChange: () => void;
}

interface Watched {
  readonly view: View<TenantSecret>;
  readonly following: Following;
}

const everywhere = '';

/** The cluster Secrets in tenants' namespaces, watched where the list of namespaces says and nowhere else. */
export class Tenants {
  readonly #options: TenantsOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #secrets: TenantSecrets;
  readonly #stopping = new Set<Promise<void>>();
  /** Namespaces in which waiting Secrets are being read. */
  readonly #filling = new Set<string>();
  #plan: WatchPlan = planWatches([], '');
  #patterns = '';
  #plans = 0;

  constructor(options: TenantsOptions) {
    this.#options = options;
    this.#secrets = new TenantSecrets(options.limits);
  }

  /** True once every watch has an answer, good or bad: one namespace that cannot be read holds up nobody. */
  get isAnswered(): boolean {
    return [...this.#watched.values()].every(({ view }) => view.isAnswered);
  }

  /** Differs after every change of what is watched or found there. */
  get version(): string {
    return `${this.#plans}/${[...this.#watched.values()].reduce((sum, { view }) => sum + view.version, 0)}`;
  }

  /** Namespaces whose Secrets were never read, or everything (`''`), with the reason. */
  *unread(): Iterable<[string, string]> {
    for (const [namespace, { view }] of this.#watched) {
      if (!view.isWhole) yield [namespace, view.error?.message ?? 'not read yet'];
    }
  }

  /** Watches what the patterns name. What they no longer name is gone at once, before anything else is read. */
  watch(patterns: readonly string[]): void {
    const written = JSON.stringify(patterns);
    if (written === this.#patterns) return;
    this.#patterns = written;
    this.#plans++;
    const plan = planWatches(patterns, this.#options.controlPlane);
    this.#plan = plan;
    const wanted = new Set(plan.everywhere ? [everywhere] : plan.namespaces);
    for (const namespace of this.#watched.keys()) {
      // The filter of a watch over everything is part of what it has read: a new one must read again.
      if (!wanted.has(namespace) || namespace === everywhere) this.#unwatch(namespace);
    }
    for (const namespace of wanted) if (!this.#watched.has(namespace)) this.#follow(namespace);
  }

  *clusters(): Iterable<ClusterSecret> {
    for (const secret of this.#all()) if ('cluster' in secret) yield secret.cluster;
  }

  /** Secrets that cannot even be judged. */
  *unusable(): Iterable<Rejection> {
    for (const secret of this.#all()) if ('reason' in secret) yield secret;
  }

  async stop(): Promise<void> {
    for (const namespace of [...this.#watched.keys()]) this.#unwatch(namespace);
    await Promise.all(this.#stopping);
  }

  *#all(): Iterable<TenantSecret> {
    for (const { view } of this.#watched.values()) {
      for (const [, secret] of view.entries()) if (this.#plan.includes(secret.about.namespace)) yield secret;
    }
  }

  #follow(namespace: string): void {
    const { reader, report, onChange } = this.#options;
    const view: View<TenantSecret> = new View<TenantSecret>({
      keep: (object, before) => {
        // Every event is held against the list anew: a watch over everything sees all namespaces.
        return this.#plan.includes(namespaceOf(object)) ? this.#secrets.keep(object, before) : undefined;
      },
      isFinal: (secret) => !('waits' in secret),
      onDrop: (secret) => {
        this.#secrets.release(secret);
        void this.#fill(view, secret.about.namespace);
      },
      onChange,
      onBroken: (error) => {
        report.unreadable(namespace === everywhere ? 'cluster Secrets' : `cluster Secrets of ${namespace}`, error);
        onChange();
      },
    });
    const select = { namespace: namespace === everywhere ? undefined : namespace };
    const following = reader.follow(secrets, { ...select, labelSelector: `${secretTypeLabel}=cluster` }, view);
    this.#watched.set(namespace, { view, following });
  }

  #unwatch(namespace: string): void {
    const watched = this.#watched.get(namespace);
    if (watched === undefined) return;
    this.#watched.delete(namespace);
    watched.following.stop();
    watched.view.close();
    for (const [, secret] of watched.view.entries()) this.#secrets.release(secret);
    const done = watched.following.done.catch(() => undefined);
    this.#stopping.add(done);
    void done.finally(() => this.#stopping.delete(done));
  }

  /** Reads Secrets that had to wait for room, one by one, as long as there is some. */
  async #fill(view: View<TenantSecret>, namespace: string): Promise<void> {
    if (this.#filling.has(namespace)) return;
    this.#filling.add(namespace);
    try {
      for (const [, { about, ...secret }] of [...view.entries()]) {
        if (!('waits' in secret) || about.namespace !== namespace) continue;
        if (!this.#secrets.hasRoom(namespace)) return;
        view.upsert(await this.#options.reader.get(secrets, namespace, about.name));
      }
    } catch (error) {
      this.#options.report.unreadable(`cluster Secrets of ${namespace}`, asError(error));
    } finally {
      this.#filling.delete(namespace);
    }
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
