import type { ResourceOverride } from '../api/index.ts';
import { type JsonObject, stringAt } from '../json/index.ts';
import { kindText, parseApiVersion } from '../objects/index.ts';
import { cronJobActions, jobActions } from './kinds/batch.ts';
import { analysisRunActions, rolloutActions } from './kinds/rollout.ts';
import { daemonSetActions, deploymentActions, statefulSetActions } from './kinds/workload.ts';
import { type ScriptedActions, scriptedActions } from './scripted.ts';
import type { ActionOption, ActionParams, Clock, Impact, KindActions } from './types.ts';

/** What came of a question: the answer, or a sentence for people about why there is none. */
export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** What people can do with objects, built in or written by an admin. */
export interface ResourceActions {
  /** The actions of an object, as it now is. */
  discover(object: JsonObject): Answer<readonly ActionOption[]>;
  /**
   * What an action would make and change. Nothing is done yet: the caller asks the project about every object, tries
   * creations first and then writes, as the member.
   */
  run(object: JsonObject, name: string, params: ActionParams): Answer<readonly Impact[]>;
}

/** The actions of the settings before the built-in ones; the built-in ones of a kind only where the admin wants both. */
export function resourceActions(overrides: ReadonlyMap<string, ResourceOverride>, now: Clock): ResourceActions {
  const builtIn = builtInActions(now);
  const written = new Map<string, ScriptedActions>();
  for (const [kind, { actions }] of overrides) {
    if (actions !== undefined && actions.trim() !== '') written.set(kind, scriptedActions(actions, now));
  }
  const sourcesFor = (object: JsonObject): readonly KindActions[] => {
    const { group } = parseApiVersion(stringAt(object, 'apiVersion') ?? '');
    const kind = kindText({ group, kind: stringAt(object, 'kind') ?? '' });
    const [custom, own] = [written.get(kind), builtIn.get(kind)];
    if (custom === undefined) return own === undefined ? [] : [own];
    return custom.mergeBuiltin && own !== undefined ? [custom, own] : [custom];
  };
  const discover = (object: JsonObject): readonly ActionOption[] => {
    const found = new Map<string, ActionOption>();
    for (const source of sourcesFor(object).toReversed()) {
      for (const option of source.options(object)) found.set(option.name, option);
    }
    return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  };
  return {
    discover: (object) => answer(() => discover(object)),
    run: (object, name, params) =>
      answer(() => {
        const option = discover(object).find((each) => each.name === name);
        if (option === undefined) throw new Error(`there is no action ${name} for ${describe(object)}`);
        if (option.disabled === true)
          throw new Error(`the action ${name} does not apply to ${describe(object)} as it is`);
        for (const source of sourcesFor(object)) {
          const impacts = source.run(name, object, params);
          if (impacts !== undefined) return impacts;
        }
        throw new Error(`the action ${name} has no definition`);
      }),
  };
}

function builtInActions(now: Clock): ReadonlyMap<string, KindActions> {
  return new Map([
    ['apps/Deployment', deploymentActions(now)],
    ['apps/StatefulSet', statefulSetActions(now)],
    ['apps/DaemonSet', daemonSetActions(now)],
    ['batch/Job', jobActions(now)],
    ['batch/CronJob', cronJobActions(now)],
    ['argoproj.io/Rollout', rolloutActions(now)],
    ['argoproj.io/AnalysisRun', analysisRunActions()],
  ]);
}

function answer<T>(compute: () => T): Answer<T> {
  try {
    return { ok: true, value: compute() };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

function describe(object: JsonObject): string {
  return `${stringAt(object, 'kind') ?? ''} ${stringAt(object, 'metadata', 'name') ?? ''}`;
}
