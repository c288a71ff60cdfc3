import type { Resource } from '../kube/index.ts';

const core = { group: '', version: 'v1', namespaced: true, verbs: ['get', 'list', 'watch'] } as const;

export const configMaps: Resource = { ...core, kind: 'ConfigMap', plural: 'configmaps' };
export const secrets: Resource = { ...core, kind: 'Secret', plural: 'secrets' };
export const appProjects: Resource = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'AppProject',
  plural: 'appprojects',
  namespaced: true,
  verbs: ['get', 'list', 'watch'],
};
