import type { RenderSource } from '../controller/index.ts';
import { instanceName, projectOf, type Settings } from '../core/api/index.ts';
import { type Renderer, type RenderSettings, renderSettings } from '../render/index.ts';

/** What the settings say about rendering: the same object as long as they are the same. */
export function renderSettingsOf(current: () => Settings): () => RenderSettings {
  const known = new WeakMap<Settings, RenderSettings>();
  return () => {
    const settings = current();
    const made = known.get(settings) ?? renderSettings(settings);
    known.set(settings, made);
    return made;
  };
}

/** Hands an Application's source to the renderer with what the build may know of it. */
export function renderWith(renderer: Renderer, controlPlane: string): RenderSource {
  return (app, input, { own, refs }) =>
    renderer.render({
      source: input.source,
      tree: own,
      refs,
      scope: `${input.scope}\n${input.url}`,
      context: {
        appName: instanceName(app, controlPlane),
        namespace: app.spec.destination.namespace ?? '',
        project: projectOf(app),
        kubeVersion: '',
        apiVersions: noApis,
      },
    });
}

const noApis: readonly string[] = [];
