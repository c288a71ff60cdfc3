import { ArgosyError } from '../../core/errors/index.ts';
import { isObject, type JsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { Client, IdentityHeaders } from '../call/client.ts';
import { fromStatusObject } from '../errors/translate.ts';
import { shallow } from '../list/shallow.ts';
import { CallLimit } from '../transport/limit.ts';
import type { AccessReview, CallOptions, LogOptions, Resource } from '../types.ts';
import { pods } from '../well-known.ts';
import { objectPath } from './path.ts';

/** Who calls: the connection's client, and in whose name. */
export interface Caller {
  readonly client: Client;
  readonly identity: IdentityHeaders | undefined;
}

const readMs = 30_000;

/** Where an object is. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** Throws what a Status says unless it says success: some servers put one beside HTTP 200. */
export function throwIfFailed(answer: JsonObject, subject: string, secrets: readonly string[]): void {
  if (answer['kind'] === 'Status' && answer['status'] !== 'Success')
    throw fromStatusObject(answer, { status: 500, subject, secrets });
}

/** An answer that must be a Kubernetes object. */
export function asObject(answer: JsonObject, subject: string, secrets: readonly string[]): KubeObject {
  throwIfFailed(answer, subject, secrets);
  if (typeof answer['apiVersion'] === 'string' && typeof answer['kind'] === 'string' && isObject(answer['metadata']))
    return shallow(answer as unknown as KubeObject); // the three fields every object has are there
  throw new ArgosyError('kube-malformed', `${subject}: the answer is no Kubernetes object`, { subject });
}

/** `team-a/web`, or `web` for what has no namespace. */
export function placeText(place: Place): string {
  return place.namespace === '' ? place.name : `${place.namespace}/${place.name}`;
}

/** Reads one object. */
export async function get(
  caller: Caller,
  resource: Resource,
  place: Place,
  options: CallOptions & { subresource?: string } = {},
): Promise<KubeObject> {
  const subject = `get ${resource.plural} ${placeText(place)}`;
  const answer = await caller.client.json({
    method: 'GET',
    path: objectPath(resource, { ...place, subresource: options.subresource }),
    subject,
    repeatable: 'always',
    identity: caller.identity,
    deadlineMs: options.deadlineMs ?? readMs,
    signal: options.signal,
  });
  const object = asObject(answer, subject, caller.client.secrets());
  if (object.kind === 'Status')
    throw new ArgosyError('kube-malformed', `${subject}: the answer is a Status`, { subject });
  return object;
}

/** Asks the server whether the caller may do something. An answer without a decision is an error, not a no. */
export async function mayI(caller: Caller, review: AccessReview, options: CallOptions = {}): Promise<boolean> {
  const subject = `may I ${review.verb} ${review.resource}`;
  const answer = await caller.client.json({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    subject,
    repeatable: 'always',
    body: JSON.stringify({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: review },
    }),
    identity: caller.identity,
    deadlineMs: options.deadlineMs ?? readMs,
    signal: options.signal,
  });
  const allowed = objectAt(answer, 'status')?.['allowed'];
  if (typeof allowed !== 'boolean')
    throw new ArgosyError('kube-malformed', `${subject}: the answer decides nothing`, { subject });
  return allowed;
}

/** Streams the log of a pod as text. Without `follow` it ends with the log as it is. */
export async function logs(
  caller: Caller,
  pod: Place,
  options: LogOptions,
  onText: (text: string) => void,
): Promise<void> {
  const subject = `logs of ${placeText(pod)}`;
  const { container, follow, tailLines, sinceSeconds, previous, timestamps, limitBytes } = options;
  const query = { container, follow, tailLines, sinceSeconds, previous, timestamps, limitBytes };
  // A followed log lasts as long as the pod; the caller's signal ends it.
  const limit = new CallLimit(
    subject,
    options.deadlineMs ?? (follow === true ? undefined : 5 * 60_000),
    options.signal,
  );
  try {
    await caller.client.text(
      {
        method: 'GET',
        path: objectPath(pods, { ...pod, subresource: 'log' }, query),
        subject,
        repeatable: 'always',
        accept: 'application/json, text/plain, */*',
        identity: caller.identity,
        deadlineMs: 0,
      },
      'stream',
      limit,
      onText,
    );
  } catch (error) {
    throw limit.ended ?? error;
  } finally {
    limit.dispose();
  }
}

/** The version the server says it is. */
export async function version(
  caller: Caller,
  options: CallOptions = {},
): Promise<{ readonly gitVersion: string; readonly major: string; readonly minor: string }> {
  const answer = await caller.client.json({
    method: 'GET',
    path: '/version',
    subject: 'version',
    repeatable: 'always',
    identity: caller.identity,
    deadlineMs: options.deadlineMs ?? readMs,
    signal: options.signal,
  });
  const text = (key: string): string => stringAt(answer, key) ?? '';
  if (text('gitVersion') === '') throw new ArgosyError('kube-malformed', 'version: the answer is no version');
  return { gitVersion: text('gitVersion'), major: text('major'), minor: text('minor') };
}
