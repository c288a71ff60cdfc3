import { isObject, type Json, type JsonObject, objectAt, own } from '../json/index.ts';

const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** The versions of one object that are shown side by side. */
export interface Shown {
  readonly target?: JsonObject | undefined;
  readonly live?: JsonObject | undefined;
}

/**
 * What may be shown of an object: the values of a Secret, and of annotations that an admin calls sensitive, replaced by
 * rows of `+`. Equal values get equal rows in both versions, so that a change still shows.
 */
export function masked({ target, live }: Shown, sensitive: readonly string[] = []): Shown {
  const masks = new Masks();
  return { target: maskShown(target, sensitive, masks), live: maskShown(live, sensitive, masks) };
}

/** Gives each distinct value of a key its own length of row; that two keys have one value does not show. */
class Masks {
  readonly #known = new Map<string, Map<string, string>>();

  of(key: string, value: Json): string {
    const text = JSON.stringify(value);
    const rows = this.#known.get(key) ?? new Map<string, string>();
    this.#known.set(key, rows);
    const row = rows.get(text) ?? '+'.repeat(8 + 4 * rows.size);
    rows.set(text, row);
    return row;
  }
}

function maskShown(object: JsonObject | undefined, sensitive: readonly string[], masks: Masks): JsonObject | undefined {
  if (object === undefined) return undefined;
  const isSecret = object['kind'] === 'Secret' && object['apiVersion'] === 'v1';
  return maskOne(object, { isSecret, sensitive, masks });
}

function maskOne(object: JsonObject, hiding: Hiding): JsonObject {
  return maskAnnotations(hiding.isSecret ? maskData(object, hiding.masks) : object, hiding);
}

function maskData(secret: JsonObject, masks: Masks): JsonObject {
  const hidden: Record<string, Json> = {};
  for (const field of ['data', 'stringData']) {
    const map = own(secret, field);
    if (map === undefined) continue;
    // What should be a map and is none could still be the secret.
    hidden[field] = isObject(map) ? maskValues(map, () => true, masks) : masks.of(field, map);
  }
  return { ...secret, ...hidden };
}

function maskValues(map: JsonObject, which: (key: string) => boolean, masks: Masks): JsonObject {
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => [key, which(key) ? masks.of(key, value) : value]),
  );
}

interface Hiding {
  readonly isSecret: boolean;
  readonly sensitive: readonly string[];
  readonly masks: Masks;
}

function maskAnnotations(object: JsonObject, hiding: Hiding): JsonObject {
  const annotations = objectAt(object, 'metadata', 'annotations');
  if (annotations === undefined) return object;
  const { isSecret, sensitive, masks } = hiding;
  const hidden = maskValues(annotations, (key) => sensitive.includes(key), masks);
  const last = own(hidden, lastAppliedAnnotation);
  const rest =
    last === undefined || (!isSecret && sensitive.length === 0)
      ? hidden
      : { ...hidden, [lastAppliedAnnotation]: maskText(last, hiding) };
  return { ...object, metadata: { ...objectAt(object, 'metadata'), annotations: rest } };
}

/** The last applied configuration holds the same values once more; one that cannot be read is hidden whole. */
function maskText(text: Json, hiding: Hiding): string {
  try {
    const value = JSON.parse(typeof text === 'string' ? text : '') as Json; // parsed JSON is Json
    if (isObject(value)) return JSON.stringify(maskOne(value, hiding));
  } catch {
    // Hidden below.
  }
  return hiding.masks.of(lastAppliedAnnotation, text);
}
