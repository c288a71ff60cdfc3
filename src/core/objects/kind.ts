/** A kind without its version; the core group is the empty text. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

export interface GroupVersionKind extends GroupKind {
  readonly version: string;
}

/** Splits `apps/v1` into group and version; `v1` belongs to the core group. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** The `apiVersion` of a group and version. */
export function printApiVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The group of an `apiVersion`. */
export function groupOf(apiVersion: string): string {
  return parseApiVersion(apiVersion).group;
}

/** The kind an object says it is. */
export function gvkOf(object: { readonly apiVersion: string; readonly kind: string }): GroupVersionKind {
  return { ...parseApiVersion(object.apiVersion), kind: object.kind };
}

/** A kind as people read it: `apps/Deployment`, `ConfigMap`. */
export function kindText(kind: GroupKind): string {
  return kind.group === '' ? kind.kind : `${kind.group}/${kind.kind}`;
}
