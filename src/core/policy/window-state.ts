import { type Application, namespaceOfApplication, parseDuration, type SyncWindow } from '../api/index.ts';
import { type Cron, nextStart, parseCron } from './cron.ts';
import type { EffectiveProject } from './effective.ts';
import { matcherOf } from './matcher.ts';
import { Memo } from './memo.ts';
import type { Written } from './origin.ts';
import { zoneOffset } from './zone.ts';

/** A window at an instant. One that cannot be read is neither open nor closed, and blocks. */
export interface WindowState {
  readonly rule: Written<SyncWindow>;
  readonly state: 'active' | 'inactive' | 'unreadable';
}

/** An instant (milliseconds since 1970) and, where it is known, the cluster an Application's destination resolved to. */
interface Moment {
  readonly now: number;
  readonly cluster?: { readonly name: string; readonly server: string } | undefined;
}

/** The windows that select an Application, each with its state at an instant. */
export function windowStates(project: EffectiveProject, app: Application, moment: Moment): readonly WindowState[] {
  const namespace = namespaceOfApplication(app, project.controlPlane);
  return project.windows
    .filter(({ value }) => selects(value, app, namespace) || deniesCluster(value, app, { ...moment, namespace }))
    .map((rule) => ({ rule, state: stateAt(rule.value, moment.now) }));
}

/** Windows compare the destination as written; a deny must not be left by calling the same cluster by its other name. */
function deniesCluster(window: SyncWindow, app: Application, at: Moment & { readonly namespace: string }): boolean {
  if (window.kind !== 'deny' || at.cluster === undefined) return false;
  const { name, server } = at.cluster;
  const destination = { ...app.spec.destination, name, server };
  return selects(window, { ...app, spec: { ...app.spec, destination } }, at.namespace);
}

/** One selector suffices, or all that are given where `andOperator` is set; what cannot be read selects, and then blocks. */
function selects(window: SyncWindow, app: Application, namespace: string): boolean {
  if (hasBrokenSelector(window)) return true;
  const { name } = app.metadata;
  const { destination } = app.spec;
  const clusters = [destination.name ?? '', (destination.server ?? '').replace(/\/+$/, '')].filter(
    (text) => text !== '',
  );
  const hits = [
    // A pattern with a slash asks for the namespace of the Application, too.
    hit(window.applications, (pattern) => (pattern.includes('/') ? [`${namespace}/${name}`] : [name])),
    hit(window.namespaces, () => [destination.namespace ?? '']),
    hit(window.clusters, () => clusters),
  ].filter((each) => each !== undefined);
  if (window.andOperator === true) return hits.length > 0 && hits.every(Boolean);
  return hits.some(Boolean);
}

function hasBrokenSelector({ applications = [], namespaces = [], clusters = [] }: SyncWindow): boolean {
  return [...applications, ...namespaces, ...clusters].some((pattern) => matcherOf(pattern) === undefined);
}

/** Whether a pattern of a selector matches; undefined where the selector is empty. */
function hit(
  patterns: readonly string[] | undefined,
  texts: (pattern: string) => readonly string[],
): boolean | undefined {
  if (patterns === undefined || patterns.length === 0) return undefined;
  return patterns.some((pattern) => texts(pattern).some((text) => matcherOf(pattern)?.matches(text) === true));
}

interface Schedule {
  readonly cron: Cron;
  readonly duration: number;
}

const schedules = new Memo<string, Schedule | 'unreadable'>();

/** The schedule of a window, or undefined where schedule, duration, kind or a selector cannot be read. */
export function scheduleOf(window: SyncWindow): Schedule | undefined {
  const { kind = '', schedule = '', duration = '' } = window;
  if ((kind !== 'allow' && kind !== 'deny') || hasBrokenSelector(window)) return undefined;
  const key = `${duration}\n${schedule}`;
  const known = schedules.get(key) ?? schedules.set(key, readSchedule(schedule, duration));
  return known === 'unreadable' ? undefined : known;
}

function readSchedule(schedule: string, duration: string): Schedule | 'unreadable' {
  const cron = parseCron(schedule);
  const length = parseDuration(duration);
  return cron === undefined || length === undefined || length <= 0 ? 'unreadable' : { cron, duration: length };
}

/**
 * Active while a start lies within the past duration, the start instant itself excluded. The offset is that of the
 * instant asked about, as in Argo CD, so a window across a change of clocks moves with it. Unknown zones count as UTC.
 */
function stateAt(window: SyncWindow, now: number): WindowState['state'] {
  const schedule = scheduleOf(window);
  if (schedule === undefined) return 'unreadable';
  const wall = now + (zoneOffset(window.timeZone ?? '', now) ?? 0);
  const start = nextStart(schedule.cron, wall - schedule.duration);
  return start !== undefined && start < wall ? 'active' : 'inactive';
}

/** The next instant at which a window opens or closes; undefined where none ever does. */
export function nextChange(window: SyncWindow, now: number): number | undefined {
  const schedule = scheduleOf(window);
  if (schedule === undefined) return undefined;
  const offset = zoneOffset(window.timeZone ?? '', now) ?? 0;
  const wall = now + offset;
  const running = nextStart(schedule.cron, wall - schedule.duration);
  if (running === undefined) return undefined;
  const change = running < wall ? running + schedule.duration : running;
  return forward(window.timeZone ?? '', { now, offset, change });
}

/**
 * When a clock shows a time. One that is put forward until then shows it earlier; one that is put back is noticed when it
 * is looked at again.
 */
function forward(zone: string, { now, offset, change }: { now: number; offset: number; change: number }): number {
  const late = change - offset;
  const then = zoneOffset(zone, late) ?? 0;
  if (then <= offset) return late;
  const early = change - then;
  if (early > now && zoneOffset(zone, early) === then) return early;
  // It was skipped: what began in between is there as soon as the clock was put forward.
  let [before, after] = [Math.max(now, early), late];
  while (after - before > 1000) {
    const middle = Math.floor((before + after) / 2);
    if (zoneOffset(zone, middle) === then) after = middle;
    else before = middle;
  }
  return after;
}
