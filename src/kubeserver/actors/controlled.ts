import { type KubeObject, nameOf, namespaceOf, uidOf } from '../../core/objects/index.ts';
import type { Inside } from '../ports.ts';
import { controllerOf } from './objects.ts';

/** Names of a kind's objects by the uid of their controller, so that asking costs what one owner has. */
class ControlledIndex {
  readonly #names = new Map<string, Set<string>>();

  constructor(inside: Inside, group: string, kind: string) {
    inside.watch(group, kind, ({ type, object, previous }) => {
      if (previous !== undefined) this.#drop(previous);
      if (type === 'DELETED') this.#drop(object);
      else this.#add(object);
    });
    for (const object of inside.list(group, kind)) this.#add(object);
  }

  namesOf(owner: string): readonly string[] {
    return [...(this.#names.get(owner) ?? [])];
  }

  #add(object: KubeObject): void {
    const owner = controllerOf(object)?.uid;
    if (owner === undefined) return;
    const names = this.#names.get(owner) ?? new Set<string>();
    this.#names.set(owner, names.add(nameOf(object)));
  }

  #drop(object: KubeObject): void {
    const owner = controllerOf(object)?.uid ?? '';
    const names = this.#names.get(owner);
    names?.delete(nameOf(object));
    if (names?.size === 0) this.#names.delete(owner);
  }
}

/** One index per cluster and kind, made at first use; it lives and dies with its cluster. */
const indexes = new WeakMap<Inside, Map<string, ControlledIndex>>();

function indexOf(inside: Inside, group: string, kind: string): ControlledIndex {
  const ofCluster = indexes.get(inside) ?? new Map<string, ControlledIndex>();
  indexes.set(inside, ofCluster);
  const key = `${kind}.${group}`;
  const found = ofCluster.get(key) ?? new ControlledIndex(inside, group, kind);
  ofCluster.set(key, found);
  return found;
}

/** Objects of a kind in the owner's namespace that it controls, by name. */
export function controlled(inside: Inside, group: string, kind: string, owner: KubeObject): KubeObject[] {
  const uid = uidOf(owner);
  return indexOf(inside, group, kind)
    .namesOf(uid)
    .toSorted()
    .flatMap((name) => inside.get(group, kind, namespaceOf(owner), name) ?? [])
    .filter((object) => controllerOf(object)?.uid === uid);
}
