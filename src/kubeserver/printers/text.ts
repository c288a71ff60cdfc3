import { at, isArray, isObject, type Json, type JsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import { printed } from '../printed.ts';

/** The time since a timestamp in kubectl's words: `5s`, `3m20s`, `4h5m`, `3d`. */
export function age(timestamp: string | undefined, now: Date): string {
  if (timestamp === undefined || timestamp === '') return '<unknown>';
  return duration(now.getTime() - Date.parse(timestamp));
}

/** A length of time, more precise the shorter it is. */
export function duration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return hours % 24 === 0 ? `${days}d` : `${days}d${hours % 24}h`;
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 2920 && days % 365 !== 0 ? `${years}y${days % 365}d` : `${years}y`;
}

/** A map of labels as `a=b,c=d`. */
export function labels(value: Json | undefined): string {
  if (!isObject(value) || Object.keys(value).length === 0) return '<none>';
  return Object.keys(value)
    .sort()
    .map((key) => `${key}=${printed(value[key])}`)
    .join(',');
}

/** A LabelSelector as text. */
export function selector(value: Json | undefined): string {
  const terms = objectAt(value, 'matchLabels');
  const expressions = list(at(value, 'matchExpressions')).map((term) => {
    const [key, operator] = [stringAt(term, 'key') ?? '', stringAt(term, 'operator') ?? ''];
    const values = list(at(term, 'values')).map(printed).join(',');
    if (operator === 'Exists') return key;
    return operator === 'DoesNotExist' ? `!${key}` : `${key} ${operator.toLowerCase()} (${values})`;
  });
  const all = [...(terms === undefined ? [] : [labels(terms)]), ...expressions].filter((term) => term !== '<none>');
  return all.length === 0 ? '<none>' : all.join(',');
}

/** The items of a list; none where there is no list. */
export function list(value: Json | undefined): readonly JsonObject[] {
  return isArray(value) ? (value as readonly JsonObject[]) : []; // read with readers that check
}

/** A number under a path; 0 where there is none. */
export function count(value: Json | undefined, ...path: readonly string[]): number {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : 0;
}

/** The names and images of a pod template's containers. */
export function containers(spec: Json | undefined): [string, string] {
  const all = list(at(spec, 'containers'));
  return [
    all.map((one) => stringAt(one, 'name') ?? '').join(','),
    all.map((one) => stringAt(one, 'image') ?? '').join(','),
  ];
}
