import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  stringAt,
} from '../../core/json/index.ts';
import {
  applyObject,
  conflictCauses,
  conflictMessage,
  jsonPatch,
  mergePatch,
  type PatchResult,
  strategicMergePatch,
} from '../../core/merge/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { mediaType, parseJson, parseYaml } from '../http/body.ts';
import type { Exchange } from '../http/exchange.ts';
import { StatusError } from '../ports.ts';
import { printed } from '../printed.ts';
import type { Cluster } from '../registry/cluster.ts';
import { type DecodeOptions, decodeObject } from '../registry/decode.ts';
import { keyOf, type Served } from '../registry/served.ts';
import { createObject, resetFields, updateObject } from '../registry/write.ts';
import { badRequest, conflict, invalid, notFound, unsupportedMediaType } from '../status.ts';
import { answerObject } from './answer.ts';
import type { Handler } from './handler.ts';
import { goValue, strategicProblem } from './strategic-words.ts';
import { checkName } from './update.ts';
import { type WriteOptions, writeOptions } from './write-options.ts';

const jsonType = 'application/json-patch+json';
const mergeType = 'application/merge-patch+json';
const strategicType = 'application/strategic-merge-patch+json';
const applyType = 'application/apply-patch+yaml';

/** What a patch makes of an object, before it is decoded again. */
type Patcher = (old: JsonObject) => PatchResult;

/** PATCH of an object or its status, of all four kinds. */
export const patch: Handler = async (exchange, served, cluster) => {
  const type = mediaType(exchange.header('content-type'));
  const types = [jsonType, mergeType, applyType, ...(served.custom === undefined ? [strategicType] : [])];
  if (!types.includes(type)) throw unsupported(types, served);
  const isApply = type === applyType;
  const options = writeOptions(exchange.info.query, 'PatchOptions', exchange.header('user-agent') ?? '', isApply);
  const text = (await exchange.body()).toString('utf8');
  if (isApply) await apply(exchange, served, cluster, { options, text });
  else await change(exchange, served, cluster, { options, patcher: patcherOf(type, text, served, exchange) });
};

function unsupported(types: readonly string[], served: Served): StatusError {
  if (served.custom !== undefined) return unsupportedMediaType(types);
  return new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: '415: Unsupported Media Type',
    details: {},
  });
}

function patcherOf(type: string, text: string, served: Served, exchange: Exchange): Patcher {
  const body = parseJson(text, type === strategicType ? '' : 'error decoding patch: ');
  exchange.requestObject = body;
  if (type === jsonType && !isArray(body)) {
    const kind = body === null ? 'null' : typeof body === 'boolean' ? 'bool' : typeof body;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${kind} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  if (type === jsonType) return (old) => jsonPatch(old, body);
  if (type === strategicType) return (old) => strategicMergePatch(old, body, served.schema, served.resolve);
  return (old) => ({ outcome: 'patched', value: mergePatch(old, body) });
}

interface Changing {
  readonly options: WriteOptions;
  readonly patcher: Patcher;
}

async function change(
  exchange: Exchange,
  served: Served,
  cluster: Cluster,
  { options, patcher }: Changing,
): Promise<void> {
  const { info, user } = exchange;
  const { dryRun, manager } = options;
  const make = (old: KubeObject): MutableJsonObject => {
    const result = patcher(asJson(old));
    if (result.outcome === 'refused')
      throw refused(result, mediaType(exchange.header('content-type')) === strategicType);
    const object = decoded(result.value, served, exchange, options);
    checkName(object, info);
    return object;
  };
  const result = await updateObject(
    cluster,
    served,
    { subresource: info.subresource, make },
    { info, user, dryRun, manager },
  );
  answerObject(exchange, served, 200, result.object);
}

/** The patched object as its kind reads it; what does not fit is a mistake in the patch. */
function decoded(value: Json, served: Served, exchange: Exchange, options: WriteOptions): MutableJsonObject {
  if (!isObject(value)) throw badRequest('the patch leaves no object');
  try {
    return decodeObject(value, served, { validation: options.validation, warn: (text) => exchange.warn(text) });
  } catch (error) {
    const problem =
      error instanceof StatusError ? / cannot be handled as a \w+: (.*)$/s.exec(error.message)?.[1] : undefined;
    if (problem === undefined) throw error;
    const isStrategic = mediaType(exchange.header('content-type')) === strategicType;
    const shown = isStrategic ? goValue(exchange.requestObject ?? null) : JSON.stringify(value);
    const message = `Invalid value: ${JSON.stringify(shown)}: ${isStrategic ? strategicProblem(problem) : problem}`;
    throw invalid({ group: '', kind: '' }, '', [{ field: 'patch', reason: 'FieldValueInvalid', message }]);
  }
}

/** The merged object of an apply as its kind reads it. */
function appliedObject(
  value: JsonObject,
  applied: JsonObject,
  served: Served,
  options: DecodeOptions,
): MutableJsonObject {
  try {
    return decodeObject(value, served, options);
  } catch (error) {
    const problem =
      error instanceof StatusError
        ? / cannot be handled as a \w+: (?!strict)(.*)$/s.exec(error.message)?.[1]
        : undefined;
    if (problem === undefined) throw error;
    const gvk = typeText(served.apiVersion, served.info.kind);
    // Named as the client named it, which may leave out the namespace.
    const [namespace = '', name = ''] = [
      stringAt(applied, 'metadata', 'namespace'),
      stringAt(applied, 'metadata', 'name'),
    ];
    const title = `${namespace}/${name}; ${gvk}`;
    throw applyProblem(
      `failed to convert new object (${title}) to proper version: unable to convert unstructured object to ${gvk}: error decoding from json: ${problem}`,
    );
  }
}

function refused({ code, message }: { code: number; message: string }, isStrategic: boolean): StatusError {
  if (code === 400) return badRequest(message);
  if (code === 413)
    return new StatusError({ code, reason: 'RequestEntityTooLarge', message: `Request entity too large: ${message}` });
  // The real server has no code for a strategic patch that cannot be merged.
  if (isStrategic) return new StatusError({ code: 500, reason: '', message });
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  });
}

interface Applying {
  readonly options: WriteOptions;
  readonly text: string;
}

async function apply(exchange: Exchange, served: Served, cluster: Cluster, { options, text }: Applying): Promise<void> {
  const { info, user } = exchange;
  const applied = readApplied(text, served, exchange);
  const { dryRun, manager } = options;
  const writing = { info, user, dryRun, manager };
  const merge = (live: KubeObject | undefined): MutableJsonObject => {
    const result = applyObject({
      live: live === undefined ? undefined : asJson(live),
      applied,
      manager,
      apiVersion: served.apiVersion,
      subresource: info.subresource,
      force: options.force,
      now: cluster.now(),
      schema: served.schema,
      resolve: served.resolve,
      ignored: resetFields(served, info.subresource),
    });
    if (result.outcome === 'invalid') throw applyProblem(result.message);
    if (result.outcome === 'conflict') throw applyConflict(result.conflicts);
    return appliedObject(result.object, applied, served, {
      validation: options.validation,
      warn: (warning) => exchange.warn(warning),
    });
  };
  if (cluster.store.get(keyOf(served, info.namespace, info.name)) === undefined) {
    if (info.subresource !== '') throw notFound(served.info, info.name);
    const uid = stringAt(applied, 'metadata', 'uid') ?? '';
    if (uid !== '')
      throw conflict(
        served.info,
        info.name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    const object = merge(undefined);
    named(object, info.name);
    const created = await createObject(cluster, served, object, { ...writing, managed: true });
    answerObject(exchange, served, 201, created);
    return;
  }
  const make = (old: KubeObject): MutableJsonObject => {
    const object = merge(old);
    checkName(object, info);
    return object;
  };
  const result = await updateObject(cluster, served, { subresource: info.subresource, managed: true, make }, writing);
  answerObject(exchange, served, 200, result.object);
}

/** What is applied need not repeat its name. */
function named(object: MutableJsonObject, name: string): void {
  const meta = object['metadata'] as MutableJsonObject; // decoded
  if ((meta['name'] ?? '') === '') meta['name'] = name;
  else if (meta['name'] !== name)
    throw badRequest(`the name of the object (${printed(meta['name'])}) does not match the name on the URL (${name})`);
}

function readApplied(text: string, served: Served, exchange: Exchange): JsonObject {
  const value = text.trimStart().startsWith('{')
    ? parseJson(text, 'error decoding YAML: ')
    : parseYaml(text, 'error decoding YAML: ');
  exchange.requestObject = value;
  if (!isObject(value))
    throw badRequest(
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal into Go value of type map[string]interface {}',
    );
  const meta = value['metadata'];
  if (
    isObject(meta) &&
    meta['managedFields'] !== undefined &&
    meta['managedFields'] !== null &&
    (!Array.isArray(meta['managedFields']) || meta['managedFields'].length > 0)
  )
    throw badRequest('metadata.managedFields must be nil');
  const { kind, apiVersion } = value;
  if (apiVersion === undefined || kind === undefined)
    throw badRequest(`invalid object type: ${typeText(printed(apiVersion), printed(kind))}`);
  if (apiVersion !== served.apiVersion)
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${printed(apiVersion)}, expected: ${served.apiVersion}`,
    );
  return value;
}

/** A version and kind as Go prints them: `apps/v1, Kind=Deployment`. */
function typeText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

function applyProblem(message: string): StatusError {
  return new StatusError({ code: 500, reason: '', message });
}

function applyConflict(conflicts: Parameters<typeof conflictMessage>[0]): StatusError {
  return new StatusError({
    code: 409,
    reason: 'Conflict',
    message: conflictMessage(conflicts),
    details: { causes: conflictCauses(conflicts) },
  });
}
