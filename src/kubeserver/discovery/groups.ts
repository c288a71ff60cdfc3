import { printApiVersion } from '../../core/objects/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { Served } from '../registry/served.ts';

/** One API group with its versions, the preferred first. */
export interface Group {
  readonly name: string;
  readonly versions: readonly {
    readonly name: string;
    readonly apiVersion: string;
    readonly kinds: readonly Served[];
  }[];
}

/** Every served group in the order they are listed: built-in ones as in the table, then custom ones by name. */
export function groupsOf(registry: Registry): Group[] {
  const byGroup = new Map<string, Map<string, Served[]>>();
  for (const served of registry.all()) {
    const { group, version } = served.info;
    const versions = byGroup.get(group) ?? new Map<string, Served[]>();
    byGroup.set(group, versions);
    versions.set(version, [...(versions.get(version) ?? []), served]);
  }
  return [...byGroup].map(([name, versions]) => ({
    name,
    versions: [...versions]
      .map(([version, kinds]) => ({ name: version, apiVersion: printApiVersion(name, version), kinds }))
      .sort((a, b) => compareVersions(b.name, a.name)),
  }));
}

/** Kubernetes' order of versions: v2 > v1 > v1beta2 > v1beta1 > v1alpha1 > anything else by name. */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [versionParts(a), versionParts(b)];
  if (x === undefined || y === undefined) {
    if (x !== undefined) return 1;
    if (y !== undefined) return -1;
    return a < b ? 1 : a > b ? -1 : 0;
  }
  return x[0] - y[0] || x[1] - y[1] || x[2] - y[2];
}

function versionParts(version: string): [number, number, number] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const [, major = '0', stage, minor = '0'] = match;
  return [stage === undefined ? 2 : stage === 'beta' ? 1 : 0, Number(major), Number(minor)];
}
