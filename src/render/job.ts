import type { ApplicationSource } from '../core/api/index.ts';
import { ArgosyError } from '../core/errors/index.ts';
import type { BuildEnvironment } from './build-environment.ts';
import type { RenderLimits } from './limits.ts';
import type { RenderSettings } from './settings.ts';
import type { Tools } from './tools/find.ts';
import type { Workspace } from './tools/workspace.ts';
import type { TreeView } from './tree/view.ts';
import type { RenderContext, RenderedObject, SourceType } from './types.ts';
import type { DocumentReader } from './yaml/reader.ts';

/** Everything one render works with. */
export interface RenderJob {
  /** With the overrides of the repository applied. */
  readonly source: ApplicationSource;
  /** Where the source lies in its tree, links followed. */
  readonly path: string;
  readonly view: TreeView;
  /** The trees of other sources by their `ref`. */
  readonly refs: ReadonlyMap<string, TreeView>;
  readonly context: RenderContext;
  readonly environment: BuildEnvironment;
  readonly settings: RenderSettings;
  readonly limits: RenderLimits;
  readonly tools: Tools;
  readonly reader: DocumentReader;
  /** Lends a private directory. */
  workspace<T>(use: (workspace: Workspace) => Promise<T>): Promise<T>;
}

/** What a render made. */
export interface Product {
  readonly objects: readonly RenderedObject[];
  readonly warnings: readonly string[];
  readonly sourceType: SourceType;
  /** About how much room the objects take. */
  readonly bytes: number;
  /** The result depends on the cluster's version and kinds. */
  readonly askedCluster?: boolean;
  /** The result depends on the commit itself, not only on files. */
  readonly askedRevision?: boolean;
}

/** For a render that depends on the cluster: throws where the cluster is not known and the source does not say all of it. */
export function requireCluster(
  { context }: Pick<RenderJob, 'context'>,
  told: { readonly kubeVersion?: string | undefined; readonly apiVersions?: readonly string[] | undefined } = {},
): void {
  if (context.clusterUnknown === undefined || (told.kubeVersion !== undefined && told.apiVersions !== undefined))
    return;
  throw new ArgosyError(
    'unknown',
    `the source asks what the cluster can do, which is not known: ${context.clusterUnknown}`,
  );
}
