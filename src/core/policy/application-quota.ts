import { type Application, namespaceOfApplication } from '../api/index.ts';
import type { EffectiveProject } from './effective.ts';
import { withinQuota } from './quota.ts';
import { type Denied, denied } from './verdict.ts';

/**
 * The Applications a project's quota has no room for, with the refusal each gets. To be given all Applications that are
 * associated with the project; it is asked again when one of them comes or goes.
 */
export function applicationsOverQuota(
  project: EffectiveProject,
  applications: readonly Application[],
): ReadonlyMap<Application, Denied> {
  const limit = project.project.spec.quota?.applications;
  const over = new Map<Application, Denied>();
  if (limit === undefined || applications.length <= limit) return over;
  const aged = applications.map((app) => ({
    namespace: namespaceOfApplication(app, project.controlPlane),
    name: app.metadata.name,
    creationTimestamp: app.metadata.creationTimestamp ?? '',
    app,
  }));
  const within = withinQuota(limit, aged);
  const message = `project '${project.name}' has a quota of ${limit} applications, which older Applications use up`;
  for (const each of aged) if (!within.has(each)) over.set(each.app, denied('over-quota', message));
  return over;
}
