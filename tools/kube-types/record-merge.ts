// Records how a real kube-apiserver merges, owns, defaults and validates: src/core/merge/testdata/*.json.
//
//   node tools/kube-types/record-merge.ts
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, JsonObject } from '../../src/core/json/index.ts';
import { mergePatch } from '../../src/core/merge/index.ts';
import { startRealCluster } from '../../test/support/real-cluster.ts';
import { crdSchemas } from './bad-schemas.ts';
import { type Answer, type Caller, callerOf } from './call.ts';
import { scenarios } from './merge-scenarios.ts';
import type { Scenario, Step } from './scenarios/scenario.ts';
import { widgetDefinition, widgetSchema, widgetSpecs } from './widget-crd.ts';

const target = 'src/core/merge/testdata';
const roots = {
  configmaps: '/api/v1',
  services: '/api/v1',
  deployments: '/apis/apps/v1',
  widgets: '/apis/example.com/v1',
};
const types = {
  apply: 'application/apply-patch+yaml',
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

const cluster = await startRealCluster({ own: true, controllers: false });
try {
  const call = callerOf(cluster);
  await defineWidgets(call);
  mkdirSync(target, { recursive: true });
  const validations = [];
  for (const row of widgetSpecs) validations.push(await recordSpec(call, row));
  writeRows('validations', [{ schema: widgetSchema }, ...validations]);
  const definitions = [];
  for (const row of crdSchemas) definitions.push(await recordSchema(call, row));
  writeRows('structural', definitions);
  const recorded = await Promise.all(scenarios.map((scenario) => recordScenario(call, scenario)));
  writeRows('scenarios', recorded);
} finally {
  await cluster.stop();
}

function writeRows(name: string, rows: readonly JsonObject[]): void {
  writeFileSync(`${target}/${name}.json`, `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);
  console.log(`${target}/${name}.json: ${rows.length} rows`);
}

async function defineWidgets(call: Caller): Promise<void> {
  const made = await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition);
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  for (let i = 0; i < 100; i++) {
    const { status } = await call('GET', '/apis/example.com/v1/namespaces/default/widgets');
    if (status === 200) return;
    await sleep(200);
  }
  throw new Error('widgets are not served');
}

async function recordSpec(
  call: Caller,
  row: { title: string; spec: JsonObject; old?: JsonObject },
): Promise<JsonObject> {
  const path = '/apis/example.com/v1/namespaces/default/widgets';
  const object = (name: string, spec: JsonObject): JsonObject => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'default' },
    spec,
  });
  if (row.old !== undefined) {
    const stored = await call('POST', path, object('old', row.old));
    const changed = mergePatch(stored.body, { spec: null }) as JsonObject; // of an object
    const answer = await call('PUT', `${path}/old`, { ...changed, spec: row.spec });
    await call('DELETE', `${path}/old`);
    return { title: row.title, old: row.old, spec: row.spec, ...outcome(answer) };
  }
  const lenient = await call('POST', `${path}?dryRun=All&fieldValidation=Ignore`, object('example', row.spec));
  const strict = await call('POST', `${path}?dryRun=All&fieldValidation=Strict`, object('example', row.spec));
  return { title: row.title, spec: row.spec, ...outcome(lenient), strict: { ...outcome(strict) } };
}

async function recordSchema(call: Caller, row: { title: string; schema: JsonObject }): Promise<JsonObject> {
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: row.schema } };
  const answer = await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version] },
  });
  return { ...row, ...outcome(answer) };
}

function outcome(answer: Answer): { status: number; body: Json } {
  return { status: answer.status, body: answer.body };
}

async function recordScenario(call: Caller, { title, resource, name, steps }: Scenario): Promise<JsonObject> {
  const collection = `${roots[resource]}/namespaces/default/${resource}`;
  const rows: JsonObject[] = [];
  for (const step of steps) {
    // Times have a resolution of a second: each step gets one of its own.
    await sleep(1100);
    const answer = await take(call, step, collection, name);
    rows.push({ ...step, status: answer.status, answer: answer.body });
  }
  return { title, resource, name, steps: rows };
}

async function take(call: Caller, step: Step, collection: string, name: string): Promise<Answer> {
  const path = `${collection}/${name}${step.subresource === undefined ? '' : `/${step.subresource}`}`;
  const query = new URLSearchParams({ fieldValidation: 'Ignore' });
  if (step.manager !== undefined) query.set('fieldManager', step.manager);
  if (step.force === true) query.set('force', 'true');
  if (step.verb === 'create') return call('POST', `${collection}?${query.toString()}`, step.body);
  if (step.verb === 'delete') return call('DELETE', path);
  if (step.verb === 'update') {
    const stored = await call('GET', path);
    return call('PUT', `${path}?${query.toString()}`, mergePatch(stored.body, step.body));
  }
  return call('PATCH', `${path}?${query.toString()}`, step.body, types[step.verb]);
}
