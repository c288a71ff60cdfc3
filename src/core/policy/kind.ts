import type { ResourcePattern } from '../api/index.ts';
import type { EffectiveProject, KindList } from './effective.ts';
import type { Recorder } from './fact.ts';
import type { Kinds } from './kinds.ts';
import { clean, note, noteRule, quote } from './note.ts';
import type { Written } from './origin.ts';
import { allowed, denied, type Verdict } from './verdict.ts';

/** A kind, and the name of the object where a rule may ask for it. */
interface Named {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/**
 * Whether a project permits a kind in a scope. Namespaced kinds are permitted unless listed otherwise, an empty list
 * permits none; cluster-scoped kinds must be listed. A denied kind is denied whatever else permits it.
 */
export function permitsKind(
  project: EffectiveProject,
  subject: Named,
  namespaced: boolean,
  recorder?: Recorder,
): Verdict {
  const answers = project.memory.kinds.of(subject.group, subject.kind);
  const known = namespaced ? answers.namespaced : answers.cluster;
  if (recorder === undefined && known !== undefined) return known;
  const lists = listsOf(project, namespaced);
  const verdict = decide(project, lists, subject, recorder);
  // Entries with names make the answer one for this object alone.
  if (lists.permits?.named === true || lists.denies?.named === true) return verdict;
  if (namespaced) answers.namespaced = verdict;
  else answers.cluster = verdict;
  return verdict;
}

interface KindRules {
  readonly permits: Kinds | undefined;
  readonly denies: Kinds | undefined;
  readonly permitsList: KindList;
  /** What an absent list of permits means. */
  readonly absentPermits: boolean;
}

function listsOf(project: EffectiveProject, namespaced: boolean): KindRules {
  const permitsList = namespaced ? 'namespaceResourceWhitelist' : 'clusterResourceWhitelist';
  return {
    permits: project.kinds(permitsList),
    denies: project.kinds(namespaced ? 'namespaceResourceBlacklist' : 'clusterResourceBlacklist'),
    permitsList,
    absentPermits: namespaced,
  };
}

function decide(project: EffectiveProject, rules: KindRules, subject: Named, recorder: Recorder | undefined): Verdict {
  const { group, kind, name } = subject;
  const what = `${quote(`${group}/${kind}`)} named ${quote(name)}`;
  const step = 'kind';
  const deny = rules.denies?.match(group, kind, name);
  if (deny !== undefined) {
    noteRule(recorder, deny.origin, {
      step,
      compared: `${print(deny)} denies ${what}`,
      decides: true,
      change: 'take the entry out',
    });
    return refused(project, subject);
  }
  const permit = rules.permits?.match(group, kind, name);
  if (permit !== undefined) {
    noteRule(recorder, permit.origin, {
      step,
      compared: `${print(permit)} permits ${what}`,
      decides: true,
      change: 'take the entry out',
    });
    return allowed;
  }
  const place = { object: project.object, revision: project.revision, field: `spec.${rules.permitsList}` };
  const yes = rules.permits === undefined && rules.absentPermits;
  if (yes) {
    note(recorder, place, {
      step,
      compared: `absent: every namespaced kind is permitted, so is ${what}`,
      decides: true,
      change: `add an entry to ${rules.permitsList.replace('Whitelist', 'Blacklist')}`,
    });
    return allowed;
  }
  const compared =
    rules.permits === undefined
      ? `absent: no cluster-scoped kind is permitted`
      : `none of ${rules.permits.rules.length} entries permits ${what}`;
  note(recorder, place, {
    step,
    compared,
    decides: true,
    change: `add {group: '${group}', kind: ${kind}} to spec.${rules.permitsList} of ${project.object}`,
  });
  return refused(project, subject);
}

function refused(project: EffectiveProject, { group, kind }: Named): Verdict {
  const message = `resource ${clean(group)}:${clean(kind)} is not permitted in project ${project.name}`;
  return denied('kind-not-permitted', message, 'SyncError');
}

function print(rule: Written<ResourcePattern>): string {
  const { group, kind, name = '' } = rule.value;
  return `{group: ${quote(group)}, kind: ${quote(kind)}${name === '' ? '' : `, name: ${quote(name)}`}}`;
}
