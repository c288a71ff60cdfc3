import type { Application } from '../api/index.ts';
import type { EffectiveProject } from './effective.ts';
import type { Recorder } from './fact.ts';
import { note, noteRule, quote } from './note.ts';
import { allowed, denied, type Verdict } from './verdict.ts';
import { nextChange, type WindowState, windowStates } from './window-state.ts';

/** A sync that somebody or something wants. */
export interface SyncRequest {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly manual: boolean;
  /** When the running operation began; windows with `syncOverrun` let it go on. */
  readonly startedAt?: number | undefined;
  /** The cluster the destination resolved to: a deny window that names it holds however the Application calls it. */
  readonly cluster?: { readonly name: string; readonly server: string } | undefined;
}

const step = 'sync window';

/** Whether the windows of a project let an Application sync at an instant. */
export function permitsSync(
  project: EffectiveProject,
  app: Application,
  request: SyncRequest,
  recorder?: Recorder,
): Verdict {
  const states = windowStates(project, app, request);
  const outcome = decide(states, request.manual);
  if (outcome.open) {
    explain(recorder, project, states, outcome);
    return allowed;
  }
  const overrun = overruns(project, app, request, outcome);
  explain(
    recorder,
    project,
    states,
    overrun
      ? { ...outcome, open: true, why: 'it was open when the operation began, and syncOverrun lets it go on' }
      : outcome,
  );
  if (overrun) return allowed;
  const unreadable = states.some(({ state }) => state === 'unreadable');
  return denied(unreadable ? 'window-invalid' : 'window-closed', 'cannot sync: blocked by sync window', 'SyncError');
}

interface Outcome {
  readonly open: boolean;
  readonly why: string;
  /** The windows that decided. */
  readonly by: readonly WindowState[];
}

/** An active deny closes; without one an active allow opens; without either an inactive allow keeps closed. */
function decide(states: readonly WindowState[], manual: boolean): Outcome {
  const of = (kind: string, state: WindowState['state']): readonly WindowState[] =>
    states.filter((each) => each.rule.value.kind === kind && each.state === state);
  const unreadable = states.filter(({ state }) => state === 'unreadable');
  if (unreadable.length > 0) return { open: false, why: 'it cannot be read', by: unreadable };
  const denies = of('deny', 'active');
  if (denies.length > 0) return { open: manual && allManual(denies), why: 'a deny window is active', by: denies };
  const allows = of('allow', 'active');
  if (allows.length > 0) return { open: true, why: 'an allow window is active', by: allows };
  const closed = of('allow', 'inactive');
  if (closed.length > 0) return { open: manual && allManual(closed), why: 'no allow window is active', by: closed };
  return { open: true, why: 'no window applies now', by: [] };
}

function allManual(states: readonly WindowState[]): boolean {
  return states.every(({ rule }) => rule.value.manualSync === true);
}

/** A sync already running may go on if it was permitted when it began and every window against it says so. */
function overruns(project: EffectiveProject, app: Application, request: SyncRequest, outcome: Outcome): boolean {
  if (request.startedAt === undefined || outcome.by.length === 0) return false;
  if (!outcome.by.every(({ rule, state }) => state !== 'unreadable' && rule.value.syncOverrun === true)) return false;
  return decide(windowStates(project, app, { ...request, now: request.startedAt }), request.manual).open;
}

function explain(
  recorder: Recorder | undefined,
  project: EffectiveProject,
  states: readonly WindowState[],
  outcome: Outcome,
): void {
  if (recorder === undefined) return;
  for (const each of states) {
    const { kind = '', schedule = '', duration = '', timeZone = 'UTC' } = each.rule.value;
    const compared = `${quote(kind)} ${quote(schedule)} for ${quote(duration)} (${timeZone}) is ${each.state}`;
    const decides = outcome.by.includes(each);
    noteRule(recorder, each.rule.origin, {
      step,
      compared,
      decides,
      ...(decides && !outcome.open ? { change: 'wait, set manualSync and sync by hand, or change the window' } : {}),
    });
  }
  if (outcome.by.length > 0) return;
  note(
    recorder,
    { object: project.object, revision: project.revision, field: 'spec.syncWindows' },
    { step, compared: outcome.why, decides: true },
  );
}

/** When a window that concerns an Application next opens or closes: the time to look again. */
export function nextWindowChange(
  project: EffectiveProject,
  app: Application,
  now: number,
  cluster?: SyncRequest['cluster'],
): number | undefined {
  const changes = windowStates(project, app, { now, cluster })
    .map(({ rule }) => nextChange(rule.value, now))
    .filter((change) => change !== undefined);
  return changes.length === 0 ? undefined : Math.min(...changes);
}
