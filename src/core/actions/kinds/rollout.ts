import { at, isArray, type JsonObject } from '../../json/index.ts';
import { changed } from '../change.ts';
import type { Clock, KindActions } from '../types.ts';
import { actionsOf, patching, timeText } from './workload.ts';

/** What the Argo Rollouts plugin does, as changes of the object. */
export function rolloutActions(now: Clock): KindActions {
  return actionsOf(
    {
      restart: patching((object) => changed(object, ['spec', 'restartAt'], timeText(now))),
      pause: patching((object) => changed(object, ['spec', 'paused'], true)),
      resume: patching(resumed),
      abort: patching((object) => changed(object, ['status', 'abort'], true)),
      retry: patching((object) => changed(object, ['status', 'abort'], undefined)),
      'promote-full': patching(promoted),
      'skip-current-step': patching((object) =>
        changed(resumed(object), ['status', 'currentStepIndex'], stepOf(object) + 1),
      ),
    },
    (object) => {
      const [paused, aborted] = [isPaused(object), at(object, 'status', 'abort') === true];
      const underWay = at(object, 'status', 'currentPodHash') !== at(object, 'status', 'stableRS');
      return [
        { name: 'restart', displayName: 'Restart Pods' },
        { name: 'pause', disabled: !underWay || aborted || at(object, 'spec', 'paused') === true },
        { name: 'resume', disabled: !paused },
        { name: 'abort', disabled: !underWay || aborted },
        { name: 'retry', disabled: !underWay || !aborted },
        { name: 'promote-full', disabled: !underWay || (isOld(object) && isBlueGreen(object)) },
        { name: 'skip-current-step', disabled: stepOf(object) >= stepsOf(object) },
      ];
    },
  );
}

/** Stops an analysis. */
export function analysisRunActions(): KindActions {
  const over = ['Successful', 'Failed', 'Error', 'Inconclusive'];
  return actionsOf({ terminate: patching((object) => changed(object, ['spec', 'terminate'], true)) }, (object) => {
    const phase = at(object, 'status', 'phase');
    return [{ name: 'terminate', disabled: typeof phase === 'string' && over.includes(phase) }];
  });
}

/** Controllers before 0.10 wrote a hash as the generation, and knew no full promotion: they are sent to the last step. */
function isOld(object: JsonObject): boolean {
  const observed = Number(at(object, 'status', 'observedGeneration') ?? Number.NaN);
  const generation = Number(at(object, 'metadata', 'generation') ?? 0);
  return Number.isNaN(observed) || observed > generation;
}

function isBlueGreen(object: JsonObject): boolean {
  return at(object, 'spec', 'strategy', 'blueGreen') !== undefined;
}

function promoted(object: JsonObject): JsonObject {
  if (!isOld(object)) return changed(object, ['status', 'promoteFull'], true);
  const retried = changed(object, ['status', 'abort'], undefined);
  const steps = stepsOf(object);
  return steps === 0 ? retried : changed(retried, ['status', 'currentStepIndex'], steps);
}

function resumed(object: JsonObject): JsonObject {
  const unpaused = at(object, 'spec', 'paused') === true ? changed(object, ['spec', 'paused'], false) : object;
  return at(object, 'status', 'pauseConditions') === undefined
    ? unpaused
    : changed(unpaused, ['status', 'pauseConditions'], undefined);
}

function isPaused(object: JsonObject): boolean {
  const conditions = at(object, 'status', 'pauseConditions');
  return at(object, 'spec', 'paused') === true || (isArray(conditions) && conditions.length > 0);
}

function stepOf(object: JsonObject): number {
  const index = at(object, 'status', 'currentStepIndex');
  return typeof index === 'number' ? index : 0;
}

function stepsOf(object: JsonObject): number {
  const steps = at(object, 'spec', 'strategy', 'canary', 'steps');
  return isArray(steps) ? steps.length : 0;
}
