import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FaultStage, openFaultStage } from '../support/fault-stage.ts';
import { appView, until } from '../support/story.ts';
import { endState, type Subject, untilSynced } from '../support/ten-waves.ts';

let faults: FaultStage;
let calm: unknown;

before(async () => {
  faults = await openFaultStage('writers');
  await faults.startController();
  const subject = await faults.begin('calm');
  await faults.proveCalm(subject);
  calm = objectsOf(await endState(subject));
});

after(() => faults?.stop());

const objectsOf = (state: unknown): unknown => (state as { objects: unknown }).objects; // of `endState`
const made = ({ name }: Subject): (string | undefined)[] => byController(name, ({ code }) => code === 201);
const deleted = ({ name }: Subject): (string | undefined)[] =>
  byController(name, ({ code, verb }) => verb.startsWith('delete') && code < 300);

function byController(name: string, counts: (write: { verb: string; code: number }) => boolean): string[] {
  return faults.stage
    .writes('configmaps', 'writers-shop')
    .filter(({ userAgent, objectRef }) => userAgent === 'argosy/test' && objectRef?.name?.startsWith(`${name}-`))
    .filter(({ verb, responseStatus }) => counts({ verb, code: responseStatus?.code ?? 0 }))
    .map(({ objectRef }) => objectRef?.name?.slice(name.length + 1) ?? '');
}

const untilObjects = (subject: Subject): Promise<unknown> =>
  until(
    async () => JSON.stringify(objectsOf(await endState(subject))),
    (found) => found === JSON.stringify(calm),
    240_000,
  );

test('two controllers at once, by mistake, end where one would', async () => {
  const second = await faults.startController();
  try {
    await faults.proveCalm(await faults.begin('twice'));
  } finally {
    await second.kill();
  }
});

// What it hears late looks as if somebody had deleted hooks and objects, or had not made them yet.
test('a second controller that hears everything late repeats no hook and fails nothing', async () => {
  const second = await faults.startController({ lateMs: 700 });
  try {
    await faults.proveCalm(await faults.begin('late'));
    const hooks = await deleteWithHooks('leaving');
    assert.deepEqual(hooks, ['leaving-before', 'leaving-after']);
  } finally {
    await second.kill();
  }
});

/** Deletes an Application with a hook before and one after, both of which go when all is well; answers what was made. */
async function deleteWithHooks(name: string): Promise<string[]> {
  const hook = (type: string) =>
    `argocd.argoproj.io/hook: ${type}, argocd.argoproj.io/hook-delete-policy: HookSucceeded`;
  const part = (suffix: string, annotations: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}-${suffix}, annotations: {${annotations}}}\n`;
  faults.repository.commit({
    [`${name}/before.yaml`]: part('before', hook('PreDelete')),
    [`${name}/object.yaml`]: part('object', ''),
    [`${name}/after.yaml`]: part('after', hook('PostDelete')),
  });
  await faults.stage.apply(`
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: writers-team, finalizers: [resources-finalizer.argocd.argoproj.io]}
spec:
  project: writers-team
  source: {repoURL: '${faults.repository.url}', path: ${name}, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: writers-shop}
  syncPolicy: {automated: {}}
`);
  const subject = { stage: faults.stage, tenant: 'writers', name };
  await untilSynced(subject);
  await until(
    () => appView(faults.stage, 'writers-team', name),
    (app) => (app?.metadata.finalizers?.length ?? 0) === 5,
    240_000,
  );
  await faults.stage.remove('Application', 'writers-team', name);
  await until(
    () => faults.stage.get('Application', 'writers-team', name),
    (app) => app === undefined,
    240_000,
  );
  return made(subject).flatMap((suffix) => (suffix === 'object' ? [] : [`${name}-${suffix}`]));
}

test('who edits the Application in the middle of its sync keeps the edit, and the sync goes on as if nothing was', async () => {
  for (const [name, part] of [
    ['edited', 'w6'],
    ['edited-late', 'post'],
  ] as const) {
    const { subject, release } = await faults.beginHeldAt(name, part);
    await faults.stage.patch('Application', 'writers-team', name, {
      metadata: { labels: { team: 'blue' } },
      spec: { info: [{ name: 'owner', value: 'blue' }], revisionHistoryLimit: 5 },
    });
    release();
    await faults.proveCalm(subject);
    const asked = faults.stage
      .writes('configmaps', 'writers-shop')
      .filter(
        ({ objectRef, requestURI }) => objectRef?.name?.startsWith(`${name}-w`) && requestURI.includes('force=true'),
      );
    assert.equal(asked.length, 10, 'a wave was applied twice');
    const app = await faults.stage.get('Application', 'writers-team', name);
    assert.equal(app?.metadata.labels?.['team'], 'blue');
  }
});

test('fields that another manager takes in the middle of a sync are put right', async () => {
  const { subject, release } = await faults.beginHeldAt('fields', 'w6');
  await faults.stage.apply(
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fields-w2, namespace: writers-shop}\ndata: {text: other}\n',
  );
  release();
  await untilObjects(subject);
  await untilSynced(subject);
  assert.deepEqual(deleted(subject), ['old', 'mid']);
  assert.deepEqual(
    made(subject).filter((part) => ['pre', 'mid', 'post'].includes(part ?? '')),
    ['pre', 'mid', 'post'],
  );
});

test('what somebody deletes right after it was applied is made again, and nothing else', async () => {
  const { subject, release } = await faults.beginHeldAt('deleted', 'w6');
  await faults.stage.remove('ConfigMap', 'writers-shop', 'deleted-w2');
  release();
  await untilObjects(subject);
  await untilSynced(subject);
  assert.deepEqual(deleted(subject), ['old', 'mid']);
  const parts = made(subject);
  assert.deepEqual(
    parts.filter((part) => part !== 'w2'),
    [...new Set(parts)].filter((part) => part !== 'w2'),
    'something else was made twice',
  );
  assert.equal(parts.filter((part) => part === 'w2').length, 2);
});

test('an object that took the place of one to be pruned is left alone', async () => {
  const { subject, release } = await faults.beginHeldAt('replaced', 'old');
  // Of the same name, not marked as the Application's: the delete on its way meant another one.
  await faults.stage.remove('ConfigMap', 'writers-shop', 'replaced-old');
  await faults.stage.apply(
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: replaced-old, namespace: writers-shop}\n',
  );
  release();
  await untilSynced(subject);
  assert.deepEqual(deleted(subject), ['mid']);
  assert.notEqual(await faults.stage.get('ConfigMap', 'writers-shop', 'replaced-old'), undefined);
});
