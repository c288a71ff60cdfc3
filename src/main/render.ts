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

/** A text that says what the settings do to rendering: the same as long as that is the same. */
export function renderKeyOf(current: () => RenderSettings): () => string {
  const known = new WeakMap<RenderSettings, string>();
  return () => {
    const settings = current();
    const { kustomize } = settings;
    const text =
      known.get(settings) ?? JSON.stringify({ ...settings, kustomize: { ...kustomize, paths: [...kustomize.paths] } });
    known.set(settings, text);
    return text;
  };
}

/** Hands an Application's source to the renderer with what the build may know of it. */
export function renderWith(renderer: Renderer, controlPlane: string): RenderSource {
  return (app, input, { own, refs, fresh, served }) =>
    renderer.render({
      source: input.source,
      tree: own,
      refs,
      fresh,
      scope: `${input.scope}\n${input.url}`,
      context: {
        appName: instanceName(app, controlPlane),
        namespace: app.spec.destination.namespace ?? '',
        project: projectOf(app),
        kubeVersion: served.known ? served.kubeVersion : '',
        apiVersions: served.known ? served.apiVersions : noApis,
        clusterUnknown: served.known ? undefined : served.reason,
      },
    });
}

const noApis: readonly string[] = [];
