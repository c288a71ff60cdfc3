import type { ProjectDestination } from '../api/index.ts';
import type { EffectiveProject } from './effective.ts';
import { matcherOf, normalizedRepository, sourceMatcherOf } from './matcher.ts';
import { quote } from './note.ts';
import { fieldOf, type Origin } from './origin.ts';
import type { Warning } from './warning.ts';

/**
 * Deny entries mean what the manual says: they deny and never permit. Released Argo CD also lets an entry that does not
 * match permit, so a project whose meaning depends on that is told.
 */
export function denyWarnings(project: EffectiveProject): readonly Warning[] {
  return [...sourceWarnings(project), ...destinationWarnings(project)];
}

const meaning = 'an entry with "!" only denies; released Argo CD also permits what such an entry does not match';

function sourceWarnings(project: EffectiveProject): readonly Warning[] {
  const { rules } = project.sources;
  const denies = rules.filter(({ value }) => value.startsWith('!'));
  const found = rules.flatMap(({ value, origin }) => invalidSource(value, origin));
  // Where everything is permitted anyway, both readings agree.
  if (denies.length > 0 && !rules.some(({ value }) => value === '*')) {
    found.push({ code: 'DenyEntryMeaning', field: 'spec.sourceRepos', message: meaning });
  }
  return found;
}

function invalidSource(entry: string, origin: Origin): Warning[] {
  const deny = entry.startsWith('!');
  const pattern = deny ? entry.slice(1) : entry;
  const normal = pattern === '*' ? pattern : normalizedRepository(pattern);
  if (normal !== undefined && sourceMatcherOf(normal) !== undefined) return [];
  return [invalid(fieldOf(origin), entry, deny)];
}

function destinationWarnings(project: EffectiveProject): readonly Warning[] {
  const written = project.destinations.rules.filter(({ audience }) => audience === 'all');
  const denies = written.filter(({ value }) => isDeny(value));
  const found = written.flatMap(({ value, origin }) => invalidDestination(value, origin));
  if (denies.length === 0) return found;
  const permitsAll = written.some(
    ({ value }) => (value.server === '*' || value.name === '*') && value.namespace === '*' && !isDeny(value),
  );
  if (!permitsAll || denies.some(({ value }) => readsDifferently(value))) {
    found.push({ code: 'DenyEntryMeaning', field: 'spec.destinations', message: meaning });
  }
  return found;
}

/** Entries that released Argo CD reads otherwise even beside a permit for everything. */
function readsDifferently({ server = '', name = '', namespace = '' }: ProjectDestination): boolean {
  const both = server !== '' && name !== '';
  const denyWithoutServer = namespace.startsWith('!') && server === '';
  const twice = server.startsWith('!') && namespace.startsWith('!');
  return both || denyWithoutServer || twice;
}

function isDeny({ server = '', name = '', namespace = '' }: ProjectDestination): boolean {
  return [server, name, namespace].some((text) => text.startsWith('!'));
}

function invalidDestination(entry: ProjectDestination, origin: Origin): Warning[] {
  return (['server', 'name', 'namespace'] as const).flatMap((field) => {
    const text = entry[field] ?? '';
    const pattern = text.startsWith('!') ? text.slice(1) : text;
    return matcherOf(pattern) === undefined ? [invalid(`${fieldOf(origin)}.${field}`, text, isDeny(entry))] : [];
  });
}

function invalid(field: string, text: string, deny: boolean): Warning {
  const effect = deny ? 'it denies everything it could concern' : 'it permits nothing';
  return { code: 'InvalidPattern', field, message: `${quote(text)} is no valid pattern; ${effect}` };
}
