import { ArgosyError } from '../../../core/errors/index.ts';
import { isNamespaced, type Subject } from '../../../core/policy/index.ts';

/** Flags that name one object. */
export interface SubjectFlags {
  readonly object?: string;
  readonly clusterScoped?: boolean;
  readonly unknownKind?: boolean;
}

/**
 * Reads `group/Kind:namespace/name` (core group: `Kind:…`; cluster-scoped: `group/Kind:name`). Whether a kind is namespaced
 * is taken from how it is written, for without a cluster there is no discovery; built-in kinds are known.
 */
export function parseSubject({ object, clusterScoped, unknownKind }: SubjectFlags): Subject | undefined {
  if (object === undefined) return undefined;
  const colon = object.indexOf(':');
  const [kindText, place] = [object.slice(0, colon), object.slice(colon + 1)];
  if (colon <= 0 || place === '') throw new ArgosyError('usage', `${object} is not [GROUP/]KIND:[NAMESPACE/]NAME`);
  const slash = kindText.lastIndexOf('/');
  const [group, kind] = slash < 0 ? ['', kindText] : [kindText.slice(0, slash), kindText.slice(slash + 1)];
  const cut = place.indexOf('/');
  const [namespace, name] = cut < 0 ? ['', place] : [place.slice(0, cut), place.slice(cut + 1)];
  const written = unknownKind === true ? undefined : clusterScoped !== true && namespace !== '';
  return { group, kind, namespace, name, namespaced: isNamespaced({ group, kind }, written) };
}
