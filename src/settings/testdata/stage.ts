import { setTimeout as sleep } from 'node:timers/promises';
import type { Snapshot } from '../../core/api/index.ts';
import { printProblems } from '../../core/api/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import { type Change, type SettingsOptions, type SettingsReport, type SettingsWatch, watchSettings } from '../index.ts';
import { MemoryReader } from './memory-reader.ts';

/** Everything the settings said, one line each. */
export class Diary implements SettingsReport {
  readonly lines: string[] = [];
  readonly counts = new Map<string, number>();
  invalid: SettingsReport['invalid'] = (about, problems, kept) => {
    if (problems.length > 0)
      this.lines.push(`${about.kind} ${about.name}: ${printProblems(problems)}${kept ? ' (kept)' : ''}`);
  };
  rejected: SettingsReport['rejected'] = (about, reason) => {
    this.lines.push(`rejected ${about.namespace}/${about.name}: ${reason}`);
  };
  unreadable: SettingsReport['unreadable'] = (what, error) => {
    this.lines.push(`unreadable ${what}: ${error.message}`);
  };
  counted: SettingsReport['counted'] = (namespace, rejected) => {
    this.counts.set(namespace, rejected);
  };
}

/** A running watch over objects in memory. */
export interface Stage {
  readonly reader: MemoryReader;
  readonly diary: Diary;
  readonly settings: SettingsWatch;
  readonly changes: Change[];
  /** Waits until a snapshot holds what is asked. */
  readonly until: (holds: (snapshot: Snapshot) => boolean, what: string) => Promise<Snapshot>;
}

let opened: SettingsWatch | undefined;

/** Begins to watch; to be ended by `closeSettings`. */
export function openSettings(options: SettingsOptions): SettingsWatch {
  opened = watchSettings(options);
  return opened;
}

/** Ends what the last test began. */
export async function closeSettings(): Promise<void> {
  await opened?.stop();
  opened = undefined;
}

/** Opens the settings over some objects and waits for the first snapshot. */
export async function stage(objects: readonly KubeObject[], more: Partial<SettingsOptions> = {}): Promise<Stage> {
  const reader = new MemoryReader();
  for (const object of objects) reader.put(object);
  const diary = new Diary();
  const changes: Change[] = [];
  const installation = { controlPlane: 'argocd' };
  const settings = openSettings({ reader, installation, report: diary, debounceMs: 1, ...more });
  await settings.ready;
  settings.onChange((change) => changes.push(change));
  const until = async (holds: (snapshot: Snapshot) => boolean, what: string): Promise<Snapshot> => {
    for (let tries = 0; tries < 2000; tries++) {
      if (holds(settings.current())) return settings.current();
      await sleep(1);
    }
    throw new Error(`never: ${what}`);
  };
  return { reader, diary, settings, changes, until };
}

export const configMap = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'argocd' },
  data,
});
export const namespaces = (list: string): KubeObject => configMap('argocd-cmd-params-cm', { 'application.namespaces': list });
export const project = (
  name: string,
  spec: object,
  labels: Record<string, string> = {},
  namespace = 'argocd',
): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name, namespace, labels },
  spec,
});
export const secret = (namespace: string, name: string, type: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace,
    labels: { 'argocd.argoproj.io/secret-type': type },
    creationTimestamp: '2026-01-02T03:04:05Z',
  },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(value)])),
});
export const tenantCluster = (namespace: string, name: string, more: Record<string, string> = {}): KubeObject =>
  secret(namespace, name, 'cluster', {
    name,
    server: `https://${name}.example.com`,
    project: 'sample',
    config: JSON.stringify({ bearerToken: 't0k3n' }),
    ...more,
  });
export const sample = project('sample', {
  sourceNamespaces: ['tenant-a', 'tenant-b'],
  destinations: [{ server: '*', namespace: '*' }],
});

export const accepted = ({ clusters }: Snapshot): readonly string[] =>
  clusters.filter(({ acceptance }) => acceptance.accepted).map(({ namespace, secret: name }) => `${namespace}/${name}`);
