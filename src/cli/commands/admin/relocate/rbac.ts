import type { Snapshot } from '../../../../core/api/index.ts';
import { compileGlob, compileRegex } from '../../../../core/match/index.ts';
import type { Plan } from './plan.ts';

/** Lines that give the same people the same objects under their new names, and lines that now reach further. */
export interface PolicyChange {
  readonly added: readonly string[];
  readonly wider: readonly string[];
}

/** An RBAC object under its old and its new name. */
interface Renamed {
  readonly resources: readonly string[];
  readonly before: string;
  readonly after: string;
}

const ofApplications = ['applications', 'logs', 'exec'];

/** Holds every policy line, of `argocd-rbac-cm` and of project roles, against the old and the new name of what moves. */
export function changePolicy(snapshot: Snapshot, { applications, secrets }: Plan): PolicyChange {
  const renamed: Renamed[] = [
    ...applications.map(({ namespace, project, name, from }) => ({
      resources: ofApplications,
      before: `${project}/${namespace}/${from.metadata.name}`,
      after: `${project}/${name}`,
    })),
    ...secrets.map(({ from }) => ({
      resources: ['clusters'],
      before: `${from.project}/${from.namespace}/${from.server}`,
      after: `${from.project}/${from.server}`,
    })),
  ];
  const added = new Set<string>();
  const wider = new Set<string>();
  for (const line of linesOf(snapshot)) {
    const parts = line.split(',').map((part) => part.trim());
    const [type, subject = '', resource = '', action = '', object = '', effect = 'allow'] = parts;
    if (type !== 'p' || parts.length < 5) continue;
    for (const { resources, before, after } of renamed) {
      if (!resources.some((each) => matches(snapshot, resource, each))) continue;
      const [was, is] = [matches(snapshot, object, before), matches(snapshot, object, after)];
      if (was && !is) added.add(`p, ${subject}, ${resource}, ${action}, ${escaped(snapshot, after)}, ${effect}`);
      if (is && !was && effect !== 'deny') wider.add(`"${line}" now reaches ${after}, which was ${before}`);
    }
  }
  return { added: [...added], wider: [...wider] };
}

function linesOf(snapshot: Snapshot): string[] {
  const roles = [...snapshot.projects.values()].flatMap(({ spec }) => spec.roles ?? []);
  const lines = [...snapshot.rbac.policy.split('\n'), ...roles.flatMap(({ policies }) => policies ?? [])];
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

function matches({ rbac }: Snapshot, pattern: string, text: string): boolean {
  const compiled = rbac.matchMode === 'regex' ? compileRegex(pattern) : compileGlob(pattern);
  return compiled.ok && compiled.matches(text);
}

/** A name as a pattern that means exactly it. */
function escaped({ rbac }: Snapshot, name: string): string {
  if (rbac.matchMode === 'regex') return `^${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
  return name.replaceAll(/[*?[\]{}\\]/g, '\\$&');
}
