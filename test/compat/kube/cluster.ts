/**
 * What every conformance case uses: one cluster per process, an admin's raw client, namespaces of its own.
 *
 * The suite runs unchanged against the embedded and the real cluster; expectations come from the real one.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Doc, RawClient, text } from '../../support/raw-client.ts';
import { type TestCluster, testCluster } from '../../support/test-cluster.ts';

let starting: Promise<TestCluster> | undefined;
let client: RawClient | undefined;

after(async () => {
  client?.close();
  if (starting !== undefined) await (await starting).stop();
});

/** The one cluster of this process. */
export function cluster(): Promise<TestCluster> {
  starting ??= testCluster();
  return starting;
}

/** A client of the administrator, in system:masters. */
export async function admin(): Promise<RawClient> {
  const { url, ca, adminToken } = await cluster();
  client ??= new RawClient({ url, ca, token: adminToken });
  return client;
}

/** A name nobody else uses in this run. */
export function unique(prefix: string): string {
  return `${prefix}-${randomBytes(4).toString('hex')}`;
}

/** Creates a namespace for one case and gives its name. */
export async function namespace(prefix = 'c'): Promise<string> {
  const name = unique(prefix);
  const api = await admin();
  const answer = await api.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  assert.equal(answer.status, 201, answer.text);
  return name;
}

/** The path of configmaps in a namespace, or of one: the simplest kind there is. */
export function configMaps(namespace: string, name?: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps${name === undefined ? '' : `/${name}`}`;
}

/** A ConfigMap to send. */
export function configMap(name: string, data: Record<string, string> = {}, metadata: object = {}): object {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } };
  return Object.keys(data).length === 0 ? body : { ...body, data };
}

/** Checks that an answer is a Status with this code and reason, and with this message if one is given. */
export function refused(answer: Answer, code: number, reason: string | undefined, message?: string | RegExp): void {
  assert.equal(answer.status, code, answer.text);
  assert.equal(answer.body.kind, 'Status', answer.text);
  assert.equal(answer.body.apiVersion, 'v1');
  assert.equal(answer.body.status, 'Failure');
  assert.equal(answer.body.code, code);
  assert.equal(answer.body.reason, reason, answer.text);
  if (typeof message === 'string') assert.equal(answer.body.message, message);
  if (message instanceof RegExp) assert.match(text(answer.body.message), message);
}

/** Checks the code of a successful answer and gives its body. */
export function ok(answer: Answer, code = 200): Doc {
  assert.equal(answer.status, code, answer.text);
  return answer.body;
}

/** Asks again until the check passes; at the deadline its last failure is thrown. */
export async function eventually<T>(check: () => Promise<T>, deadline = 30_000): Promise<T> {
  const end = Date.now() + deadline;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(50);
    }
  }
}
