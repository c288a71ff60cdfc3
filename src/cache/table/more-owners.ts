/** Owners of objects beside their first: few objects have any, so that they have no column. */
export class MoreOwners {
  readonly #owners = new Map<number, readonly number[]>();
  readonly #owned = new Map<number, Set<number>>();

  /** The further owners of a row. */
  of(row: number): readonly number[] {
    return this.#owners.get(row) ?? nobody;
  }

  /** The rows that name this one as a further owner. */
  owned(owner: number): Iterable<number> {
    return this.#owned.get(owner) ?? nobody;
  }

  owns(owner: number): boolean {
    return this.#owned.has(owner);
  }

  /** Replaces the further owners of a row. */
  set(row: number, owners: readonly number[]): void {
    for (const owner of this.of(row)) {
      const owned = this.#owned.get(owner);
      owned?.delete(row);
      if (owned?.size === 0) this.#owned.delete(owner);
    }
    if (owners.length === 0) this.#owners.delete(row);
    else this.#owners.set(row, owners);
    for (const owner of owners) {
      const owned = this.#owned.get(owner);
      if (owned === undefined) this.#owned.set(owner, new Set([row]));
      else owned.add(row);
    }
  }
}

const nobody: readonly number[] = [];
