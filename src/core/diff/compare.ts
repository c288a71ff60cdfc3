import { type GroupKind, gvkOf, kindText, type ObjectKey, printKey, roleOf, waveOf, words } from '../objects/index.ts';
import { Judge, type JudgeOptions } from './judge.ts';
import { type Mark, markOf, qualified } from './tracking.ts';
import type { ComparedObject, Comparison, ComparisonWarning, Live, LiveObject, SyncCode, Target } from './types.ts';
import { isUnlisted } from './unlisted.ts';

export interface CompareOptions extends JudgeOptions {
  /** Whether a kind lives in namespaces; with it, targets that need a namespace and have none are told. */
  readonly namespaced?: ((kind: GroupKind) => boolean | undefined) | undefined;
  /** Kinds the settings exclude: their targets are dropped, with a warning. */
  readonly excluded?: ((kind: GroupKind) => boolean) | undefined;
  /** Objects the project does not permit: their status is unknown, and live ones are not ours to prune. */
  readonly permits?: ((key: ObjectKey) => boolean) | undefined;
}

/** A comparison of the same targets by the same rules, and what has changed in the cluster since. */
export interface ComparedBefore {
  readonly comparison: Comparison;
  /** By `printKey`. */
  readonly changed: ReadonlySet<string>;
}

/** Judges every target and every live object that bears the Application's mark. */
export function compare(targets: readonly Target[], live: Live, options: CompareOptions): Comparison {
  const work = comparing(targets, live, options);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/**
 * The same, object by object, for whoever has other things to do in between. What was compared before and has not changed
 * is taken as it was.
 */
export function* comparing(
  targets: readonly Target[],
  live: Live,
  options: CompareOptions,
  before?: ComparedBefore,
): Generator<undefined, Comparison, undefined> {
  const judge = new Judge(options);
  const repeated = lastOfEach(targets);
  const { kept, warnings } = withoutExcluded(repeated.targets, options);
  const known = before === undefined ? nothing : unchangedOf(before);
  const objects: ComparedObject[] = [];
  for (const target of kept) {
    const same = known.size === 0 ? undefined : known.get(printKey(target.key));
    objects.push(same ?? compareTarget(target, live, judge, options));
    yield;
  }
  const wanted = live.objects.size === 0 ? nothing : new Set(targets.map((target) => printKey(target.key)));
  for (const [key, object] of live.objects) {
    if (!wanted.has(key)) objects.push(...extraOf(object, judge, options));
  }
  const reasons = objects.flatMap(({ status, reason }) =>
    status === 'Unknown' && reason !== undefined ? [reason] : [],
  );
  const unread = unreadBeside(live, targets);
  const errors = [...new Set([...judge.problems, ...reasons, ...unread.values()])];
  return {
    status: errors.length > 0 ? 'Unknown' : worst(objects),
    objects,
    errors,
    invalid: kept.flatMap((target) => missingNamespace(target, options)),
    ...(unread.size === 0 ? {} : { unread }),
    warnings: [...repeated.warnings, ...warnings, ...objects.flatMap((object) => sharedWarning(object, options))],
  };
}

/**
 * What is not known besides the objects that are judged: kinds that may hold what has to go, though no target is of that
 * kind any more, and hooks that may be running. What only may not be listed is told elsewhere, and a namespace is made by
 * whoever may make it.
 */
function unreadBeside({ unknown }: Live, targets: readonly Target[]): ReadonlyMap<string, string> {
  if (unknown.size === 0) return unknown;
  const judged = new Set(targets.flatMap(({ key, object }) => (roleOf(object).role === 'hook' ? [] : [printKey(key)])));
  return new Map(
    [...unknown].filter(([what]) => !isUnlisted(what) && !what.startsWith('Namespace:') && !judged.has(what)),
  );
}

const nothing: ReadonlyMap<string, never> = new Map<string, never>();

function unchangedOf({ comparison, changed }: ComparedBefore): ReadonlyMap<string, ComparedObject> {
  const pairs = comparison.objects.map((object) => [printKey(object.key), object] as const);
  // What has no name yet has no key either.
  return new Map(pairs.filter(([key, object]) => object.key.name !== '' && !changed.has(key)));
}

/** Of targets with one key the last counts; what has no name yet has no key either. */
function lastOfEach(targets: readonly Target[]): { targets: readonly Target[]; warnings: ComparisonWarning[] } {
  const counts = new Map<string, number>();
  for (const { key } of targets) {
    if (key.name === '') continue;
    const text = printKey(key);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  if (counts.size === targets.length) return { targets, warnings: [] };
  const last = new Map(targets.map((target) => [printKey(target.key), target]));
  const warnings = [...counts].flatMap(([key, count]): ComparisonWarning[] =>
    count < 2
      ? []
      : [
          {
            type: 'RepeatedResourceWarning',
            message: `Resource ${key} appeared ${count} times among application resources.`,
          },
        ],
  );
  return {
    targets: targets.filter((target) => target.key.name === '' || last.get(printKey(target.key)) === target),
    warnings,
  };
}

function withoutExcluded(
  targets: readonly Target[],
  { excluded }: CompareOptions,
): { kept: readonly Target[]; warnings: ComparisonWarning[] } {
  if (excluded === undefined) return { kept: targets, warnings: [] };
  const kept = targets.filter(({ key }) => !excluded(key));
  if (kept.length === targets.length) return { kept, warnings: [] };
  const dropped = targets.filter(({ key }) => excluded(key));
  const warnings = dropped.map(({ key }): ComparisonWarning => {
    const message = `Resource ${key.group}/${key.kind} ${key.name} is excluded in the settings`;
    return { type: 'ExcludedResourceWarning', message };
  });
  return { kept, warnings };
}

function missingNamespace({ key, object }: Target, { namespaced }: CompareOptions): string[] {
  if (key.namespace !== '' || namespaced?.(key) !== true) return [];
  return [`Namespace for ${key.name} ${object.apiVersion}, Kind=${key.kind} is missing.`];
}

function compareTarget(target: Target, live: Live, judge: Judge, options: CompareOptions): ComparedObject {
  const key = printKey(target.key);
  const found = live.objects.get(key);
  const role = roleOf(target.object).role;
  const base = {
    key: target.key,
    version: gvkOf(target.object).version,
    target,
    live: found,
    hook: role === 'hook',
    wave: waveOf(target.object),
    modified: false,
    requiresPruning: false,
  };
  if (role !== 'managed') return { ...base, status: undefined };
  // Nothing of what is there is told, not even whether it is.
  if (options.permits?.(target.key) === false) return { ...base, live: undefined, status: 'Unknown', modified: true };
  const reason = live.unknown.get(key) ?? live.unknown.get(kindText(target.key));
  if (reason !== undefined && found === undefined) return { ...base, status: 'Unknown', reason };
  if (found === undefined) return { ...base, status: 'OutOfSync', modified: true };
  return { ...base, ...judged(target, found, judge), ...sharing(markOf(found, judge.tracking), options) };
}

function judged(
  target: Target,
  live: LiveObject,
  judge: Judge,
): Pick<ComparedObject, 'status' | 'modified' | 'reason' | 'difference'> & { target: Target } {
  const judgement = judge.of(target, live);
  if (!judgement.known) return { target, status: 'Unknown', modified: false, reason: judgement.reason };
  const { difference } = judgement;
  if (difference === undefined) return { target, status: 'Synced', modified: false };
  return { target: judgement.target, status: 'OutOfSync', modified: true, difference };
}

function sharing(mark: Mark | undefined, { instance }: CompareOptions): Pick<ComparedObject, 'sharedWith'> {
  return mark?.own === true && mark.instance !== instance ? { sharedWith: mark.instance } : {};
}

function sharedWarning({ key, sharedWith }: ComparedObject, { instance }: CompareOptions): ComparisonWarning[] {
  if (sharedWith === undefined) return [];
  const message = `${key.kind}/${key.name} is part of applications ${qualified(instance)} and ${qualified(sharedWith)}`;
  return [{ type: 'SharedResourceWarning', message }];
}

/** A live object with our mark that no target asks for. */
function extraOf(live: LiveObject, judge: Judge, options: CompareOptions): ComparedObject[] {
  const mark = markOf(live, judge.tracking);
  if (mark?.instance !== options.instance) return [];
  // Live hooks are cleaned up by their own policies, and what has an owner by its owner, never by pruning.
  const isRoot = (live.object.metadata.ownerReferences ?? []).length === 0;
  if (roleOf(live.object).role !== 'managed' || !isRoot || options.permits?.(live.key) === false) return [];
  const { key } = live;
  const base = {
    key,
    version: gvkOf(live.object).version,
    target: undefined,
    live,
    modified: false,
    hook: false,
    wave: 0,
  };
  // A copied mark is shown, and makes nothing ours.
  if (!mark.own) return [{ ...base, status: undefined, requiresPruning: false }];
  return [{ ...base, status: 'OutOfSync', requiresPruning: true }];
}

function worst(objects: readonly ComparedObject[]): SyncCode {
  // What the project does not permit is unknown itself, and wanted all the same.
  const differs = ({ status, modified }: ComparedObject): boolean =>
    status === 'OutOfSync' || (status === 'Unknown' && modified);
  return objects.some((object) => differs(object) && counts(object)) ? 'OutOfSync' : 'Synced';
}

/** What is only there too much may be told not to matter. */
function counts({ requiresPruning, live }: ComparedObject): boolean {
  if (!requiresPruning || live === undefined) return true;
  return !(words(live.object, 'argocd.argoproj.io/compare-options') ?? []).includes('IgnoreExtraneous');
}
