import { isObject, type Json, type JsonObject, type MutableJsonObject, own, thaw } from '../../core/json/index.ts';
import { applyDefaults, objectMetaSchema, prune } from '../../core/merge/index.ts';
import { duplicateKeys } from '../http/go-json.ts';
import { printed } from '../printed.ts';
import { badRequest } from '../status.ts';
import { isBuiltIn } from './builtins.ts';
import { defaultBuiltIn } from './defaults.ts';
import type { Served } from './served.ts';
import { decodeTyped } from './typed.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface DecodeOptions {
  readonly validation: FieldValidation;
  /** The text it came from, to find keys that were given twice. */
  readonly text?: string | undefined;
  warn(text: string): void;
}

/** The object in a request's body as its kind understands it, defaults filled in; throws 400. */
export function decodeObject(body: JsonObject, served: Served, options: DecodeOptions): MutableJsonObject {
  checkKind(body, served);
  const { object, unknown, problem } = served.custom === undefined ? typed(body, served) : custom(body, served);
  const cannot = `${served.info.kind} in version ${JSON.stringify(served.info.version)} cannot be handled as a ${served.info.kind}: `;
  if (problem !== undefined) throw badRequest(`${cannot}${problem}`);
  const odd = [
    ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
    ...duplicates(options).map((path) => `duplicate field ${JSON.stringify(path)}`),
  ];
  if (options.validation === 'Strict' && odd.length > 0) {
    const text = `strict decoding error: ${odd.join(', ')}`;
    throw badRequest(served.custom === undefined ? `${cannot}${text}` : text);
  }
  if (options.validation === 'Warn') for (const text of odd) options.warn(text);
  return object;
}

function duplicates({ text, validation }: DecodeOptions): string[] {
  return text === undefined || validation === 'Ignore' ? [] : duplicateKeys(text);
}

interface Found {
  readonly object: MutableJsonObject;
  readonly unknown: readonly string[];
  readonly problem: string | undefined;
}

function typed(body: JsonObject, served: Served): Found {
  const { kind: _kind, apiVersion: _version, ...rest } = body;
  const found = decodeTyped(rest, served.schema, served.resolve, served.type);
  const head = { kind: served.info.kind, apiVersion: served.apiVersion };
  const { group, version, kind } = served.info;
  const object = defaultBuiltIn(group, version, kind, { ...head, metadata: {}, ...found.object });
  return { ...found, object: object as MutableJsonObject }; // made here, nobody else holds it
}

function custom(body: JsonObject, served: Served): Found {
  const { object, unknown } = pruned(body, served);
  const filled = fillDefaults(object, served);
  const metadata = own(body, 'metadata');
  const meta = decodeTyped(isObject(metadata) ? metadata : {}, objectMetaSchema, served.resolve, 'ObjectMeta');
  return {
    object: { ...thaw(isObject(filled) ? filled : {}), metadata: meta.object },
    unknown: [...unknown, ...meta.unknown.map((path) => `metadata.${path}`)],
    problem: meta.problem?.replace('ObjectMeta.', 'ObjectMeta.metadata.'),
  };
}

/** A custom object without what its schema does not know; its metadata is not the schema's business. */
export function pruned(object: JsonObject, served: Served): { object: JsonObject; unknown: readonly string[] } {
  const { metadata, ...rest } = object;
  const { value, unknown } = prune(rest, served.schema, served.resolve);
  if (value === rest) return { object, unknown };
  const { apiVersion, kind, ...content } = value as JsonObject; // of an object
  const head = { ...(apiVersion === undefined ? {} : { apiVersion }), ...(kind === undefined ? {} : { kind }) };
  return { object: { ...head, ...(metadata === undefined ? {} : { metadata }), ...content }, unknown };
}

/** A custom object with its schema's defaults. */
export function fillDefaults(object: Json, served: Served): Json {
  return applyDefaults(object, served.schema, served.resolve);
}

function checkKind(body: JsonObject, served: Served): void {
  if (served.custom === undefined) {
    checkBuiltIn(body, served);
    return;
  }
  const { kind, apiVersion } = body;
  const wantedKind = served.info.kind;
  if (kind !== undefined && kind !== '' && kind !== wantedKind)
    throw badRequest(`the kind in the data (${printed(kind)}) does not match the expected kind (${wantedKind})`);
  if (apiVersion === undefined || apiVersion === '' || apiVersion === served.apiVersion) return;
  throw badRequest(
    `the API version in the data (${printed(apiVersion)}) does not match the expected API version (${served.apiVersion})`,
  );
}

/** Whether another kind of the same version is known makes a difference in the real server's words only. */
function checkBuiltIn({ kind: given, apiVersion: version }: JsonObject, served: Served): void {
  const kind = given === undefined || given === '' ? served.info.kind : printed(given);
  const apiVersion = version === undefined || version === '' ? served.apiVersion : printed(version);
  if (kind === served.info.kind && apiVersion === served.apiVersion) return;
  if (apiVersion.split('/').length > 2)
    throw badRequest(
      `the object provided is unrecognized (must be of type ${served.info.kind}): unexpected GroupVersion string: ${apiVersion}`,
    );
  const cannot = `${kind} in version ${JSON.stringify(versionOf(apiVersion))} cannot be handled as a ${served.info.kind}: `;
  throw badRequest(
    isBuiltIn(apiVersion, kind)
      ? `${cannot}converting (${goType(apiVersion, kind)}) to (${goPackage(served)}.${served.info.kind}): unknown conversion`
      : `${cannot}no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function versionOf(apiVersion: Json | undefined): string {
  return printed(apiVersion).split('/').at(-1) as string; // split never answers an empty list
}

function goType(apiVersion: Json | undefined, kind: Json): string {
  return `${versionOf(apiVersion)}.${printed(kind)}`;
}

function goPackage(served: Served): string {
  return served.info.group === '' ? 'core' : (served.info.group.split('.')[0] ?? '');
}
