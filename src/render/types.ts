import type { ApplicationSource } from '../core/api/index.ts';
import type { KubeObject } from '../core/objects/index.ts';

/** What lies at a path of a tree. */
export interface TreeItem {
  readonly kind: 'file' | 'executable' | 'link' | 'directory' | 'submodule';
  /** Content id: equal ids, equal bytes (of all files below, where it is a directory). */
  readonly id: string;
}

/** One file of a tree. */
export interface TreeFile {
  /** Relative to the path that was listed. */
  readonly path: string;
  readonly id: string;
  readonly kind: 'file' | 'executable' | 'link' | 'submodule';
}

/** A repository at one commit, or an unpacked chart: all a render may read. Links are never followed here. */
export interface SourceTree {
  /** The commit, chart version or digest; what `ARGOCD_APP_REVISION` says. */
  readonly revision: string;
  /** What lies at each path, `undefined` where nothing does (a path that goes through a link leads nowhere). */
  at(paths: readonly string[]): Promise<readonly (TreeItem | undefined)[]>;
  /** All files below a directory, links as links. */
  files(path: string): Promise<readonly TreeFile[]>;
  /** Contents by id, in the order of the ids; a link's content is where it points. */
  read(ids: readonly string[]): Promise<readonly Buffer[]>;
  /** Writes files and folders to their places below an empty directory; links that leave it are refused before. */
  exportTo(directory: string, paths: readonly string[]): Promise<void>;
}

/** What the render is told about the Application and the cluster. */
export interface RenderContext {
  /** Instance name: `team-a_shop`. */
  readonly appName: string;
  /** Destination namespace. */
  readonly namespace: string;
  readonly project: string;
  /** `v1.36.3`; asked for only by tools that depend on it, since it is part of the cache key then. */
  readonly kubeVersion: string;
  /** `apps/v1`, `apps/v1/Deployment`, … */
  readonly apiVersions: readonly string[];
  /** Why both are not known: a render that asks for them fails rather than guess. */
  readonly clusterUnknown?: string | undefined;
}

/** One source of an Application, with everything it refers to already resolved. */
export interface RenderRequest {
  readonly source: ApplicationSource;
  readonly tree: SourceTree;
  /** Trees of the other sources by their `ref`, for `$ref/…` value files. */
  readonly refs: ReadonlyMap<string, SourceTree>;
  readonly context: RenderContext;
  /** Whose cache entries these are: repository and credential scope. */
  readonly scope: string;
  readonly signal?: AbortSignal | undefined;
  /** A hard refresh: nothing remembered is used. */
  readonly fresh?: boolean | undefined;
}

/** An object and where it came from. */
export interface RenderedObject {
  readonly object: KubeObject;
  /** Path in the repository where that is known (plain files). */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

export type SourceType = 'Helm' | 'Kustomize' | 'Directory' | 'Plugin' | '';

export interface Rendering {
  readonly objects: readonly RenderedObject[];
  readonly sourceType: SourceType;
  /** For the Application's conditions: a duplicate key, a skipped link. */
  readonly warnings: readonly string[];
  readonly revision: string;
  /**
   * Paths from the root whose tree ids decide the result: while they stay the same, a new commit renders nothing.
   * Undefined: the whole tree.
   */
  readonly reads: readonly string[] | undefined;
  /** The same for the trees of other sources, by their `ref`. */
  readonly refReads?: ReadonlyMap<string, readonly string[]> | undefined;
  /** The result depends on the cluster's version and kinds. */
  readonly askedCluster?: boolean | undefined;
}
