import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { at, isArray, isObject, type Json, type JsonObject, own, stringAt } from '../json/index.ts';
import {
  applyDefaults,
  applyObject,
  conflictCauses,
  conflictMessage,
  type FieldSet,
  jsonPatch,
  mergePatch,
  type PatchResult,
  type ResolveRef,
  type Schema,
  schemaFromOpenApi,
  setOf,
  strategicMergePatch,
  updateManagedFields,
} from './index.ts';

interface Step {
  readonly verb: 'create' | 'update' | 'apply' | 'json' | 'merge' | 'strategic' | 'delete';
  readonly manager?: string;
  readonly force?: boolean;
  readonly subresource?: string;
  readonly body: Json;
  readonly status: number;
  readonly answer: JsonObject;
}

interface Scenario {
  readonly title: string;
  readonly resource: string;
  readonly steps: readonly Step[];
}

interface Kind {
  readonly schema: Schema;
  readonly resolve: ResolveRef;
  readonly apiVersion: string;
  readonly custom: boolean;
}

/** Recorded from a real kube-apiserver by tools/kube-types/record-merge.ts. */
const scenarios = read<Scenario[]>('testdata/scenarios.json');
const [head] = read<Json[]>('testdata/validations.json');
const { types } = read<{ types: { [name: string]: Schema } }>('../../kubeserver/registry/types.generated.json');
const builtin = (type: string, apiVersion: string): Kind => ({
  schema: types[type] ?? {},
  resolve: (name) => types[name],
  apiVersion,
  custom: false,
});
const kinds: Record<string, Kind> = {
  configmaps: builtin('io.k8s.api.core.v1.ConfigMap', 'v1'),
  services: builtin('io.k8s.api.core.v1.Service', 'v1'),
  deployments: builtin('io.k8s.api.apps.v1.Deployment', 'apps/v1'),
  widgets: {
    schema: schemaFromOpenApi(own(head, 'schema') ?? {}),
    resolve: () => undefined,
    apiVersion: 'example.com/v1',
    custom: true,
  },
};

for (const { title, resource, steps } of scenarios) {
  let live: JsonObject | undefined;
  steps.forEach((step, index) => {
    const before = live;
    if (step.status < 300) live = step.answer;
    if (step.verb === 'delete') return;
    const kind = kinds[resource];
    assert.ok(kind);
    test(`a real API server does the same: ${title}: step ${index + 1}, ${step.verb}`, () => {
      if (step.verb === 'apply') checkApply(step, before, kind);
      else checkChange(step, before, kind);
    });
  });
}

function read<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as T; // fixtures of our own making
}

/** The moment of a step, as its answer tells it. */
function nowOf(step: Step): Date {
  const times = managed(step.answer).map((entry) => Date.parse(stringAt(entry, 'time') ?? ''));
  return new Date(Math.max(0, ...times.filter((time) => !Number.isNaN(time))));
}

function managed(object: Json | undefined): readonly Json[] {
  const list = at(object, 'metadata', 'managedFields');
  return isArray(list) ? list : [];
}

function ignoredBy(step: Step, { custom }: Kind): FieldSet | undefined {
  if (step.subresource === 'status') return custom ? setOf(['spec'], ['metadata']) : setOf(['spec']);
  return setOf(['status']);
}

function checkApply(step: Step, live: JsonObject | undefined, kind: Kind): void {
  const result = applyObject({
    ...kind,
    live,
    applied: step.body as JsonObject,
    manager: step.manager ?? '',
    force: step.force,
    subresource: step.subresource,
    ignored: ignoredBy(step, kind),
    now: nowOf(step),
  });
  // What only validation refuses was merged all the same.
  if (result.outcome === 'applied' && own(step.answer, 'reason') === 'Invalid') return;
  if (result.outcome === 'invalid') assert.equal(result.message, stringAt(step.answer, 'message'));
  else if (result.outcome === 'conflict') {
    assert.equal(conflictMessage(result.conflicts), stringAt(step.answer, 'message'));
    assert.deepEqual(conflictCauses(result.conflicts), at(step.answer, 'details', 'causes'));
  } else {
    assert.ok(step.status < 300, `applied, but the server says ${JSON.stringify(step.answer)}`);
    assert.deepEqual(managed(result.object), managed(step.answer));
    assert.deepEqual(settled(result.object, step, kind), plain(step.answer));
  }
}

function checkChange(step: Step, live: JsonObject | undefined, kind: Kind): void {
  const patched = change(step, live ?? {}, kind);
  if (patched.outcome === 'refused') {
    assert.ok(step.status >= 300, `${patched.message}, but the server says yes`);
    assert.deepEqual({ code: patched.code, message: patched.message }, { code: step.status, message: reasonOf(step) });
    return;
  }
  if (step.status >= 300) {
    assert.equal(own(step.answer, 'reason'), 'Invalid', `patched, but the server says ${JSON.stringify(step.answer)}`);
    return;
  }
  if (step.verb !== 'create') assert.deepEqual(settled(patched.value as JsonObject, step, kind), plain(step.answer));
  const sent = at(patched.value, 'metadata', 'managedFields');
  const tracked = updateManagedFields({
    ...kind,
    live,
    updated: { ...step.answer, metadata: withManaged(step.answer, sent) },
    manager: step.manager ?? 'fixture-recorder',
    subresource: step.subresource,
    ignored: ignoredBy(step, kind),
    now: nowOf(step),
  });
  assert.deepEqual(managed(tracked), managed(step.answer));
}

function withManaged(object: JsonObject, managedFields: Json | undefined): JsonObject {
  const { managedFields: _, ...rest } = own(object, 'metadata') as JsonObject; // every object has metadata
  return managedFields === undefined ? rest : { ...rest, managedFields };
}

function change(step: Step, live: JsonObject, kind: Kind): PatchResult {
  switch (step.verb) {
    case 'json':
      return jsonPatch(live, step.body);
    case 'strategic':
      return strategicMergePatch(live, step.body, kind.schema, kind.resolve);
    case 'create':
      return { outcome: 'patched', value: step.body };
    default:
      return isObject(step.body)
        ? { outcome: 'patched', value: mergePatch(live, step.body) }
        : { outcome: 'refused', code: 422, message: reasonOf(step), detail: '' };
  }
}

/** Refused JSON patches answer with a general sentence and the reason as a cause. */
function reasonOf(step: Step): string {
  const [cause] = (at(step.answer, 'details', 'causes') as JsonObject[] | undefined) ?? []; // a Status
  return stringAt(cause, 'message') ?? stringAt(step.answer, 'message') ?? '';
}

/** What the server makes of an object after merging: custom ones get their defaults, and what it keeps itself stays. */
function settled(object: JsonObject, step: Step, kind: Kind): Json {
  // Of a built-in kind, reading it into its Go type drops nulls.
  const filled = kind.custom
    ? applyDefaults(object, kind.schema, kind.resolve)
    : overlay(mergePatch({}, object), step.answer);
  return plain(withoutEmpty(filled) as JsonObject);
}

/** Defaults of built-in kinds are tested elsewhere: what the merge left open is taken from the answer. */
function overlay(object: Json, answer: Json): Json {
  if (isArray(object) && isArray(answer))
    return object.map((item, i) => (i < answer.length ? overlay(item, answer[i] ?? null) : item));
  if (!isObject(object) || !isObject(answer)) return object;
  const merged: [string, Json][] = Object.keys(object).map((key) => [
    key,
    overlay(object[key] ?? null, own(answer, key) ?? null),
  ]);
  const open = Object.entries(answer).filter(([key]) => !Object.hasOwn(object, key) && isDefault(key));
  return Object.fromEntries([...merged, ...open]);
}

const defaulted = new Set(
  'replicas strategy revisionHistoryLimit progressDeadlineSeconds resources terminationMessagePath terminationMessagePolicy imagePullPolicy restartPolicy terminationGracePeriodSeconds dnsPolicy securityContext schedulerName status protocol targetPort clusterIP clusterIPs type sessionAffinity ipFamilies ipFamilyPolicy internalTrafficPolicy defaultMode rollingUpdate'.split(
    ' ',
  ),
);

function isDefault(key: string): boolean {
  return defaulted.has(key);
}

function withoutEmpty(value: Json): Json {
  if (isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, item]) => !(isObject(item) && Object.keys(item).length === 0 && /^(labels|annotations|data)$/.test(key)),
  );
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutEmpty(item)]));
}

/** Without what a server keeps about an object. */
function plain(object: JsonObject): Json {
  const { metadata, ...rest } = object;
  const kept = Object.entries(isObject(metadata) ? metadata : {}).filter(
    ([key]) => !['managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp'].includes(key),
  );
  return { ...rest, metadata: Object.fromEntries(kept) };
}
