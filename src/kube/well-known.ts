import { parseApiVersion } from '../core/objects/index.ts';
import type { Resource } from './types.ts';

// The kinds we ask for by name: every cluster serves them, or our own CRDs do, so that nobody has to discover them first.

/** Argo CD's Applications. */
export const applications = known('argoproj.io/v1alpha1', 'Application', 'applications');
/** Argo CD's projects. */
export const appProjects = known('argoproj.io/v1alpha1', 'AppProject', 'appprojects');
/** ConfigMaps, in which settings are written. */
export const configMaps = known('v1', 'ConfigMap', 'configmaps');
/** Secrets, in which clusters and repositories are written. */
export const secrets = known('v1', 'Secret', 'secrets');
/** Events of the core group, as `kubectl describe` shows them. */
export const events = known('v1', 'Event', 'events');
/** Pods, whose logs are read. */
export const pods = known('v1', 'Pod', 'pods');
/** The accounts that tenants deploy as. */
export const serviceAccounts = known('v1', 'ServiceAccount', 'serviceaccounts');

function known(apiVersion: string, kind: string, plural: string): Resource {
  return { ...parseApiVersion(apiVersion), kind, plural, namespaced: true, verbs: [] };
}
