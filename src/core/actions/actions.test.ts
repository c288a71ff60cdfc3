import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { at, type JsonObject } from '../json/index.ts';
import { type ActionParams, resourceActions } from './index.ts';

const now = (): number => Date.parse('2026-01-02T03:04:05Z') / 1000;
const yaml = (text: string): JsonObject => load(text) as JsonObject;
const builtIn = resourceActions(new Map(), now);
const none: ActionParams = new Map();

function object(kind: string, rest: string): JsonObject {
  const [apiVersion = '', name = ''] = kind.split(' ');
  return { apiVersion, kind: name, ...yaml(rest) };
}

/** `name` where it can be done, `(name)` where not as the object is. */
function names(actions: typeof builtIn, given: JsonObject): string {
  const answer = actions.discover(given);
  assert.ok(answer.ok, answer.ok ? '' : answer.message);
  return answer.value.map(({ name, disabled }) => (disabled === true ? `(${name})` : name)).join(' ');
}

const discoveries: readonly (readonly [kind: string, rest: string, wanted: string])[] = [
  ['apps/v1 Deployment', '{}', 'pause restart (resume) scale'],
  ['apps/v1 Deployment', '{spec: {paused: true}}', '(pause) restart resume scale'],
  ['apps/v1 StatefulSet', '{}', 'restart scale'],
  ['apps/v1 DaemonSet', '{}', 'restart'],
  ['batch/v1 Job', '{}', 'suspend terminate'],
  ['batch/v1 Job', '{spec: {suspend: true}}', 'resume terminate'],
  ['batch/v1 Job', '{status: {conditions: [{type: Failed, status: "True"}]}}', ''],
  ['batch/v1 Job', '{status: {conditions: [{type: FailureTarget, status: "True"}]}}', ''],
  ['batch/v1 CronJob', '{}', 'create-job suspend'],
  ['batch/v1 CronJob', '{spec: {suspend: true}}', 'create-job resume'],
  ['argoproj.io/v1alpha1 Rollout', '{}', '(abort) (pause) (promote-full) restart (resume) (retry) (skip-current-step)'],
  [
    'argoproj.io/v1alpha1 Rollout',
    '{spec: {strategy: {canary: {steps: [{}]}}}, status: {pauseConditions: [{}], currentPodHash: b, stableRS: a}}',
    'abort pause promote-full restart resume (retry) skip-current-step',
  ],
  ['argoproj.io/v1alpha1 AnalysisRun', '{status: {phase: Running}}', 'terminate'],
  ['v1 ConfigMap', '{}', ''],
];

for (const [kind, rest, wanted] of discoveries) {
  test(`${kind} ${rest} offers ${wanted === '' ? 'nothing' : wanted}`, () =>
    assert.equal(names(builtIn, object(kind, rest)), wanted));
}

const changes: readonly (readonly [kind: string, rest: string, action: string, path: string, wanted: unknown])[] = [
  [
    'apps/v1 Deployment',
    '{spec: {template: {metadata: {annotations: {a: b}}}}}',
    'restart',
    'spec template metadata annotations',
    { a: 'b', 'kubectl.kubernetes.io/restartedAt': '2026-01-02T03:04:05Z' },
  ],
  [
    'apps/v1 DaemonSet',
    '{}',
    'restart',
    'spec template metadata annotations kubectl.kubernetes.io/restartedAt',
    '2026-01-02T03:04:05Z',
  ],
  ['apps/v1 Deployment', '{spec: {paused: true, x: 1}}', 'resume', 'spec', { x: 1 }],
  ['apps/v1 Deployment', '{spec: {x: 1}}', 'pause', 'spec', { x: 1, paused: true }],
  ['batch/v1 Job', '{}', 'suspend', 'spec', { suspend: true }],
  [
    'batch/v1 Job',
    '{status: {active: 1, conditions: [{type: X}]}}',
    'terminate',
    'status conditions',
    [
      { type: 'X' },
      {
        type: 'FailureTarget',
        status: 'True',
        reason: 'ManuallyTerminated',
        message: 'Job was terminated by a person',
        lastTransitionTime: '2026-01-02T03:04:05Z',
      },
    ],
  ],
  [
    'argoproj.io/v1alpha1 Rollout',
    '{metadata: {generation: 2}, status: {observedGeneration: "2", stableRS: a}}',
    'promote-full',
    'status',
    { observedGeneration: '2', stableRS: 'a', promoteFull: true },
  ],
  [
    'argoproj.io/v1alpha1 Rollout',
    '{spec: {strategy: {canary: {steps: [{}, {}]}}}, status: {observedGeneration: 7c8f, stableRS: a, abort: true}}',
    'promote-full',
    'status',
    { observedGeneration: '7c8f', stableRS: 'a', currentStepIndex: 2 },
  ],
  ['batch/v1 CronJob', '{spec: {suspend: true}}', 'resume', 'spec', { suspend: false }],
  ['argoproj.io/v1alpha1 Rollout', '{spec: {paused: true}, status: {pauseConditions: [{}]}}', 'resume', 'status', {}],
  ['argoproj.io/v1alpha1 Rollout', '{status: {abort: true, stableRS: a}}', 'retry', 'status', { stableRS: 'a' }],
  [
    'argoproj.io/v1alpha1 Rollout',
    '{spec: {strategy: {canary: {steps: [{}, {}]}}}}',
    'skip-current-step',
    'status',
    { currentStepIndex: 1 },
  ],
];

for (const [kind, rest, action, path, wanted] of changes) {
  test(`${action} of ${kind} ${rest} changes ${path}`, () => {
    const before = object(kind, rest);
    const text = JSON.stringify(before);
    const answer = builtIn.run(before, action, none);
    assert.ok(answer.ok && answer.value.length === 1);
    assert.equal(answer.value[0]?.operation, 'patch');
    assert.deepEqual(at(answer.value[0]?.resource, ...path.split(' ')), wanted);
    assert.equal(JSON.stringify(before), text);
  });
}

test('scaling takes a whole number and nothing else', () => {
  const deployment = object('apps/v1 Deployment', '{spec: {replicas: 1}}');
  const scaled = (replicas: string) => builtIn.run(deployment, 'scale', new Map([['replicas', replicas]]));
  const answer = scaled('3');
  assert.equal(answer.ok && at(answer.value[0]?.resource, 'spec', 'replicas'), 3);
  for (const bad of ['', '-1', '1.5', 'many', '1e3', '9999999']) {
    const refused = scaled(bad);
    assert.match(refused.ok ? '' : refused.message, /^replicas must be a whole number/, bad);
  }
});

test('a CronJob run by hand makes the Job that its schedule would make', () => {
  const cron = object(
    'batch/v1 CronJob',
    `{metadata: {name: ${'n'.repeat(52)}, namespace: a, uid: u}, spec: {jobTemplate: {metadata: {labels: {x: y}}, spec: {template: {spec: {}}}}}}`,
  );
  const answer = builtIn.run(cron, 'create-job', none);
  assert.ok(answer.ok);
  assert.deepEqual(answer.value, [
    {
      operation: 'create',
      resource: {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          name: `${'n'.repeat(37)}-20260102030405`,
          namespace: 'a',
          labels: { x: 'y' },
          annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' },
          ownerReferences: [
            {
              apiVersion: 'batch/v1',
              kind: 'CronJob',
              name: 'n'.repeat(52),
              uid: 'u',
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
        spec: { template: { spec: {} } },
      },
    },
  ]);
});

test('an action that is not there, or not for now, is refused with a sentence', () => {
  const deployment = object('apps/v1 Deployment', '{metadata: {name: web}}');
  const refused = (name: string): string => {
    const answer = builtIn.run(deployment, name, none);
    return answer.ok ? '' : answer.message;
  };
  assert.equal(refused('explode'), 'there is no action explode for Deployment web');
  assert.equal(refused('constructor'), 'there is no action constructor for Deployment web');
  assert.equal(refused('resume'), 'the action resume does not apply to Deployment web as it is');
});

const written = `
mergeBuiltinActions: true
discovery.lua: |
  local actions = {}
  actions["tune"] = {iconClass = "fa fa-wrench", displayName = "Tune", params = {{name = "level", default = "1"}}}
  actions["empty"] = {disabled = obj.spec.selector == nil}
  actions["restart"] = {disabled = true}
  actions["backup"] = {}
  return actions
definitions:
- name: tune
  action.lua: |
    local os = require("os")
    obj.metadata.labels = obj.metadata.labels or {}
    obj.metadata.labels.level = actionParams["level"]
    return obj
- name: empty
  action.lua: |
    obj.spec.selector = {}
    obj.metadata.labels = {}
    return obj
- name: backup
  action.lua: |
    local job = {apiVersion = "batch/v1", kind = "Job", metadata = {name = obj.metadata.name .. "-backup"}}
    obj.spec.selector = {}
    return {{operation = "create", resource = job}, {operation = "patch", resource = obj}}
- name: wrong
  action.lua: return 5
`;

test('actions of an admin stand before the built-in ones, and empty maps stay maps', () => {
  const actions = resourceActions(new Map([['apps/Deployment', { actions: written }]]), now);
  const deployment = object(
    'apps/v1 Deployment',
    '{metadata: {name: web, annotations: {}}, spec: {selector: {a: b}, list: []}}',
  );
  assert.equal(names(actions, deployment), 'backup empty pause (restart) (resume) scale tune');
  const tuned = actions.run(deployment, 'tune', new Map([['level', '7']]));
  assert.deepEqual(tuned.ok && at(tuned.value[0]?.resource, 'metadata'), {
    name: 'web',
    annotations: {},
    labels: { level: '7' },
  });
  const emptied = actions.run(deployment, 'empty', none);
  assert.deepEqual(emptied.ok && at(emptied.value[0]?.resource, 'spec'), { selector: {}, list: [] });
  assert.deepEqual(emptied.ok && at(emptied.value[0]?.resource, 'metadata', 'labels'), {});
  const saved = actions.run(deployment, 'backup', none);
  assert.deepEqual(saved.ok && saved.value.map(({ operation, resource }) => [operation, resource['kind']]), [
    ['create', 'Job'],
    ['patch', 'Deployment'],
  ]);
  assert.deepEqual(saved.ok && at(saved.value[1]?.resource, 'spec', 'selector'), {});
});

test('without mergeBuiltinActions only the actions of the admin count', () => {
  const only = 'discovery.lua: return {mine = {}}\ndefinitions: [{name: mine, action.lua: return obj}]';
  const actions = resourceActions(new Map([['apps/Deployment', { actions: only }]]), now);
  assert.equal(names(actions, object('apps/v1 Deployment', '{}')), 'mine');
  assert.equal(names(actions, object('apps/v1 DaemonSet', '{}')), 'restart');
});

test('a script that fails answers with its line, and one that returns nonsense with what it should', () => {
  const failing: [string, RegExp][] = [
    ['discovery.lua: return obj.status.x', /^line 1: attempt to index a nil value \(field 'status'\)$/],
    ['discovery.lua: return 5', /must return a table, not a number/],
    ['discovery.lua: return {a = {}}', /the action a has no definition/],
    [
      '{discovery.lua: "return {a = {}}", definitions: [{name: a, action.lua: return 5}]}',
      /action.lua must return a table/,
    ],
    [
      '{discovery.lua: "return {a = {}}", definitions: [{name: a, action.lua: "return {x = 1}"}]}',
      /without apiVersion/,
    ],
    [
      '{discovery.lua: "return {a = {}}", definitions: [{name: a, action.lua: "return {{operation = \\"delete\\"}}"}]}',
      /create or patch/,
    ],
    [
      '{discovery.lua: "return {a = {}}", definitions: [{name: a, action.lua: "while true do end"}]}',
      /takes more than/,
    ],
    ['- no map', /no YAML map/],
  ];
  for (const [actions, message] of failing) {
    const answer = resourceActions(new Map([['v1x/Thing', { actions }]]), now).run(
      object('v1x/v1 Thing', '{}'),
      'a',
      none,
    );
    assert.match(answer.ok ? 'ok' : answer.message, message, actions);
  }
});
