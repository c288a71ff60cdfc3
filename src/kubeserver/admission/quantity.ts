import { isObject, type Json, type JsonObject, objectAt } from '../../core/json/index.ts';
import { each } from './cause.ts';

const pattern = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;

const factors: { readonly [suffix: string]: number } = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The number a quantity such as `100m` or `1Gi` stands for; undefined if it is none. */
export function quantityValue(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  const [, digits = '', suffix = ''] = pattern.exec(value.trim()) ?? [];
  const number = Number(digits);
  if (digits === '' || Number.isNaN(number)) return undefined;
  const factor = Object.hasOwn(factors, suffix) ? factors[suffix] : undefined;
  if (factor !== undefined) return number * factor;
  const [, exponent] = /^[eE]([-+]?[0-9]+)$/.exec(suffix) ?? [];
  return exponent === undefined ? undefined : number * 10 ** Number(exponent);
}

/** What the real server says when a quantity in a pod, a template or a claim cannot be read; undefined if all can. */
export function quantityProblem(object: JsonObject): string | undefined {
  for (const value of quantitiesIn(object)) {
    if (typeof value === 'string' && !pattern.test(value))
      return `quantities must match the regular expression '${pattern.source}'`;
    if (quantityValue(value) === undefined) return "unable to parse quantity's suffix";
  }
  return undefined;
}

function quantitiesIn(object: JsonObject): Json[] {
  const spec = objectAt(object, 'spec');
  const pods = [spec, objectAt(spec, 'template', 'spec'), objectAt(spec, 'jobTemplate', 'spec', 'template', 'spec')];
  const containers = pods.flatMap((pod) => [...each(pod?.['containers'], ''), ...each(pod?.['initContainers'], '')]);
  const holders = [objectAt(spec, 'resources'), ...containers.map(({ item }) => objectAt(item, 'resources'))];
  const maps = holders.flatMap((holder) => [holder?.['limits'], holder?.['requests']]);
  return [...maps, spec?.['hard']].flatMap((map) => (isObject(map) ? Object.values(map) : []));
}
