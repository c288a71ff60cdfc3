import { defineMappingTag, defineScalarTag, mergeTag, NOT_RESOLVED, Schema, seqTag, strTag } from 'js-yaml';

/** What a reader of a document learns beside its values. */
export interface SchemaNotes {
  /** Keys that stand twice in one map. */
  readonly duplicates: Set<string>;
  /** Some number has more digits than a JavaScript number. */
  hasLongNumbers: boolean;
}

/** A value that YAML has and JSON has not. */
export class NotJson extends Error {}

/**
 * YAML as kubectl reads it (go-yaml's scalars, keys turned into texts as sigs.k8s.io/yaml does), which no stock schema is:
 * `on`, `off`, `yes`, `no`, `y` and `n` are bools, `0755` is 493, dates and `1:30` are texts, `<<` merges.
 */
export function goSchema(notes: SchemaNotes): Schema {
  return new Schema([strTag, seqTag, mapTag(notes), nullTag, boolTag, intTag(notes), floatTag, binaryTag, mergeTag]);
}

const nullTag = defineScalarTag<null>('tag:yaml.org,2002:null', {
  implicit: true,
  implicitFirstChars: ['', '~', 'n', 'N'],
  resolve: (source) => (['', '~', 'null', 'Null', 'NULL'].includes(source) ? null : NOT_RESOLVED),
  identify: () => false,
});

const bools = new Map<string, boolean>(
  [
    ['y yes on true', true],
    ['n no off false', false],
  ].flatMap(([words, value]) =>
    String(words)
      .split(' ')
      .flatMap((word) => [word, word.toUpperCase(), word[0]?.toUpperCase() + word.slice(1)])
      .map((word): [string, boolean] => [word, value === true]),
  ),
);

const boolTag = defineScalarTag<boolean>('tag:yaml.org,2002:bool', {
  implicit: true,
  implicitFirstChars: [...'yYnNoOtTfF'],
  resolve: (source) => bools.get(source) ?? NOT_RESOLVED,
  identify: () => false,
});

const integerForm = /^([-+]?)(0b[01]+|0x[0-9a-fA-F]+|0o[0-7]+|0[0-7]*|[1-9][0-9]*)$/;

/** An integer no JavaScript number can hold keeps its digits: `JSON.stringify` prints them as they are. */
function integerOf(source: string, notes: SchemaNotes): number | object | undefined {
  const match = integerForm.exec(source.replaceAll('_', ''));
  if (match === null) return undefined;
  const [, sign = '', digits = ''] = match;
  if (digits.length < 15 && /^(?:0|[1-9][0-9]*)$/.test(digits)) return Number(`${sign}${digits}`) + 0;
  const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits;
  const value = BigInt(octal) * (sign === '-' ? -1n : 1n);
  // Beyond 64 bits with a sign kubectl goes on with a float.
  if (value > 2n ** 63n - 1n || value < -(2n ** 63n)) return Number(value);
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  notes.hasLongNumbers = true;
  return rawNumber(value.toString());
}

/** A number as its digits, for `JSON.stringify` to print. */
export function rawNumber(digits: string): object {
  // Not yet in the compiler's library; in the engine since V8 11.4.
  const json = JSON as unknown as { rawJSON(text: string): object };
  return json.rawJSON(digits);
}

const intTag = (notes: SchemaNotes) =>
  defineScalarTag<number | object>('tag:yaml.org,2002:int', {
    implicit: true,
    implicitFirstChars: [...'-+0123456789'],
    resolve: (source) => integerOf(source, notes) ?? NOT_RESOLVED,
    identify: () => false,
  });

const floatForm = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const notFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

const floatTag = defineScalarTag<number>('tag:yaml.org,2002:float', {
  implicit: true,
  implicitFirstChars: [...'-+.0123456789'],
  resolve: (source) => {
    if (notFinite.test(source)) throw new NotJson(source);
    const plain = source.replaceAll('_', '');
    const value = floatForm.test(plain) ? Number(plain) : Number.NaN;
    return Number.isFinite(value) ? value : NOT_RESOLVED;
  },
  identify: () => false,
});

/** `!!binary` holds base64 and means the decoded text. */
const binaryTag = defineScalarTag<string>('tag:yaml.org,2002:binary', {
  resolve: (source) => Buffer.from(source, 'base64').toString('utf8'),
  identify: () => false,
});

type Mapping = Record<string, unknown>;

function mapTag({ duplicates }: SchemaNotes) {
  // Keys that came through `<<`: a key of the map's own may take their place, and that is no duplicate.
  const merged = new WeakMap<Mapping, Set<string>>();
  // `get` is asked only while merging, right before the pair is added.
  let merging: string | undefined;
  return defineMappingTag<Mapping>('tag:yaml.org,2002:map', {
    create: () => ({}),
    addPair: (carrier, key, value) => {
      const name = keyText(key);
      if (name === undefined) return 'a list, a map or nothing cannot be a key of an object';
      if (merging === name) merged.set(carrier, (merged.get(carrier) ?? new Set()).add(name));
      else if (Object.hasOwn(carrier, name) && merged.get(carrier)?.delete(name) !== true) duplicates.add(name);
      merging = undefined;
      // Set as data, also `__proto__`.
      if (name === '__proto__')
        Object.defineProperty(carrier, name, { value, writable: true, enumerable: true, configurable: true });
      else carrier[name] = value;
      return '';
    },
    has: (carrier, key) => Object.hasOwn(carrier, keyText(key) ?? ''),
    keys: (carrier) => Object.keys(carrier),
    get: (carrier, key) => {
      merging = keyText(key);
      return carrier[merging ?? ''];
    },
    identify: () => false,
  });
}

/** A key that is no text becomes one, as in Go: `n:` is the key `false`; an empty one is an error there too. */
function keyText(key: unknown): string | undefined {
  if (typeof key === 'string') return key;
  if (typeof key === 'number' || typeof key === 'boolean') return String(key);
  return undefined;
}
