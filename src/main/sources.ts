import { join } from 'node:path';
import { environment, homeDirectory, toolsDirectory } from '../config/index.ts';
import { createGit, type Git, parseConstraint, pickVersion } from '../git/index.ts';
import {
  type Charts,
  createCharts,
  createRenderer,
  type Renderer,
  type RendererOptions,
  type RenderSettings,
} from '../render/index.ts';
import type { SettingsWatch } from '../settings/index.ts';
import { createSpawner, type Spawner } from '../spawn/index.ts';
import type { Logger } from '../telemetry/index.ts';

/** What leads from a repository or a chart to manifests. */
export interface SourceParts {
  readonly git: Git;
  readonly charts: Charts;
  readonly renderer: Renderer;
  close(): Promise<void>;
}

/** What it is made with. */
export interface SourceOptions {
  readonly settings: Pick<SettingsWatch, 'current'>;
  readonly renderSettings: () => RenderSettings;
  /** Where mirrors and private directories lie. */
  readonly cacheDir: string;
  readonly log: Logger;
}

/** Puts git, charts and the renderer together, all under the settings of the moment. */
export function openSources(options: SourceOptions): SourceParts {
  const { settings, renderSettings, cacheDir } = options;
  const spawner = openSpawner(options);
  const caBundle = (host: string): string | undefined => settings.current().tlsCertificates.get(host);
  const git = createGit({
    spawner,
    cacheDir: join(cacheDir, 'mirrors'),
    allowedHosts: () => settings.current().settings.outbound.sourceHosts,
    trust: { caBundle, knownHosts: () => settings.current().knownHosts },
  });
  const renderer = createRenderer({ spawner, settings: renderSettings, tools: toolPlaces() });
  const charts = createCharts({
    outbound: () => settings.current().settings.outbound,
    caBundle,
    pickVersion: (written, versions) => {
      const constraint = parseConstraint(written);
      return constraint === undefined ? undefined : pickVersion(constraint, versions);
    },
  });
  const close = async (): Promise<void> => {
    git.close();
    await renderer.close();
    await charts.close();
    await spawner.close();
  };
  return { git, charts, renderer, close };
}

function openSpawner({ cacheDir, log }: SourceOptions): Spawner {
  const hidden = [join(cacheDir, 'mirrors'), join(homeDirectory(), '.kube')];
  const spawner = createSpawner({ temporaryRoot: join(cacheDir, 'scratch'), hidden });
  void spawner.confinement().then(
    ({ why }) => why !== undefined && log.warn('tools that render are less confined than they could be', { why }),
    // Shut down before it was known, or there is no place for private directories, which every render will tell.
    () => undefined,
  );
  return spawner;
}

function toolPlaces(): RendererOptions['tools'] {
  const { HELM: helm, KUSTOMIZE: kustomize, JSONNET: jsonnet, PATH: path } = environment();
  const paths = { ...(helm && { helm }), ...(kustomize && { kustomize }), ...(jsonnet && { jsonnet }) };
  return { paths, directory: toolsDirectory(), path };
}
