import { readParams, readSettings, type Snapshot } from '../../src/core/api/index.ts';

/** Settings as they come, one project that says nothing, and nothing else. */
export const plainSnapshot = {
  revision: 1,
  settings: readSettings(new Map()).value,
  params: readParams(new Map()).value,
  repositories: [],
  clusters: [],
  appNamespaces: [],
  controlPlane: 'argocd',
  brokenProjects: new Map(),
  projects: new Map([['default', { metadata: { name: 'default' }, spec: {} }]]),
} as unknown as Snapshot; // what sources do not read is left out
