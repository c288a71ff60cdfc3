import assert from 'node:assert/strict';
import type { KubeObject } from '../../src/core/objects/index.ts';
import type { AuditEvent } from './real-audit.ts';
import { appView, type Stage, until } from './story.ts';

/** One Application of a tenant made with `tenantPlatform(tenant)`. */
export interface Subject {
  readonly stage: Stage;
  readonly tenant: string;
  readonly name: string;
}

const waves = Array.from({ length: 10 }, (_, wave) => `w${wave}`);
const hooks: Record<string, string> = {
  pre: 'argocd.argoproj.io/hook: PreSync',
  mid: 'argocd.argoproj.io/hook: Sync, argocd.argoproj.io/sync-wave: "5", argocd.argoproj.io/hook-delete-policy: HookSucceeded',
  post: 'argocd.argoproj.io/hook: PostSync',
};

/** What Git holds: ten waves, a hook before, one in the middle that goes when all is well, one after. */
export function tenWaves(name: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const [wave, part] of waves.entries())
    files[`${name}/${part}.yaml`] = configMap(`${name}-${part}`, `argocd.argoproj.io/sync-wave: "${wave}"`);
  for (const [part, notes] of Object.entries(hooks))
    files[`${name}/${part}.yaml`] = configMap(`${name}-${part}`, notes);
  return files;
}

function configMap(name: string, annotations: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, annotations: {${annotations}}}\ndata: {text: ${name}}\n`;
}

/**
 * The Application, and beside it what the cluster already holds: an object Git has no more, which is to go, and one of
 * somebody else, which is not.
 */
export function tenWaveApplication(tenant: string, name: string, repoURL: string, policy = ''): string {
  const shop = `${tenant}-shop`;
  const mark = `argocd.argoproj.io/tracking-id: '${tenant}-team_${name}:/ConfigMap:${shop}/${name}-old'`;
  return `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}-old, namespace: ${shop}, annotations: {${mark}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}-foreign, namespace: ${shop}}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ${tenant}-team}
spec:
  project: ${tenant}-team
  source: {repoURL: '${repoURL}', path: ${name}, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: ${shop}}
  syncPolicy: {automated: {prune: true, selfHeal: true}${policy}}
`;
}

/** Waits until the sync is over and the Application is Synced; a machine with other things to do may need minutes. */
export async function untilSynced(subject: Subject, deadlineMs = 240_000): Promise<void> {
  const read = () => appView(subject.stage, `${subject.tenant}-team`, subject.name);
  await until(
    read,
    (app) =>
      app?.operation === undefined &&
      app?.status?.sync?.status === 'Synced' &&
      app.status.operationState?.phase === 'Succeeded',
    deadlineMs,
  );
}

function partNames(name: string): Set<string> {
  return new Set([...waves, ...Object.keys(hooks), 'old', 'foreign'].map((part) => `${name}-${part}`));
}

/** Writes to the Application's ConfigMaps that the API server carried out. */
function writesOf({ stage, tenant, name }: Subject): AuditEvent[] {
  const names = partNames(name);
  return stage
    .writes('configmaps', `${tenant}-shop`)
    .filter(({ objectRef, responseStatus }) => names.has(objectRef?.name ?? '') && (responseStatus?.code ?? 0) < 300)
    .filter(({ requestURI }) => !requestURI.includes('fieldManager=story'));
}

/** What the audit log must show: everything made once and in order, deleted only what had to go, once. */
export function proveOnce(subject: Subject): void {
  const { name } = subject;
  const events = writesOf(subject);
  const made = events.filter(({ responseStatus }) => responseStatus?.code === 201);
  const early = ['pre', ...waves.slice(0, 5)];
  const late = [...waves.slice(6), 'post'];
  const order = made.map(({ objectRef }) => objectRef?.name?.slice(name.length + 1) ?? '');
  const middle = order.slice(early.length, -late.length).sort();
  assert.deepEqual(
    [order.slice(0, early.length), middle, order.slice(-late.length)],
    [early, ['mid', 'w5'], late],
    `${name} was made in the order ${order.join(' ')}`,
  );
  const deleted = events.filter(({ verb }) => verb.startsWith('delete')).map(({ objectRef }) => objectRef?.name ?? '');
  // The hook goes when it is seen to have succeeded, which may be before or after the prune.
  assert.deepEqual(deleted.toSorted(), [`${name}-mid`, `${name}-old`], `of ${name} was deleted`);
}

/**
 * A hook ran once: it was made by the first apply, and an apply that was sent again because nobody heard the answer found
 * it as it was. To ask for a hook is to apply it; taking its finalizer off again is a plain patch.
 */
export function proveHooksRanOnce(subject: Subject): void {
  for (const part of Object.keys(hooks)) {
    const asked = writesOf(subject).filter(
      ({ objectRef, requestURI }) => objectRef?.name === `${subject.name}-${part}` && requestURI.includes('force=true'),
    );
    assert.equal(asked[0]?.responseStatus?.code, 201);
    const versions = asked.map(({ responseObject }) => (responseObject as KubeObject).metadata.resourceVersion); // ours
    assert.equal(new Set(versions).size, 1, `the hook ${subject.name}-${part} was asked for ${asked.length} times`);
  }
}

/** What is there in the end, without what must differ between two Applications: names, identities, times. */
export async function endState({ stage, tenant, name }: Subject): Promise<unknown> {
  const app = await appView(stage, `${tenant}-team`, name);
  const status = app?.status;
  const objects = (await stage.list('ConfigMap', `${tenant}-shop`))
    .filter((object) => partNames(name).has(object.metadata.name ?? ''))
    .toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
    .map(({ metadata, ...rest }) => {
      const {
        uid: _uid,
        resourceVersion: _version,
        creationTimestamp: _made,
        managedFields: _owners,
        ...kept
      } = metadata;
      return { ...rest, metadata: kept };
    });
  const result = {
    objects,
    sync: status?.sync?.status,
    health: status?.health?.status,
    phase: status?.operationState?.phase,
    message: status?.operationState?.message,
    // What a row says of how it was done ("applied", "unchanged") depends on who heard the answer.
    results: status?.operationState?.syncResult?.resources?.map(({ message: _how, ...row }) => row),
    resources: status?.resources,
    conditions: status?.conditions?.map(({ type, message }) => ({ type, message })),
    history: status?.history?.length,
  };
  // Who never heard the answer to its own apply finds the object as it should be.
  const text = JSON.stringify(result)
    .replaceAll(name, '<app>')
    .replaceAll(/ (unchanged|serverside-applied)"/g, ' done"');
  return JSON.parse(text);
}
