import type { ApplicationSource } from '../core/api/index.ts';
import type { KubeObject } from '../core/objects/index.ts';

/** One file of a tree, by its path from the root of the repository. */
export interface TreeFile {
  readonly path: string;
  /** Content id: equal ids, equal bytes. */
  readonly id: string;
  readonly kind: 'file' | 'executable' | 'link' | 'submodule';
  readonly size?: number | undefined;
}

/** A repository at one commit, or an unpacked chart: all a render may read. `git` provides it. */
export interface SourceTree {
  /** The commit, chart version or digest; what `ARGOCD_APP_REVISION` says. */
  readonly revision: string;
  /** Id of the tree or file at a path; undefined where nothing is there. */
  idOf(path: string): Promise<string | undefined>;
  /** All files below a path, links as links. */
  files(path: string): Promise<readonly TreeFile[]>;
  /** Contents by id, in the order of the ids; a link's content is where it points. */
  read(ids: readonly string[]): Promise<readonly Buffer[]>;
  /** Writes the whole tree into an empty directory, for tools that need files; links that leave it are refused before. */
  exportTo(directory: string): Promise<void>;
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
}
