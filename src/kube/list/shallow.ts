import type { KubeObject } from '../../core/objects/index.ts';
import { BracketScan } from './scan.ts';

/** More than any manifest has, and few enough for everybody who walks through an object level by level. */
const mostLevels = 500;
/** What stands in the place of what is nested deeper. */
const tooDeep = `nested more than ${mostLevels} levels deep`;

/** Whether JSON is nested so deeply that `shallow` must be asked; `bytes` is looked through only if it could be. */
export function isDeep(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < 2 * mostLevels) return false;
  const scan = new BracketScan();
  scan.run(bytes, start, end, 0);
  return isTooDeep(scan.deepest);
}

/** The same, where the levels have been counted. */
export function isTooDeep(levels: number): boolean {
  return levels > mostLevels;
}

/**
 * The object with a text in the place of each field that is nested too deeply. An API server stores ten thousand levels of
 * whoever may write an object: whoever reads them must neither fall over them nor lose sight of all other objects.
 */
export function shallow(object: KubeObject): KubeObject {
  if (!nests(object, mostLevels)) return object;
  const metadata = Object.entries(object.metadata).filter(([, value]) => !nests(value, mostLevels));
  const fields = Object.entries(object).map(([name, value]) => [name, nests(value, mostLevels) ? tooDeep : value]);
  return { ...Object.fromEntries(fields), metadata: Object.fromEntries(metadata) } as KubeObject; // kind and version are texts
}

function nests(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => nests(each, levels - 1));
}
