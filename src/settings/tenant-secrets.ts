import { type ClusterSecret, parseClusterSecret, printProblems } from '../core/api/index.ts';
import { asJson, type KubeObject, nameOf, namespaceOf, uidOf } from '../core/objects/index.ts';
import type { ObjectReference } from './report.ts';

/** How much of one namespace's Secrets is kept; beyond it a Secret is refused unread. */
export interface TenantLimits {
  readonly secretsPerNamespace: number;
  readonly charactersPerNamespace: number;
}

export const defaultLimits: TenantLimits = { secretsPerNamespace: 1000, charactersPerNamespace: 4 * 1024 * 1024 };

/** What is kept of a tenant's cluster Secret: the cluster, or only why there is none. */
export type TenantSecret =
  | { readonly about: ObjectReference; readonly cluster: ClusterSecret; readonly size: number }
  | {
      readonly about: ObjectReference;
      readonly reason: string;
      /** Not read for want of room; it may be once another goes. */
      readonly waits?: true;
    };

/** Annotations that mean something on a cluster Secret; a tenant's others may be large and are left out. */
const keptAnnotations = ['argocd.argoproj.io/refresh', 'argocd.argoproj.io/skip-reconcile'];

/** Turns tenants' Secrets into what is kept of them, within the limits of each namespace. */
export class TenantSecrets {
  readonly #limits: TenantLimits;
  readonly #used = new Map<string, { secrets: number; characters: number }>();
  /** One copy of each sentence. */
  readonly #sentences = new Map<string, string>();

  constructor(limits: TenantLimits) {
    this.#limits = limits;
  }

  /** Reads a Secret anew; what was kept of it before is given back first. */
  keep(object: KubeObject, before: TenantSecret | undefined): TenantSecret {
    if (before !== undefined) this.release(before);
    const about = referenceTo(object);
    const parsed = parseClusterSecret(asJson(object));
    if (!parsed.ok) return { about, reason: this.#sentence(printProblems(parsed.problems)) };
    const cluster = trimmed(parsed.value);
    const size = sizeOf(cluster);
    if (!this.#take(about.namespace, size)) {
      const { secretsPerNamespace } = this.#limits;
      const text = `the namespace holds more cluster Secrets than are looked at (${secretsPerNamespace})`;
      return { about, reason: this.#sentence(text), waits: true };
    }
    return { about, cluster, size };
  }

  /** Gives back the room of a Secret that is gone. */
  release(secret: TenantSecret): void {
    if (!('cluster' in secret)) return;
    const used = this.#used.get(secret.about.namespace);
    if (used === undefined) return;
    used.secrets -= 1;
    used.characters -= secret.size;
  }

  /** True where another Secret of the namespace may be read. */
  hasRoom(namespace: string): boolean {
    const used = this.#used.get(namespace);
    return used === undefined || used.secrets < this.#limits.secretsPerNamespace;
  }

  #take(namespace: string, size: number): boolean {
    const used = this.#used.get(namespace) ?? { secrets: 0, characters: 0 };
    this.#used.set(namespace, used);
    if (used.secrets + 1 > this.#limits.secretsPerNamespace) return false;
    if (used.characters + size > this.#limits.charactersPerNamespace) return false;
    used.secrets += 1;
    used.characters += size;
    return true;
  }

  #sentence(text: string): string {
    const known = this.#sentences.get(text);
    if (known !== undefined) return known;
    if (this.#sentences.size > 1000) this.#sentences.clear();
    this.#sentences.set(text, text);
    return text;
  }
}

function referenceTo(object: KubeObject): ObjectReference {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: namespaceOf(object),
    name: nameOf(object),
    uid: uidOf(object),
  };
}

function trimmed(cluster: ClusterSecret): ClusterSecret {
  const annotations = Object.entries(cluster.annotations).filter(
    ([key, value]) => keptAnnotations.includes(key) && value.length < 100,
  );
  return { ...cluster, annotations: Object.fromEntries(annotations), labels: {} };
}

/** Characters a cluster holds on to, roughly; what is counted only needs to grow with what is kept. */
function sizeOf({ name, server, project, namespaces, keys, config }: ClusterSecret): number {
  const login = [config.bearerToken, config.password, config.tlsClientConfig?.keyData];
  const texts = [name, server, project, config.username ?? '', ...namespaces, ...keys];
  const tls = [config.tlsClientConfig?.caData, config.tlsClientConfig?.certData];
  const hidden = login.reduce((sum, each) => sum + (each?.reveal().length ?? 0), JSON.stringify(config).length);
  return [...texts, ...tls].reduce((sum, each) => sum + (each?.length ?? 0) + 16, hidden + 512);
}
