/**
 * Whose turn an Application's pass counts for: its namespace. Applications of the control plane's namespace belong to as
 * many teams as there are projects, so these take turns there; who names a project that does not exist gains no more than
 * who names one that does.
 */
export function tenantOf(key: string, project: string | undefined, controlPlane: string): string {
  const namespace = key.slice(0, key.indexOf('/'));
  // No namespace holds a slash: the two forms never meet.
  return namespace === controlPlane && project !== undefined ? `${namespace}/${project}` : namespace;
}
