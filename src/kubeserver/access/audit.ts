import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { isObject, type Json, type JsonObject, type MutableJsonObject, stringAt } from '../../core/json/index.ts';
import type { Auditor, AuditRecord } from '../ports.ts';
import { userInfo } from './token-reviews.ts';

export type AuditLevel = 'Metadata' | 'Request' | 'RequestResponse';

/** Kinds whose bodies hold credentials: never logged beyond metadata, whatever the level. */
function isSecret({ info }: AuditRecord): boolean {
  if (info.group === 'authentication.k8s.io') return info.resource === 'tokenreviews';
  return info.group === '' && (info.resource === 'secrets' || info.subresource === 'token');
}

const writes = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** Bodies are told of writes only: a list would fill the log with what is stored anyway. */
function isWrite({ info }: AuditRecord): boolean {
  return info.isResource && writes.includes(info.verb);
}

/** One request as a line of Kubernetes' audit log (`audit.k8s.io/v1` Event). */
export function auditEvent(record: AuditRecord, wanted: AuditLevel): JsonObject {
  const level = isSecret(record) || !isWrite(record) ? 'Metadata' : wanted;
  const { info } = record;
  const query = info.query.toString();
  const event: { [key: string]: Json } = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level,
    auditID: record.auditID,
    stage: record.stage,
    requestURI: record.requestURI ?? (query === '' ? info.path : `${info.path}?${query}`),
    verb: info.verb,
    // Who shows a wrong credential is nobody, not the anonymous user.
    user: record.code === 401 ? {} : userInfo(record.user),
  };
  if (record.impersonated !== undefined) event['impersonatedUser'] = userInfo(record.impersonated);
  event['sourceIPs'] = [record.sourceIP];
  if (record.userAgent !== '') event['userAgent'] = record.userAgent;
  if (info.isResource) event['objectRef'] = objectRef(record);
  event['responseStatus'] = outcome(record);
  if (level !== 'Metadata' && record.requestObject !== undefined) event['requestObject'] = record.requestObject;
  if (level === 'RequestResponse' && record.responseObject !== undefined)
    event['responseObject'] = record.responseObject;
  event['requestReceivedTimestamp'] = micro(record.requestReceived);
  event['stageTimestamp'] = micro(record.stageTime);
  if (Object.keys(record.annotations).length > 0) event['annotations'] = { ...record.annotations };
  return event;
}

/** What the request was about; a create names its object only in the body. */
function objectRef({ info, requestObject }: AuditRecord): JsonObject {
  const ref: MutableJsonObject = { resource: info.resource };
  const set = (key: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') ref[key] = value;
  };
  const sent = (key: string): string | undefined => stringAt(requestObject, 'metadata', key);
  set('namespace', info.namespace);
  set('name', info.name === '' && info.verb === 'create' ? sent('name') : info.name);
  if (info.verb === 'update') set('uid', sent('uid'));
  set('apiGroup', info.group);
  set('apiVersion', info.version);
  if (info.verb === 'update') set('resourceVersion', sent('resourceVersion'));
  set('subresource', info.subresource);
  return ref;
}

/** How the request ended: the code, and of a Status that was answered what it says. */
function outcome({ code, responseStatus, responseObject }: AuditRecord): JsonObject {
  const found = isObject(responseObject) && responseObject['kind'] === 'Status' ? responseObject : responseStatus;
  const told: { [key: string]: Json } = { metadata: {} };
  for (const key of ['status', 'message', 'reason', 'details']) {
    const value = found?.[key];
    if (value !== undefined) told[key] = value;
  }
  told['code'] = code;
  return told;
}

function micro(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}

/** Appends events to a file in the order they are told. Written at once, so that nothing told is lost on a stop. */
export function openAudit(file: string, level: AuditLevel = 'Metadata'): Auditor {
  const handle = openSync(file, 'a', 0o600);
  let open = true;
  return {
    record: (entry) => {
      if (open) writeSync(handle, `${JSON.stringify(auditEvent(entry, level))}\n`);
    },
    close: async () => {
      if (!open) return;
      open = false;
      fsyncSync(handle);
      closeSync(handle);
    },
  };
}
