import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'js-yaml';
import type { ResourceOverride } from '../api/index.ts';
import type { JsonObject } from '../json/index.ts';
import { aggregateHealth, assess, customChecks, type Health } from './index.ts';

const now = (): number => Date.parse('2026-01-01T00:00:00Z') / 1000;

function check(script: string, yaml = '{}'): Health | undefined {
  const checks = customChecks(new Map([['example.io/Widget', { health: script }]]), now);
  const object = { apiVersion: 'example.io/v1', kind: 'Widget', ...(load(yaml) as JsonObject) };
  return assess(object, checks.of('example.io', 'Widget'));
}

/** A certificate of cert-manager, in the manner of checks that admins write. */
const certificate = `
local hs = {status = "Progressing", message = "Waiting for certificate"}
if obj.status == nil or obj.status.conditions == nil then return hs end
for _, c in ipairs(obj.status.conditions) do
  if c.type == "Issuing" and c.status == "True" then
    hs.message = c.message
    return hs
  end
end
for _, c in ipairs(obj.status.conditions) do
  if c.type == "Ready" then
    hs.status = c.status == "True" and "Healthy" or "Degraded"
    hs.message = c.message
  end
end
return hs`;

/** Synced and Ready as Crossplane's objects say it; helper functions, gotos and kinds without the conditions. */
const composite = `
local bare = {ProviderConfig = true, Usage = true}
local function has_no_status(kind) return bare[kind] ~= nil end
if has_no_status(obj.kind) or obj.status == nil or next(obj.status) == nil then
  if has_no_status(obj.kind) then return {status = "Healthy", message = "Resource is up-to-date."} end
  return {status = "Progressing", message = "Provisioning " .. obj.kind:lower() .. " ..."}
end
local seen = {}
for _, c in ipairs(obj.status.conditions or {}) do
  if c.type ~= "Synced" and c.type ~= "Ready" then goto continue end
  if c.status == "False" and c.type == "Synced" then return {status = "Degraded", message = c.message} end
  if c.status == "True" then seen[#seen + 1] = c.type end
  ::continue::
end
table.sort(seen)
if table.concat(seen, "+") == "Ready+Synced" then return {status = "Healthy", message = "Resource is up-to-date."} end
return {status = "Progressing", message = ("%d of 2 conditions"):format(#seen)}`;

/** A backup that must not be older than a day: times are texts, which a pattern takes apart. */
const backup = `
local y, m, d, H, M, S = string.match(obj.status.lastBackup, "^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)Z$")
local at = os.time({year = y, month = m, day = d, hour = H, min = M, sec = S})
local hours = math.floor((os.time() - at) / 3600)
if hours > 24 then return {status = "Degraded", message = "last backup is " .. hours .. " hours old"} end
return {status = "Healthy"}`;

const rows: readonly (readonly [name: string, script: string, yaml: string, wanted: Health])[] = [
  ['certificate', certificate, '{}', { status: 'Progressing', message: 'Waiting for certificate' }],
  [
    'certificate',
    certificate,
    '{status: {conditions: [{type: Ready, status: "True", message: up to date}]}}',
    { status: 'Healthy', message: 'up to date' },
  ],
  [
    'certificate',
    certificate,
    '{status: {conditions: [{type: Ready, status: "False", message: no}, {type: Issuing, status: "True", message: issuing}]}}',
    { status: 'Progressing', message: 'issuing' },
  ],
  [
    'certificate',
    certificate,
    '{status: {conditions: [{type: Ready, status: "False", message: no}]}}',
    { status: 'Degraded', message: 'no' },
  ],
  ['composite', composite, '{status: {}}', { status: 'Progressing', message: 'Provisioning widget ...' }],
  ['composite', composite, '{kind: Usage}', { status: 'Healthy', message: 'Resource is up-to-date.' }],
  [
    'composite',
    composite,
    '{status: {conditions: [{type: X}, {type: Synced, status: "True"}]}}',
    { status: 'Progressing', message: '1 of 2 conditions' },
  ],
  [
    'composite',
    composite,
    '{status: {conditions: [{type: Synced, status: "True"}, {type: Ready, status: "True"}]}}',
    { status: 'Healthy', message: 'Resource is up-to-date.' },
  ],
  [
    'composite',
    composite,
    '{status: {conditions: [{type: Synced, status: "False", message: denied}]}}',
    { status: 'Degraded', message: 'denied' },
  ],
  ['backup', backup, '{status: {lastBackup: "2025-12-31T12:00:00Z"}}', { status: 'Healthy' }],
  [
    'backup',
    backup,
    '{status: {lastBackup: "2025-12-29T21:00:00Z"}}',
    { status: 'Degraded', message: 'last backup is 51 hours old' },
  ],
  [
    'backup',
    backup,
    '{}',
    { status: 'Unknown', message: "line 2: attempt to index a nil value (field 'status')", failed: true },
  ],
];

for (const [name, script, yaml, wanted] of rows) {
  test(`${name}: ${yaml} is ${wanted.status} ${wanted.message ?? ''}`, () =>
    assert.deepEqual(check(script, yaml), wanted));
}

test('an answer counts by its shape: nothing is neutral, a status nobody knows is unknown, no table is an error', () => {
  const shapes: [string, Health][] = [
    ['return nil', { status: '' }],
    ['', { status: '' }],
    ['return {}', { status: '' }],
    ['return {message = "soon"}', { status: '', message: 'soon' }],
    ['return {status = "Healthy", message = "", more = {1}}', { status: 'Healthy', message: '' }],
    [
      'return "Healthy"',
      { status: 'Unknown', message: 'the health script must return a table, not a string', failed: true },
    ],
    [
      'return {status = 1}',
      { status: 'Unknown', message: 'the health script returned a status that is a number, not a text', failed: true },
    ],
    ['retrun {}', { status: 'Unknown', message: "line 1: assignment operator expected near '{'" }],
    ['while true do end', { status: 'Unknown', message: 'the script takes more than 200000 steps', failed: true }],
  ];
  for (const [script, wanted] of shapes) {
    // An empty script is no override at all.
    if (script === '') assert.equal(check(script), undefined);
    else if (script.startsWith('retrun')) assert.match(check(script)?.message ?? '', /^line 1: /);
    else assert.deepEqual(check(script), wanted);
  }
  assert.match(check('return {status = "Fine"}')?.message ?? '', /"Fine", which is none of Healthy, Suspended/);
});

test('53: an empty answer is neutral in the health of an Application', () => {
  const part = { live: true, counts: true };
  const empty = check('return {}');
  assert.deepEqual(aggregateHealth([{ ...part, health: empty }]), { status: 'Healthy' });
  assert.equal(
    aggregateHealth([
      { ...part, health: empty },
      { ...part, health: { status: 'Degraded' } },
    ]).status,
    'Degraded',
  );
});

test('111: an Ingress without a load balancer is progressing unless a check says otherwise', () => {
  const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' };
  const checks = customChecks(new Map([['networking.k8s.io/Ingress', { health: 'return {status = "Healthy"}' }]]), now);
  assert.equal(assess(ingress)?.status, 'Progressing');
  assert.equal(assess(ingress, checks.of('networking.k8s.io', 'Ingress'))?.status, 'Healthy');
});

test('112: a child Application has a health only where a check copies it', () => {
  const child = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', status: { health: { status: 'Degraded' } } };
  const copy =
    'hs = {status = "Progressing"} if obj.status and obj.status.health then hs = obj.status.health end return hs';
  const checks = customChecks(new Map([['argoproj.io/Application', { health: copy }]]), now);
  assert.equal(assess(child), undefined);
  assert.equal(assess(child, checks.of('argoproj.io', 'Application'))?.status, 'Degraded');
});

test('the very kind comes before patterns, long patterns before short ones, and objects being deleted before all', () => {
  const says = (message: string) => ({ health: `return {status = "Healthy", message = "${message}"}` });
  const checks = customChecks(
    new Map<string, ResourceOverride>([
      ['*/*', says('all')],
      ['*.example.io/*', says('group')],
      ['db.example.io/Cluster', says('exact')],
      ['Service', says('core')],
      ['apps/Deployment', { ignoreDifferences: {} }],
    ]),
    now,
  );
  const message = (group: string, kind: string): string | undefined => checks.of(group, kind)?.({})?.message;
  assert.equal(message('db.example.io', 'Cluster'), 'exact');
  assert.equal(message('db.example.io', 'Backup'), 'group');
  assert.equal(message('apps', 'Deployment'), 'all');
  assert.equal(message('', 'Service'), 'core');
  // As in Argo CD, the text of a core kind has no slash for a pattern to match.
  assert.equal(checks.of('', 'ConfigMap'), undefined);
  const leaving = { kind: 'Service', apiVersion: 'v1', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } };
  assert.equal(assess(leaving, checks.of('', 'Service'))?.message, 'Pending deletion');
});
