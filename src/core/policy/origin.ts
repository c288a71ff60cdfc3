/** Where a rule was written, so that a refusal can point at it. */
export interface Origin {
  /** `AppProject argocd/team-a`. */
  readonly object: string;
  readonly revision: string;
  /** The list in it: `spec.destinations`. */
  readonly list: string;
  /** Position in that list; undefined for a rule that follows from the object as a whole. */
  readonly index: number | undefined;
}

/** A rule with the place it was written at. */
export interface Written<T> {
  readonly value: T;
  readonly origin: Origin;
}

/** The items of a list of one object, each with its place. */
export function written<T>(
  items: readonly T[] | undefined,
  place: { readonly object: string; readonly revision: string; readonly list: string },
): Written<T>[] {
  return (items ?? []).map((value, index) => ({ value, origin: { ...place, index } }));
}

/** The path of a rule inside its object. */
export function fieldOf(origin: Origin): string {
  return origin.index === undefined ? origin.list : `${origin.list}[${origin.index}]`;
}
