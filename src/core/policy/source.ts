import type { Application, ApplicationSource } from '../api/index.ts';
import { sourcesOf } from '../api/index.ts';
import type { EffectiveProject } from './effective.ts';
import type { Recorder } from './fact.ts';
import { note, noteRule, quote } from './note.ts';
import type { SourceMatch } from './sources.ts';
import { allowed, type Denied, denied, type Verdict } from './verdict.ts';

/** Whether manifests may come from an address. */
export function permitsSource(project: EffectiveProject, url: string, recorder?: Recorder): Verdict {
  const match = recorder === undefined ? remembered(project, url) : project.sources.match(url);
  if (recorder !== undefined) explain(recorder, project, url, match);
  return match.outcome === 'permitted' ? allowed : refusal(project, url, match);
}

function remembered(project: EffectiveProject, url: string): SourceMatch {
  return project.memory.source.get(url) ?? project.memory.source.offer(url, project.sources.match(url));
}

function refusal(project: EffectiveProject, url: string, match: SourceMatch): Denied {
  const text = `application repo ${printable(url)} is not permitted in project '${project.name}'`;
  return denied(match.outcome === 'malformed' ? 'source-invalid' : 'source-not-permitted', text);
}

/** The address in a message, without a password and cut. */
function printable(url: string): string {
  return quote(url.replace(/\/\/[^/@]*@/, '//***@')).slice(1, -1);
}

/** Whether all sources of an Application are permitted, `ref`-only and dry ones included; a refusal names the address. */
export function permitsSources(
  project: EffectiveProject,
  sources: readonly ApplicationSource[],
  recorder?: Recorder,
): Verdict {
  for (const source of sources) {
    const verdict = permitsSource(project, source.repoURL, recorder);
    if (verdict.answer !== 'allowed') return verdict;
    if ((source.chart ?? '') !== '' && (source.targetRevision ?? '') === '') return chartWithoutRevision(recorder);
  }
  return allowed;
}

/** A chart has no branch to follow: without a version nobody can say which one is meant. */
function chartWithoutRevision(recorder: Recorder | undefined): Denied {
  const change = 'write the version of the chart, or a range such as 1.*';
  if (recorder !== undefined) {
    const place = { object: 'Application', revision: '', field: 'spec.source.targetRevision' };
    note(recorder, place, { step: 'source', compared: 'a chart needs a version', decides: true, change });
  }
  return denied('source-invalid', `spec.source.targetRevision is required for a chart: ${change}`);
}

/** Every source an Application draws on: what it syncs, and a hydrator's dry source. */
export function allSources(app: Application): readonly ApplicationSource[] {
  const dry = app.spec.sourceHydrator?.drySource;
  const used = sourcesOf(app);
  return dry === undefined || used.some(({ repoURL }) => repoURL === dry.repoURL) ? used : [dry, ...used];
}

function explain(recorder: Recorder, project: EffectiveProject, url: string, match: SourceMatch): void {
  const step = 'source';
  if (match.outcome === 'malformed') {
    const compared = `${quote(printable(url))} is no address of a repository`;
    note(
      recorder,
      { object: 'Application', revision: '', field: 'spec.source.repoURL' },
      { step, compared, decides: true, change: 'write a plain https or ssh address' },
    );
    return;
  }
  for (const rule of project.sources.rules) {
    if (rule === match.rule) continue;
    const compared =
      match.outcome === 'none'
        ? `${quote(rule.value)} does not permit ${quote(printable(url))}`
        : `${quote(rule.value)} does not decide`;
    noteRule(recorder, rule.origin, { step, compared });
  }
  if (match.rule === undefined) {
    const compared = `no entry permits ${quote(printable(url))}`;
    note(
      recorder,
      { object: project.object, revision: project.revision, field: 'spec.sourceRepos' },
      { step, compared, decides: true, change: `add ${printable(url)} to spec.sourceRepos of ${project.object}` },
    );
    return;
  }
  const verb = match.outcome === 'denied' ? 'denies' : 'permits';
  noteRule(recorder, match.rule.origin, {
    step,
    compared: `${quote(match.rule.value)} ${verb} ${quote(printable(url))}`,
    decides: true,
    change: 'take the entry out',
  });
}
