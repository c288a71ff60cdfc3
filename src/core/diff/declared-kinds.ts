import { own, stringAt } from '../json/index.ts';
import { asJson, groupOf, type KubeObject, kindText } from '../objects/index.ts';

/** The kinds that CRDs among these objects bring along, by `kindText`: whether they live in namespaces. */
export function declaredKinds(objects: readonly KubeObject[]): ReadonlyMap<string, boolean> {
  const kinds = new Map<string, boolean>();
  for (const object of objects) {
    if (object.kind !== 'CustomResourceDefinition' || groupOf(object.apiVersion) !== 'apiextensions.k8s.io') continue;
    const spec = own(asJson(object), 'spec');
    const [group, kind] = [stringAt(spec, 'group'), stringAt(spec, 'names', 'kind')];
    if (group === undefined || kind === undefined) continue;
    kinds.set(kindText({ group, kind }), stringAt(spec, 'scope') === 'Namespaced');
  }
  return kinds;
}
