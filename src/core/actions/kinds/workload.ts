import { at, type JsonObject } from '../../json/index.ts';
import { changed } from '../change.ts';
import type { ActionOption, ActionParams, Clock, Impact, KindActions } from '../types.ts';

/** What one action does to an object. */
export type Act = (object: JsonObject, params: ActionParams) => readonly Impact[];

/** Actions from a table of what each does, and what can be done with an object as it is. */
export function actionsOf(
  acts: Readonly<Record<string, Act>>,
  options: (object: JsonObject) => readonly ActionOption[],
): KindActions {
  return {
    options,
    run: (name, object, params) => (Object.hasOwn(acts, name) ? acts[name]?.(object, params) : undefined),
  };
}

/** The action that leaves the object changed. */
export const patching =
  (change: (object: JsonObject, params: ActionParams) => JsonObject): Act =>
  (object, params) => [{ operation: 'patch', resource: change(object, params) }];

/** `2026-01-02T03:04:05Z`. */
export function timeText(now: Clock): string {
  return new Date(now() * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

const restartedAt = ['spec', 'template', 'metadata', 'annotations', 'kubectl.kubernetes.io/restartedAt'] as const;

const restart = (now: Clock): Act => patching((object) => changed(object, restartedAt, timeText(now)));

/** More than any cluster runs; a slip of the finger should not ask for it. */
const maxReplicas = 100_000;

const scale: Act = patching((object, params) => {
  const written = params.get('replicas') ?? '';
  const replicas = /^\d{1,6}$/.test(written) ? Number(written) : Number.NaN;
  if (!(replicas <= maxReplicas)) {
    throw new Error(
      `replicas must be a whole number from 0 to ${maxReplicas}, not ${JSON.stringify(written.slice(0, 40))}`,
    );
  }
  return changed(object, ['spec', 'replicas'], replicas);
});

/** The icons by which Argo CD's UI and its tools know the actions. */
export const icon = (name: string): string => `fa fa-fw fa-${name}`;

const scaleOption: ActionOption = { name: 'scale', iconClass: icon('plus-circle'), params: [{ name: 'replicas' }] };
const restartOption: ActionOption = { name: 'restart', iconClass: icon('redo') };

/** Restart, scale, pause and resume. */
export function deploymentActions(now: Clock): KindActions {
  return actionsOf(
    {
      restart: restart(now),
      scale,
      pause: patching((object) => changed(object, ['spec', 'paused'], true)),
      resume: patching((object) => changed(object, ['spec', 'paused'], undefined)),
    },
    (object) => {
      const paused = at(object, 'spec', 'paused') === true;
      return [
        restartOption,
        { name: 'pause', iconClass: icon('pause-circle'), disabled: paused },
        { name: 'resume', iconClass: icon('play-circle'), disabled: !paused },
        scaleOption,
      ];
    },
  );
}

/** Restart and scale. */
export function statefulSetActions(now: Clock): KindActions {
  return actionsOf({ restart: restart(now), scale }, () => [restartOption, scaleOption]);
}

/** Restart. */
export function daemonSetActions(now: Clock): KindActions {
  return actionsOf({ restart: restart(now) }, () => [restartOption]);
}
