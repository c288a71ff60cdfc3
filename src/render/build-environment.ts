import type { ApplicationSource } from '../core/api/index.ts';
import type { RenderContext } from './types.ts';

/** The variables of a build, and whether anybody looked at the one that every commit changes. */
export interface BuildEnvironment {
  readonly variables: ReadonlyMap<string, string>;
  /** Replaces `$NAME` and `${NAME}`; `$$` is a dollar, unknown names are empty. */
  substitute(text: string): string;
  /** Some substitution asked for the revision, so the result belongs to this commit alone. */
  usedRevision(): boolean;
}

/** What tools and parameters may refer to. */
export function buildEnvironment(
  source: ApplicationSource,
  context: RenderContext,
  revision: string,
): BuildEnvironment {
  const variables = new Map([
    ['ARGOCD_APP_NAME', context.appName],
    ['ARGOCD_APP_NAMESPACE', context.namespace],
    ['ARGOCD_APP_PROJECT_NAME', context.project],
    ['ARGOCD_APP_REVISION', revision],
    ['ARGOCD_APP_REVISION_SHORT', revision.slice(0, 7)],
    ['ARGOCD_APP_REVISION_SHORT_8', revision.slice(0, 8)],
    ['ARGOCD_APP_SOURCE_REPO_URL', source.repoURL],
    ['ARGOCD_APP_SOURCE_PATH', source.path ?? ''],
    ['ARGOCD_APP_SOURCE_TARGET_REVISION', source.targetRevision ?? ''],
  ]);
  let revisionUsed = false;
  return {
    variables,
    substitute: (text) =>
      text.replace(/\$(?:\$|\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g, (whole, braced?: string, plain?: string) => {
        if (whole === '$$') return '$';
        const name = braced ?? plain ?? '';
        if (name.startsWith('ARGOCD_APP_REVISION')) revisionUsed = true;
        return variables.get(name) ?? '';
      }),
    usedRevision: () => revisionUsed,
  };
}
