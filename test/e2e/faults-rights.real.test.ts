import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { ControllerProcess } from '../support/controller-process.ts';
import { type FaultStage, openFaultStage } from '../support/fault-stage.ts';
import { type AppView, appView, until } from '../support/story.ts';
import { untilSynced } from '../support/ten-waves.ts';
import { tenantPlatform } from '../support/tenant.ts';

let faults: FaultStage;
let controller: ControllerProcess;
let calmBytes: number;

before(async () => {
  faults = await openFaultStage('rights');
  controller = await faults.startController();
  await faults.proveCalm(await faults.begin('calm'));
  calmBytes = await controller.memory();
});

after(() => faults?.stop());

afterEach(() => faults.calls.script(undefined));

const view = (name: string): Promise<AppView | undefined> => appView(faults.stage, 'rights-team', name);
const deployer = {
  user: 'system:serviceaccount:rights-shop:deployer',
  groups: ['system:serviceaccounts', 'system:authenticated'],
};
const mayWrite = (): Promise<boolean> =>
  faults.stage.connection
    .as(deployer)
    .mayI({ group: '', resource: 'configmaps', verb: 'patch', namespace: 'rights-shop' });

/** What the controller made or deleted of an Application, in order. */
function history(name: string): string[] {
  return faults.stage
    .writes('configmaps', 'rights-shop')
    .filter(({ userAgent, objectRef }) => userAgent === 'argosy/test' && objectRef?.name?.startsWith(`${name}-`))
    .flatMap(({ verb, objectRef, responseStatus }) => {
      const part = objectRef?.name?.slice(name.length + 1) ?? '';
      if (responseStatus?.code === 201) return [part];
      return verb.startsWith('delete') && responseStatus?.code === 200 ? [`-${part}`] : [];
    });
}

test('a credential that expires in the middle of a sync and is renewed costs nothing but time', async () => {
  const { subject, release } = await faults.beginHeldAt('expiry', 'w5');
  const refused = new Set<string>();
  // Watches of now go on until they end; what is asked anew is refused.
  release(({ path }) => {
    refused.add(path);
    return { answer: 401 };
  });
  await until(
    () => Promise.resolve(refused.size),
    (count) => count > 0,
  );
  faults.calls.expireWatches();
  await until(
    () => Promise.resolve(refused.size),
    (count) => count > 8,
  );
  faults.calls.script(undefined);
  await faults.proveCalm(subject);
});

test('rights revoked in the middle of a sync end it as forbidden; granted again, a retry ends as without', async () => {
  const { subject, release } = await faults.beginHeldAt(
    'revoked',
    'w5',
    ', retry: {limit: -1, backoff: {duration: 1s, factor: 1}}',
  );
  await faults.stage.remove('RoleBinding', 'rights-shop', 'deployer');
  await until(mayWrite, (may) => !may);
  release();
  const refused = await until(
    () => view('revoked'),
    (app) => /forbidden/.test(app?.status?.operationState?.message ?? ''),
    240_000,
  );
  assert.equal(refused?.status?.operationState?.phase, 'Running');
  assert.match(refused?.status?.operationState?.message ?? '', /Retrying attempt #/);
  assert.deepEqual(history('revoked').slice(0, 7), ['pre', '-old', 'w0', 'w1', 'w2', 'w3', 'w4']);
  await faults.stage.apply(tenantPlatform('rights'));
  await untilSynced(subject);
  // A retry is a new attempt: it runs its own hooks, after those of the last one have gone, and makes nothing else again.
  const all = history('revoked');
  const objects = all.filter((part) => /^-?w/.test(part));
  assert.deepEqual(objects, ['w0', 'w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7', 'w8', 'w9']);
  for (const hook of ['pre', 'mid', 'post']) {
    const runs = all.filter((part) => part === hook || part === `-${hook}`);
    runs.reduce((before, now) => {
      assert.notEqual(before, now, `${hook}: ${runs.join(' ')}`);
      return now;
    }, '');
  }
  assert.equal(all.filter((part) => part === '-old').length, 1);
});

test('all these refusals have left nothing behind in memory', async (context) => {
  const bytes = await controller.memory();
  context.diagnostic(`${(calmBytes / 2 ** 20).toFixed(1)} MiB before, ${(bytes / 2 ** 20).toFixed(1)} MiB after`);
  assert.ok(bytes <= 1.25 * calmBytes, `${bytes} after ${calmBytes}`);
});
