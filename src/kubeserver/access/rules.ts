import { isArray, isObject, type Json } from '../../core/json/index.ts';
import type { Attributes } from '../ports.ts';
import { quotedList } from './go-text.ts';

/** One rule of a role, its lists always there. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** The rules of a role as it is stored. */
export function parseRules(value: Json | undefined): Rule[] {
  return isArray(value) ? value.map(parseRule) : [];
}

function parseRule(value: Json): Rule {
  const list = (key: string): string[] => {
    const items = isObject(value) ? value[key] : undefined;
    return isArray(items) ? items.filter((item) => typeof item === 'string') : [];
  };
  return {
    verbs: list('verbs'),
    apiGroups: list('apiGroups'),
    resources: list('resources'),
    resourceNames: list('resourceNames'),
    nonResourceURLs: list('nonResourceURLs'),
  };
}

const has = (list: readonly string[], item: string): boolean => list.includes('*') || list.includes(item);

/** Tells whether a rule allows what is asked. */
export function ruleAllows(rule: Rule, asked: Attributes): boolean {
  if (!has(rule.verbs, asked.verb)) return false;
  if (!asked.isResource) return rule.nonResourceURLs.some((url) => urlCovers(url, asked.path));
  return (
    has(rule.apiGroups, asked.group) &&
    resourceMatches(rule.resources, asked.resource, asked.subresource) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(asked.name))
  );
}

function resourceMatches(resources: readonly string[], resource: string, subresource: string): boolean {
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  return has(resources, full) || (subresource !== '' && resources.includes(`*/${subresource}`));
}

function urlCovers(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));
}

/** A rule cut into rules of one verb, resource and name each: the smallest things one can hold or lack. */
function pieces(rule: Rule): Rule[] {
  const blank = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name]);
  const found: Rule[] = [];
  for (const group of rule.apiGroups)
    for (const resource of rule.resources)
      for (const verb of rule.verbs)
        for (const resourceNames of names)
          found.push({ ...blank, verbs: [verb], apiGroups: [group], resources: [resource], resourceNames });
  for (const url of rule.nonResourceURLs)
    for (const verb of rule.verbs) found.push({ ...blank, verbs: [verb], nonResourceURLs: [url] });
  return found;
}

function covers(owner: Rule, piece: Rule): boolean {
  const all = (items: readonly string[], wanted: readonly string[]): boolean =>
    items.includes('*') || wanted.every((item) => items.includes(item));
  const names = owner.resourceNames.length === 0 || piece.resourceNames.length > 0;
  return (
    all(owner.verbs, piece.verbs) &&
    all(owner.apiGroups, piece.apiGroups) &&
    piece.resources.every((resource) => resourceCovers(owner.resources, resource)) &&
    piece.nonResourceURLs.every((url) => owner.nonResourceURLs.some((pattern) => urlCovers(pattern, url))) &&
    names &&
    (owner.resourceNames.length === 0 || piece.resourceNames.every((name) => owner.resourceNames.includes(name)))
  );
}

function resourceCovers(owned: readonly string[], resource: string): boolean {
  if (has(owned, resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && owned.includes(`*/${resource.slice(slash + 1)}`);
}

/** What of the wanted rules the held ones do not give, as small rules with their verbs gathered. */
export function missingRules(held: readonly Rule[], wanted: readonly Rule[]): Rule[] {
  const missing = wanted.flatMap(pieces).filter((piece) => !held.some((rule) => covers(rule, piece)));
  const gathered = new Map<string, Rule>();
  for (const piece of missing) {
    const key = JSON.stringify([piece.apiGroups, piece.resources, piece.resourceNames, piece.nonResourceURLs]);
    const alone = piece.nonResourceURLs.length > 0 ? `${key} ${piece.verbs[0]}` : key;
    const before = gathered.get(alone);
    gathered.set(alone, before === undefined ? piece : { ...before, verbs: [...before.verbs, ...piece.verbs] });
  }
  return [...gathered.values()];
}

/** A rule as the refusal of an escalation prints it. */
export function printRule(rule: Rule): string {
  const parts: [string, readonly string[]][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = parts.filter(([, items]) => items.length > 0).map(([name, items]) => `${name}:${quotedList(items)}`);
  return `{${shown.join(', ')}}`;
}
