import {
  equal,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJson,
  type MutableJsonObject,
  own,
  thaw,
} from '../json/index.ts';
import { attemptPatch, type PatchResult, Refusal } from './patch-result.ts';

const maxOperations = 10_000;
const maxCopied = 3 * 1024 * 1024;

/**
 * JSON patch (RFC 6902) as the API server applies it: negative indices count from the end, `replace` of a missing key
 * adds it, and what `copy` adds up to is limited.
 */
export function jsonPatch(doc: Json, patch: Json): PatchResult {
  return attemptPatch(() => {
    if (!isArray(patch))
      throw new Refusal(400, `json: cannot unmarshal ${goKind(patch)} into Go value of type jsonpatch.Patch`);
    if (patch.length > maxOperations)
      throw new Refusal(413, `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`);
    const run: Run = { root: thaw(doc), copied: 0 };
    for (const operation of patch.map(parseOperation)) step(run, operation);
    return run.root;
  }, wording);
}

/** The server keeps to itself why a patch does not apply. */
function wording({ code, message }: Refusal): string {
  return code === 422 ? 'the server rejected our request due to an error in our request' : message;
}

interface Run {
  root: MutableJson;
  copied: number;
}

type Container = MutableJson[] | MutableJsonObject;

function parseOperation(operation: Json): JsonObject {
  if (isObject(operation)) return operation;
  throw new Refusal(400, `json: cannot unmarshal ${goKind(operation)} into Go value of type jsonpatch.Operation`);
}

function goKind(value: Json): string {
  if (isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function step(run: Run, operation: JsonObject): void {
  const kind = textOf(operation, 'op') ?? 'unknown';
  const act = acts.get(kind);
  if (act === undefined) throw new Refusal(422, `Unexpected kind: ${kind}`);
  act(run, operation);
}

const acts: ReadonlyMap<string, (run: Run, operation: JsonObject) => void> = new Map([
  ['add', add],
  ['remove', remove],
  ['replace', replace],
  ['move', move],
  ['copy', copy],
  ['test', test],
]);

function textOf(operation: JsonObject, key: string): string | undefined {
  const value = own(operation, key);
  return typeof value === 'string' ? value : undefined;
}

function add(run: Run, operation: JsonObject): void {
  const path = textOf(operation, 'path');
  if (path === undefined) throw new Refusal(422, 'add operation failed to decode path: missing value');
  const place = find(run.root, path);
  if (place === undefined)
    throw new Refusal(422, `add operation does not apply: doc is missing path: "${path}": missing value`);
  within(`error in add for path: '${path}'`, () => insert(place, givenValue(operation)));
}

function remove(run: Run, operation: JsonObject): void {
  const path = textOf(operation, 'path');
  if (path === undefined) throw new Refusal(422, 'remove operation failed to decode path: missing value');
  const place = find(run.root, path);
  if (place === undefined)
    throw new Refusal(422, `remove operation does not apply: doc is missing path: "${path}": missing value`);
  within(`error in remove for path: '${path}'`, () => drop(place));
}

function replace(run: Run, operation: JsonObject): void {
  const path = pathOf(operation, 'replace');
  const value = givenValue(operation);
  if (path === '') {
    if (typeof value !== 'object' || value === null)
      throw new Refusal(422, 'replace operation value must be object or array: %!w(<nil>)');
    run.root = value;
    return;
  }
  const place = find(run.root, path);
  if (place === undefined)
    throw new Refusal(422, `replace operation does not apply: doc is missing path: ${path}: missing value`);
  if (isArray(place.container)) {
    const index = indexIn(place.container, place.key);
    if (typeof index !== 'number')
      throw new Refusal(422, `replace operation does not apply: doc is missing key: ${path}: missing value`);
    place.container[index] = value;
  } else {
    setKey(place.container, place.key, value);
  }
}

function move(run: Run, operation: JsonObject): void {
  const from = fromOf(operation, 'move');
  const source = find(run.root, from);
  if (source === undefined)
    throw new Refusal(422, `move operation does not apply: doc is missing from path: ${from}: missing value`);
  const value = within(`error in move for path: '${source.key}'`, () => {
    const found = read(source);
    drop(source);
    return found;
  });
  const path = pathOf(operation, 'move');
  const target = find(run.root, path);
  if (target === undefined)
    throw new Refusal(422, `move operation does not apply: doc is missing destination path: ${path}: missing value`);
  within(`error in move for path: '${path}'`, () => insert(target, value ?? null));
}

function copy(run: Run, operation: JsonObject): void {
  const from = fromOf(operation, 'copy');
  const source = find(run.root, from);
  if (source === undefined)
    throw new Refusal(422, `copy operation does not apply: doc is missing from path: ${from}: missing value`);
  const value = within(`error in copy for from: '${from}'`, () => read(source)) ?? null;
  const path = pathOf(operation, 'copy');
  const target = find(run.root, path);
  if (target === undefined)
    throw new Refusal(422, `copy operation does not apply: doc is missing destination path: ${path}: missing value`);
  run.copied += JSON.stringify(value).length;
  if (run.copied > maxCopied)
    throw new Refusal(
      422,
      `Unable to complete the copy, the accumulated size increase of copy is ${run.copied}, exceeding the limit ${maxCopied}`,
    );
  within('error while adding value during copy', () => insert(target, thaw(value as Json))); // read-only view of the same value
}

function test(run: Run, operation: JsonObject): void {
  const path = pathOf(operation, 'test');
  const expected = own(operation, 'value') ?? null;
  const place = path === '' ? undefined : find(run.root, path);
  if (path !== '' && place === undefined)
    throw new Refusal(422, `test operation does not apply: is missing path: ${path}: missing value`);
  const found = place === undefined ? run.root : within(`error in test for path: '${path}'`, () => read(place));
  if (!equal((found ?? null) as Json, expected))
    // absent counts as null here
    throw new Refusal(422, `testing value ${path} failed: test failed`);
}

function pathOf(operation: JsonObject, kind: string): string {
  const path = textOf(operation, 'path');
  if (path !== undefined) return path;
  throw new Refusal(422, `${kind} operation failed to decode path: operation missing path field: missing value`);
}

function fromOf(operation: JsonObject, kind: string): string {
  const from = textOf(operation, 'from');
  if (from !== undefined) return from;
  throw new Refusal(422, `${kind} operation failed to decode from: operation, missing from field: missing value`);
}

function givenValue(operation: JsonObject): MutableJson {
  return thaw(own(operation, 'value') ?? null);
}

interface Place {
  readonly container: Container;
  readonly key: string;
}

function find(root: MutableJson, path: string): Place | undefined {
  const parts = path.split('/').map((part) => part.replace(/~1|~0/g, (code) => (code === '~1' ? '/' : '~')));
  const key = parts.at(-1);
  if (parts.length < 2 || key === undefined) return undefined;
  let current: MutableJson | undefined = root;
  for (const part of parts.slice(1, -1)) {
    if (!isContainer(current)) return undefined;
    current = lookUp({ container: current, key: part });
  }
  return isContainer(current) ? { container: current, key } : undefined;
}

function isContainer(value: MutableJson | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}

function lookUp({ container, key }: Place): MutableJson | undefined {
  if (!isArray(container)) return Object.hasOwn(container, key) ? container[key] : undefined;
  const index = indexIn(container, key);
  return typeof index === 'number' ? container[index] : undefined;
}

function read(place: Place): MutableJson | undefined {
  if (isArray(place.container)) {
    const index = indexIn(place.container, place.key);
    if (typeof index !== 'number') throw new Refusal(422, index);
  }
  return lookUp(place);
}

function insert({ container, key }: Place, value: MutableJson): void {
  if (!isArray(container)) {
    setKey(container, key, value);
    return;
  }
  if (key === '-') {
    container.push(value);
    return;
  }
  if (parseIndex(key) === undefined)
    throw new Refusal(422, `value was not a proper array index: '${key}': ${notANumber(key)}`);
  const index = indexIn({ length: container.length + 1 }, key);
  if (typeof index !== 'number') throw new Refusal(422, index);
  container.splice(index, 0, value);
}

function drop({ container, key }: Place): void {
  if (isArray(container)) {
    const index = indexIn(container, key);
    if (typeof index !== 'number') throw new Refusal(422, index);
    container.splice(index, 1);
    return;
  }
  if (!Object.hasOwn(container, key)) throw new Refusal(422, `Unable to remove nonexistent key: ${key}: missing value`);
  delete container[key];
}

/** Sets a key as data, also `__proto__`. */
function setKey(container: MutableJsonObject, key: string, value: MutableJson): void {
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}

/** The place a key names in a list of this length, or why there is none. */
function indexIn(list: { readonly length: number }, key: string): number | string {
  const index = parseIndex(key);
  if (index === undefined) return notANumber(key);
  const place = index < 0 ? index + list.length : index;
  return place < 0 || place >= list.length
    ? `Unable to access invalid index: ${index}: invalid index referenced`
    : place;
}

function parseIndex(key: string): number | undefined {
  return /^[+-]?\d{1,15}$/.test(key) ? Number(key) : undefined;
}

function notANumber(key: string): string {
  return `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;
}

function within<T>(where: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal(error.code, `${where}: ${error.message}`);
    throw error;
  }
}
