import type { GroupKind } from '../../core/objects/index.ts';
import { kindText } from '../../core/objects/index.ts';
import type { Discovery, Resource } from '../../kube/index.ts';
import { Cell, type CellHouse } from './cell.ts';

/** Which kinds of a cluster are followed, and where. */
export interface Scope {
  /** Empty: all. */
  readonly namespaces: readonly string[];
  /** Whether kinds without a namespace are followed where only some namespaces are. */
  readonly clusterResources: boolean;
  watches(kind: GroupKind): boolean;
  /** Whether a kind is followed by its metadata only. */
  lean(kind: GroupKind): boolean;
}

/** The cells of a cluster: started and stopped as discovery says. */
export class Cells {
  readonly #scope: Scope;
  readonly #house: CellHouse;
  /** By kind, then by namespace; the empty text stands for the whole cluster. */
  readonly #cells = new Map<string, Map<string, Cell>>();
  readonly #resources = new Map<string, Resource>();
  #unknown: ReadonlyMap<string, string> = new Map();

  constructor(scope: Scope, house: CellHouse) {
    this.#scope = scope;
    this.#house = house;
  }

  /** Follows what is new and forgets what is served no more. What could not be discovered stays as it is. */
  discovered(discovery: Discovery): void {
    this.#unknown = discovery.unknown;
    const served = new Map<string, Resource>();
    for (const resource of discovery.resources) {
      const text = kindText(resource);
      if (!served.has(text)) served.set(text, resource);
    }
    for (const [text, resource] of this.#resources) {
      if (served.has(text) || this.#isUnknown(resource.group)) continue;
      this.#resources.delete(text);
      this.#forget(text);
    }
    for (const [text, resource] of served) {
      const known = this.#resources.get(text);
      this.#resources.set(text, resource);
      if (known !== undefined && !sameRead(known, resource)) this.#forget(text);
      if (!this.#cells.has(text)) this.#follow(text, resource);
    }
  }

  resource(kind: GroupKind): Resource | undefined {
    return this.#resources.get(kindText(kind));
  }

  /** Why it is not known whether the cluster serves a kind; undefined where it is known. */
  undiscovered({ group, kind }: GroupKind): string | undefined {
    if (this.#resources.has(kindText({ group, kind })) || !this.#isUnknown(group)) return undefined;
    return `${kindText({ group, kind })} could not be discovered: ${this.#reasonOf(group)}`;
  }

  /** Groups (or versions of them) that would be looked at and of which it is not known what they serve, with the reason. */
  get undiscoveredGroups(): readonly (readonly [group: string, reason: string])[] {
    return [...this.#unknown].filter(([name]) => this.#scope.watches({ group: groupIn(name), kind: '' }));
  }

  /** Whether objects of a namespace are looked at. */
  covers(namespace: string): boolean {
    return this.#scope.namespaces.length === 0 || this.#scope.namespaces.includes(namespace);
  }

  /** The cells of a kind, which is none where it is not followed. */
  of(kind: GroupKind): readonly Cell[] {
    return [...(this.#cells.get(kindText(kind))?.values() ?? [])];
  }

  /** The cell an object would be in; undefined where it is not followed. */
  at(kind: GroupKind, namespace: string): Cell | undefined {
    const cells = this.#cells.get(kindText(kind));
    return cells?.get('') ?? cells?.get(namespace);
  }

  *all(): Generator<Cell> {
    for (const cells of this.#cells.values()) yield* cells.values();
  }

  stop(): void {
    for (const cell of this.all()) cell.stop();
    this.#cells.clear();
  }

  #follow(text: string, resource: Resource): void {
    const places = this.#placesOf(resource);
    if (places.length === 0) return;
    const lean = this.#scope.lean(resource);
    const kind = this.#house.store.kinds.number(resource);
    const cells = new Map<string, Cell>();
    this.#cells.set(text, cells);
    for (const namespace of places)
      cells.set(namespace ?? '', new Cell({ resource, namespace, kind, lean }, this.#house));
    for (const cell of cells.values()) cell.start();
  }

  #placesOf(resource: Resource): readonly (string | undefined)[] {
    const { namespaces, clusterResources, watches } = this.#scope;
    if (!resource.verbs.includes('list') || !resource.verbs.includes('watch') || !watches(resource)) return [];
    if (namespaces.length === 0) return [undefined];
    if (resource.namespaced) return [...new Set(namespaces)];
    return clusterResources ? [undefined] : [];
  }

  #forget(text: string): void {
    const cells = this.#cells.get(text);
    this.#cells.delete(text);
    for (const cell of cells?.values() ?? []) {
      cell.stop();
      this.#house.store.sweep(cell.kind, cell.namespace, () => false);
    }
  }

  #isUnknown(group: string): boolean {
    return this.#reasonOf(group) !== undefined;
  }

  #reasonOf(group: string): string | undefined {
    for (const [name, reason] of this.#unknown) {
      if (groupIn(name) === group) return reason;
    }
    return undefined;
  }
}

/** The group of a `group/version` or `group`; the core group goes by its version alone. */
function groupIn(name: string): string {
  if (/^v\d+[a-z0-9]*$/.test(name)) return '';
  const slash = name.indexOf('/');
  return slash < 0 ? name : name.slice(0, slash);
}

function sameRead(a: Resource, b: Resource): boolean {
  return a.version === b.version && a.plural === b.plural && a.namespaced === b.namespaced;
}
