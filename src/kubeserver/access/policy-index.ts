import { isArray, type Json, stringAt } from '../../core/json/index.ts';
import { asJson, type KubeObject, nameOf, namespaceOf } from '../../core/objects/index.ts';
import type { Inside, StoreEvent, User } from '../ports.ts';
import { quoted } from './go-text.ts';
import { parseRules, type Rule } from './rules.ts';
import { serviceAccountName } from './users.ts';

const group = 'rbac.authorization.k8s.io';

/** A binding as far as it concerns one of its subjects. */
export interface Grant {
  readonly bindingKind: 'RoleBinding' | 'ClusterRoleBinding';
  readonly name: string;
  readonly namespace: string;
  readonly roleKind: string;
  readonly roleName: string;
  /** The subject as messages print it: `User "jane"`. */
  readonly subject: string;
}

/**
 * Roles and bindings by who they are for, kept up by the store's events, so that asking costs what the user's own
 * bindings cost, however many others there are.
 */
export class PolicyIndex {
  readonly #rules = new Map<string, readonly Rule[]>();
  /** Scope (a namespace, or empty for the cluster) and subject → binding → grant. */
  readonly #grants = new Map<string, Map<string, Grant>>();
  readonly #placesOf = new Map<string, readonly string[]>();
  readonly #watches: { stop(): void }[];

  constructor(inside: Inside) {
    const role = (event: StoreEvent): void => this.#role(event.type === 'DELETED', event.object);
    const binding = (event: StoreEvent): void => this.#binding(event.type === 'DELETED', event.object);
    this.#watches = [
      inside.watch(group, 'Role', role),
      inside.watch(group, 'ClusterRole', role),
      inside.watch(group, 'RoleBinding', binding),
      inside.watch(group, 'ClusterRoleBinding', binding),
    ];
    for (const kind of ['Role', 'ClusterRole'])
      for (const object of inside.list(group, kind)) this.#role(false, object);
    for (const kind of ['RoleBinding', 'ClusterRoleBinding'])
      for (const object of inside.list(group, kind)) this.#binding(false, object);
  }

  stop(): void {
    for (const watch of this.#watches) watch.stop();
  }

  /** The rules of a role; undefined if there is none of that name. */
  rules(kind: string, namespace: string, name: string): readonly Rule[] | undefined {
    return this.#rules.get(roleKey(kind, namespace, name));
  }

  /** What a user was granted: over the whole cluster first, then in the namespace. */
  *grantsOf(user: User, namespace: string): Generator<Grant> {
    for (const scope of namespace === '' ? [''] : ['', namespace]) {
      const seen = new Set<string>();
      for (const subject of [`U:${user.name}`, ...user.groups.map((name) => `G:${name}`)])
        for (const [binding, grant] of this.#grants.get(`${scope}|${subject}`) ?? []) {
          if (seen.has(binding)) continue;
          seen.add(binding);
          yield grant;
        }
    }
  }

  #role(deleted: boolean, object: KubeObject): void {
    const key = roleKey(object.kind, namespaceOf(object), nameOf(object));
    if (deleted) this.#rules.delete(key);
    else this.#rules.set(key, parseRules(asJson(object)['rules']));
  }

  #binding(deleted: boolean, object: KubeObject): void {
    const key = `${namespaceOf(object)}/${nameOf(object)}`;
    const owner = `${object.kind} ${key}`;
    for (const place of this.#placesOf.get(owner) ?? []) this.#forget(place, key);
    this.#placesOf.delete(owner);
    if (deleted) return;
    const subjects = asJson(object)['subjects'];
    const places = isArray(subjects) ? subjects.flatMap((subject) => this.#place(object, key, subject)) : [];
    this.#placesOf.set(owner, places);
  }

  #forget(place: string, key: string): void {
    const grants = this.#grants.get(place);
    grants?.delete(key);
    if (grants?.size === 0) this.#grants.delete(place);
  }

  #place(object: KubeObject, key: string, subject: Json): string[] {
    const namespace = namespaceOf(object);
    const who = subjectKey(subject, namespace);
    if (who === undefined) return [];
    const place = `${namespace}|${who.key}`;
    const grants = this.#grants.get(place) ?? new Map<string, Grant>();
    const roleRef = asJson(object)['roleRef'];
    if (!grants.has(key))
      grants.set(key, {
        bindingKind: object.kind === 'RoleBinding' ? 'RoleBinding' : 'ClusterRoleBinding',
        name: nameOf(object),
        namespace,
        roleKind: stringAt(roleRef, 'kind') ?? '',
        roleName: stringAt(roleRef, 'name') ?? '',
        subject: who.text,
      });
    this.#grants.set(place, grants);
    return [place];
  }
}

function roleKey(kind: string, namespace: string, name: string): string {
  return kind === 'Role' ? `Role ${namespace}/${name}` : `${kind} ${name}`;
}

function subjectKey(subject: Json, bindingNamespace: string): { key: string; text: string } | undefined {
  const kind = stringAt(subject, 'kind');
  const name = stringAt(subject, 'name') ?? '';
  if (kind === 'User') return { key: `U:${name}`, text: `User ${quoted(name)}` };
  if (kind === 'Group') return { key: `G:${name}`, text: `Group ${quoted(name)}` };
  if (kind !== 'ServiceAccount') return undefined;
  const given = stringAt(subject, 'namespace') ?? '';
  const namespace = given === '' ? bindingNamespace : given;
  if (namespace === '') return undefined;
  return { key: `U:${serviceAccountName(namespace, name)}`, text: `ServiceAccount ${quoted(`${name}/${namespace}`)}` };
}
