import { equal, isArray, isObject, type Json, type JsonObject, objectAt, thaw } from '../../core/json/index.ts';
import { asJson, type KubeObject, nameOf } from '../../core/objects/index.ts';
import { selects } from '../admission/index.ts';
import type { Actor, Inside } from '../ports.ts';
import { reconciler } from './reconciler.ts';

const group = 'rbac.authorization.k8s.io';

/** Fills ClusterRoles that gather others' rules by label. */
export function aggregationActor(): Actor {
  const everything = [{ group, kind: 'ClusterRole', keys: () => ['all'] }];
  return reconciler('clusterrole-aggregation', everything, async (inside) => {
    // A role may gather from one that gathers: the write of the inner one brings us back for the outer one.
    for (const role of inside.list(group, 'ClusterRole')) if (selectorsOf(role).length > 0) await gather(inside, role);
    return undefined;
  });
}

function selectorsOf(role: KubeObject): JsonObject[] {
  const list = objectAt(asJson(role), 'aggregationRule')?.['clusterRoleSelectors'];
  return isArray(list) ? list.filter((item) => isObject(item)) : [];
}

async function gather(inside: Inside, role: KubeObject): Promise<void> {
  const rules: Json[] = [];
  for (const selector of selectorsOf(role))
    for (const other of inside.list(group, 'ClusterRole')) {
      if (nameOf(other) === nameOf(role) || !selects(selector, other.metadata.labels ?? {})) continue;
      const theirs = asJson(other)['rules'];
      for (const rule of isArray(theirs) ? theirs : [])
        if (!rules.some((known) => equal(known, rule))) rules.push(rule);
    }
  if (equal(asJson(role)['rules'] ?? null, rules) || (rules.length === 0 && !asJson(role)['rules'])) return;
  await inside.update(group, 'ClusterRole', '', nameOf(role), (current) => ({ ...current, rules: thaw(rules) }));
}
