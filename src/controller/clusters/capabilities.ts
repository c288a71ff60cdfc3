import type { CacheDoor, Connection, Discovery } from '../../kube/index.ts';

/** What a cluster can do, as charts ask for it; or why that is not known. */
export type Served =
  | { readonly known: true; readonly kubeVersion: string; readonly apiVersions: readonly string[] }
  | { readonly known: false; readonly reason: string };

const versionMs = 5000;

/** Keeps what a cluster was last heard to be able to do; the same list as long as it is the same. */
export class Capabilities {
  /** Kinds by `group/version`: those of a server that does not answer stay as they were. */
  #kinds: ReadonlyMap<string, readonly string[]> = new Map();
  #apiVersions: readonly string[] = [];
  #kubeVersion = '';
  /** Why not everything is known. */
  #missing: string | undefined = 'what the cluster serves is not known yet';

  served(): Served {
    if (this.#missing !== undefined) return { known: false, reason: this.#missing };
    if (this.#kubeVersion === '') return { known: false, reason: 'the version of the cluster is not known yet' };
    return { known: true, kubeVersion: this.#kubeVersion, apiVersions: this.#apiVersions };
  }

  /** Takes in what the cluster says; tells whether what charts are told has changed. */
  heard(discovery: Discovery, kubeVersion: string | undefined): boolean {
    const before = this.served();
    const kinds = kindsOf(discovery);
    const missing = this.#keepUnheard(kinds, discovery.unknown);
    this.#kinds = kinds;
    this.#missing = missing;
    this.#kubeVersion = kubeVersion ?? this.#kubeVersion;
    const list = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([version, all]) => [version, ...all]);
    const isSame = list.length === this.#apiVersions.length && list.every((each, i) => each === this.#apiVersions[i]);
    if (!isSame) this.#apiVersions = list;
    const now = this.served();
    return now.known && (!before.known || !isSame || before.kubeVersion !== now.kubeVersion);
  }

  /** Adds what is known from before of groups that did not answer; answers why one stays unknown. */
  #keepUnheard(kinds: Map<string, readonly string[]>, unknown: Discovery['unknown']): string | undefined {
    let missing: string | undefined;
    for (const [name, reason] of unknown) {
      const before = [...this.#kinds].filter(([version]) => version === name || version.startsWith(`${name}/`));
      for (const [version, all] of before) if (!kinds.has(version)) kinds.set(version, all);
      if (before.length === 0) missing ??= `${name} could not be discovered: ${reason}`;
    }
    return missing;
  }
}

function kindsOf({ resources }: Discovery): Map<string, readonly string[]> {
  const sets = new Map<string, Set<string>>();
  for (const { group, version, kind } of resources) {
    const name = group === '' ? version : `${group}/${version}`;
    const kinds = sets.get(name) ?? new Set<string>();
    sets.set(name, kinds.add(`${name}/${kind}`));
  }
  return new Map([...sets].map(([name, kinds]) => [name, [...kinds].sort()]));
}

/** The same door, listening to what discovery says. */
export function listening(
  door: CacheDoor,
  connection: Pick<Connection, 'version'>,
  heard: (discovery: Discovery, kubeVersion: string | undefined) => void,
): CacheDoor {
  return {
    ...door,
    async discover(options) {
      const asked = connection.version({ deadlineMs: versionMs }).catch(() => undefined);
      const discovery = await door.discover(options);
      heard(discovery, (await asked)?.gitVersion);
      return discovery;
    },
  };
}
