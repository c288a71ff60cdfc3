import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../api/index.ts';
import type { KubeObject } from '../objects/index.ts';
import { relevanceOf } from './index.ts';

interface Change {
  readonly spec?: object;
  readonly status?: object;
  readonly metadata?: object;
}

const deployment = ({ spec = { replicas: 1 }, status = { readyReplicas: 0 }, metadata = {} }: Change): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', ...metadata },
  spec,
  status,
});

const updates = 'resource.customizations.ignoreResourceUpdates.apps_Deployment';
const differences = 'resource.customizations.ignoreDifferences.apps_Deployment';
const replicas = 'jsonPointers: [/spec/replicas]';
const scaled: Change = { spec: { replicas: 2 } };
const ready: Change = { status: { readyReplicas: 1 } };

const rows: [string, Record<string, string>, Change, boolean][] = [
  ['17: a change of the status', {}, ready, false],
  ['a change of the specification', {}, scaled, true],
  [
    'a new version, generation and managers',
    {},
    { metadata: { resourceVersion: '2', generation: 2, managedFields: [] } },
    false,
  ],
  ['a label', {}, { metadata: { labels: { a: 'b' } } }, true],
  ['what ignoreResourceUpdates names', { [updates]: replicas }, scaled, false],
  ['what a rule for all kinds names', { 'resource.customizations.ignoreResourceUpdates.all': replicas }, scaled, false],
  ['what a jq rule names', { [updates]: 'jqPathExpressions: [.spec.replicas]' }, scaled, false],
  ['what ignoreDifferences names', { [differences]: replicas }, scaled, false],
  [
    'what ignoreDifferences names, where that is switched off',
    { [differences]: replicas, 'resource.compareoptions': 'ignoreDifferencesOnResourceUpdates: false' },
    scaled,
    true,
  ],
  ['a status that is compared', { 'resource.compareoptions': 'ignoreResourceStatusField: none' }, ready, true],
  [
    'a status that is compared for all but CRDs',
    { 'resource.compareoptions': 'ignoreResourceStatusField: crd' },
    ready,
    true,
  ],
  ['anything, where ignoring is switched off', { 'resource.ignoreResourceUpdatesEnabled': 'false' }, ready, true],
];

for (const [title, data, change, wakes] of rows) {
  test(`${title} ${wakes ? 'wakes' : 'does not wake'} the Application`, () => {
    const meaning = relevanceOf(readSettings(new Map(Object.entries(data))).value);
    const [before, now] = [deployment({}), deployment(change)].map((object) => JSON.stringify(meaning(object)));
    assert.equal(before !== now, wakes);
  });
}
