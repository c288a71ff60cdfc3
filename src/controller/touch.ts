import { type Application, projectOf, sourcesOf } from '../core/api/index.ts';
import { normalizeRepositoryUrl } from '../core/match/index.ts';
import type { Change } from '../settings/index.ts';

/** Settings that change how every Application is judged; the others concern edges that look them up when needed. */
const everyone =
  /^argocd-gpg-keys-cm\/|^argocd-cmd-params-cm\/controller\.(diff|sync|self)\.|^argocd-cm\/(application\.|resource\.|installationID|cluster\.|kustomize\.|helm\.|jsonnet\.|source\.|timeout\.|configManagementPlugins)/;

/** What a pass last found out about an Application, as far as it tells whom a change concerns. */
export interface LastLook {
  /** The cluster it resolved to; undefined where it was refused. */
  readonly cluster: string | undefined;
}

/** Tells whether an Application has to be looked at again after a change of the settings. */
export function isTouched(change: Change, app: Application, last: LastLook | undefined): boolean {
  if (change.initial || change.namespaces) return true;
  if (change.projects.has(projectOf(app))) return true;
  // A refused Application may have waited for just this cluster.
  if (change.clusters.size > 0 && (last?.cluster === undefined || change.clusters.has(last.cluster))) return true;
  for (const key of change.settings) if (everyone.test(key)) return true;
  return readsFrom(app, change);
}

function readsFrom(app: Application, { repositories, templates }: Change): boolean {
  if (repositories.size === 0 && templates.size === 0) return false;
  return sourcesOf(app).some(({ repoURL }) => {
    const address = normalizeRepositoryUrl(repoURL) ?? repoURL;
    return repositories.has(address) || [...templates].some((prefix) => repoURL.startsWith(prefix));
  });
}
