import { type JsonObject, own } from '../json/index.ts';
import { asJson, type KubeObject } from '../objects/index.ts';
import { isBuiltIn } from './built-in.ts';
import { dropped, leftoverOf } from './leftovers.ts';
import { type NormalOptions, normalOf, withoutNulls } from './normal.ts';
import { lastAppliedOf, type Ownership, ownershipOf } from './ownership.ts';
import { type KindTraits, Walk } from './walk.ts';

export interface DiffersOptions extends NormalOptions {
  /** The object is applied client-side: what we own server-side says nothing about it. */
  readonly clientSide?: boolean | undefined;
  /** Takes ignored parts out of both sides, once they are normal; gets the live object as it is, too. */
  readonly without?: ((pair: Pair, live: JsonObject) => Pair) | undefined;
  readonly alike?: KindTraits['alike'];
}

/** Both sides of a comparison. */
export interface Pair {
  readonly wanted: JsonObject;
  readonly there: JsonObject;
}

/**
 * Tells whether applying the target would change the live object: some field of the target has another value, or the
 * live object still has a field that we applied before and that the target no longer asks for.
 */
export function differs(target: KubeObject, live: KubeObject, options: DiffersOptions = {}): boolean {
  return differenceOf(target, live, options) !== undefined;
}

/** The path, in the notation of managed fields, to the first field that applying the target would change. */
export function differenceOf(
  target: KubeObject,
  live: KubeObject,
  options: DiffersOptions = {},
): readonly string[] | undefined {
  const raw = asJson(live);
  const builtIn = isBuiltIn(target.apiVersion);
  const pair = pairOf(asJson(target), raw, options);
  const ownership = options.clientSide === true ? foreign(ownershipOf(raw)) : ownershipOf(raw);
  const walk = new Walk({ kind: target.kind, builtIn, alike: options.alike }, ownership);
  if (!walk.covers(pair.wanted, pair.there, ownership.ours)) return [...walk.path];
  if (ownership.ours !== undefined) {
    return leftoverOf({ owned: ownership.ours, wanted: pair.wanted, live: pair.there, others: ownership.others });
  }
  const last = lastAppliedOf(raw);
  return last === undefined ? undefined : dropped(normalOf(last, options), pair.wanted, pair.there, { builtIn });
}

function pairOf(target: JsonObject, live: JsonObject, options: DiffersOptions): Pair {
  const wanted = normalOf(withoutNulls(target), options);
  const there = normalOf(live, options);
  // An object may be read in another version than it is written in; where only the name differs nothing does.
  const named = { ...there, apiVersion: own(wanted, 'apiVersion') ?? null };
  const pair = { wanted, there: own(there, 'apiVersion') === own(wanted, 'apiVersion') ? there : named };
  return options.without === undefined ? pair : options.without(pair, live);
}

/** Client-side apply removes by its annotation; managed fields only tell how lists are merged. */
function foreign({ ours, others }: Ownership): Ownership {
  return { ours: undefined, others: ours === undefined ? others : [ours, ...others] };
}
