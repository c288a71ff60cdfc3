import {
  at,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  own,
  stringAt,
  thaw,
} from '../../core/json/index.ts';
import { jsonPatch, mergePatch } from '../../core/merge/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { mediaType, parseJson, parseYaml } from '../http/body.ts';
import type { Exchange } from '../http/exchange.ts';
import { printed } from '../printed.ts';
import { findStored } from '../registry/find-stored.ts';
import type { Served } from '../registry/served.ts';
import { updateObject } from '../registry/write.ts';
import { badRequest, conflict } from '../status.ts';
import type { Handler } from './handler.ts';
import { writeOptions } from './write-options.ts';

/** GET, PUT and PATCH of the number of replicas. */
export const scale: Handler = async (exchange, served, cluster) => {
  const { info, user } = exchange;
  if (info.verb === 'get') {
    exchange.send(200, scaleOf(findStored(cluster, served, info).object, served));
    return;
  }
  const kind = info.verb === 'update' ? 'UpdateOptions' : 'PatchOptions';
  const isApply = mediaType(exchange.header('content-type')) === 'application/apply-patch+yaml';
  const { dryRun, manager } = writeOptions(info.query, kind, exchange.header('user-agent') ?? '', isApply);
  const body = await readBody(exchange);
  const make = (old: KubeObject): MutableJsonObject => {
    const wanted = info.verb === 'update' ? body : patched(exchange, scaleOf(old, served), body);
    const version = stringAt(wanted, 'metadata', 'resourceVersion') ?? '';
    if (info.verb === 'update' && version !== '' && version !== old.metadata.resourceVersion)
      throw conflict(served.info, info.name);
    return withReplicas(old, served, wanted);
  };
  const { object } = await updateObject(
    cluster,
    served,
    { subresource: 'scale', make },
    { info, user, dryRun, manager },
  );
  exchange.send(200, scaleOf(object, served));
};

async function readBody(exchange: Exchange): Promise<JsonObject | readonly Json[]> {
  const text = (await exchange.body()).toString('utf8');
  const value =
    text.trimStart().startsWith('{') || text.trimStart().startsWith('[') ? parseJson(text) : parseYaml(text);
  exchange.requestObject = value;
  if (!isObject(value) && !Array.isArray(value)) throw badRequest('the body is no object');
  return value;
}

function patched(exchange: Exchange, current: JsonObject, patch: Json): Json {
  if (mediaType(exchange.header('content-type')) !== 'application/json-patch+json') return mergePatch(current, patch);
  const result = jsonPatch(current, patch);
  if (result.outcome === 'refused') throw badRequest(result.message);
  return result.value;
}

function pathsOf(served: Served): { spec: string[]; status: string[]; selector: string[] } {
  const split = (path: string): string[] => path.split('.').filter((part) => part !== '');
  const custom = served.custom?.scale;
  if (custom === undefined) return { spec: ['spec', 'replicas'], status: ['status', 'replicas'], selector: [] };
  return { spec: split(custom.spec), status: split(custom.status), selector: split(custom.labelSelector) };
}

function scaleOf(object: KubeObject, served: Served): JsonObject {
  const json = asJson(object);
  const paths = pathsOf(served);
  const { name = '', namespace = '', uid = '', resourceVersion = '', creationTimestamp = '' } = object.metadata;
  const selector =
    served.custom === undefined ? selectorText(at(json, 'spec', 'selector')) : printed(at(json, ...paths.selector));
  const replicas = at(json, ...paths.spec);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: { replicas: at(json, ...paths.status) ?? 0, ...(selector === '' ? {} : { selector }) },
  };
}

function selectorText(selector: Json | undefined): string {
  const labels = own(selector, 'matchLabels') ?? selector;
  if (!isObject(labels)) return '';
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${printed(labels[key])}`)
    .join(',');
}

function withReplicas(old: KubeObject, served: Served, wanted: Json): MutableJsonObject {
  const replicas = at(wanted, 'spec', 'replicas') ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) throw badRequest('spec.replicas must be an integer');
  const object = thaw(asJson(old));
  const path = pathsOf(served).spec;
  let target = object;
  for (const key of path.slice(0, -1)) {
    if (!isObject(target[key])) target[key] = {};
    target = target[key] as MutableJsonObject; // part of our own copy
  }
  target[path.at(-1) ?? 'replicas'] = replicas;
  (object['metadata'] as MutableJsonObject)['resourceVersion'] = ''; // checked before
  return object;
}
