import type { Attributes, Authorizer, RequestInfo, User } from '../ports.ts';
import { badRequest } from '../status.ts';
import { goStrings, quoted } from './go-text.ts';
import { notAllowed } from './refusal.ts';
import {
  anonymous,
  attributesOf,
  authenticated,
  masters,
  serviceAccountGroups,
  splitServiceAccount,
  unauthenticated,
} from './users.ts';

/** Request headers as `node:http` gives them, or its distinct form with every value. */
export type Headers = { readonly [name: string]: string | readonly string[] | undefined };

const extraPrefix = 'impersonate-extra-';

/** The user asked for in the headers, as it stands there; undefined if none was asked for. */
export function wantedUser(headers: Headers): User | undefined {
  const name = values(headers, 'impersonate-user')[0] ?? '';
  const uid = values(headers, 'impersonate-uid')[0] ?? '';
  const groups = values(headers, 'impersonate-group');
  const named = Object.keys(headers).filter((key) => key.toLowerCase().startsWith(extraPrefix));
  // Built from entries, so that a key such as `__proto__` is data like any other.
  const extra = Object.fromEntries(
    named.map((key) => [unescaped(key.slice(extraPrefix.length).toLowerCase()), values(headers, key)]),
  );
  const wanted = { name, uid, groups, extra };
  if (name !== '') return wanted;
  if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw badRequest(`requested ${goUser(wanted)} without impersonating a user name`);
}

function values(headers: Headers, name: string): string[] {
  const found = headers[name];
  if (found === undefined) return [];
  return (typeof found === 'string' ? [found] : found).map(asText);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Node gives a header's bytes as one character each; names are UTF-8. Bytes that are none name nobody. */
function asText(value: string): string {
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    throw badRequest('an impersonation header is not UTF-8');
  }
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function goUser({ uid, groups, extra }: User): string {
  const keys = Object.keys(extra).sort();
  const pairs = keys.map((key) => `${quoted(key)}:${goStrings(extra[key] ?? [])}`);
  const extras = keys.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${pairs.join(', ')}}`;
  return `&user.DefaultInfo{Name:"", UID:${quoted(uid)}, Groups:${goStrings(groups)}, Extra:${extras}}`;
}

/** Whom a request acts as once impersonation was allowed, and by which constrained verb (empty: plain `impersonate`). */
export interface Impersonation {
  readonly user: User;
  readonly constraint: string;
}

/** A way to be allowed: Kubernetes' constrained modes (KEP-5284), and the plain verb (no name). */
interface Mode {
  readonly name: string;
  readonly applies: (wanted: User, requestor: User) => boolean;
}

const modes: readonly Mode[] = [
  { name: 'associated-node', applies: (wanted, requestor) => onlyNamed(wanted) && isOwnNode(wanted, requestor) },
  { name: 'arbitrary-node', applies: (wanted) => onlyNamed(wanted) && nodeName(wanted.name) !== undefined },
  { name: 'serviceaccount', applies: (wanted) => onlyNamed(wanted) && splitServiceAccount(wanted.name) !== undefined },
  {
    name: 'user-info',
    applies: (wanted) => nodeName(wanted.name) === undefined && splitServiceAccount(wanted.name) === undefined,
  },
  { name: '', applies: () => true },
];

function onlyNamed({ uid, groups, extra }: User): boolean {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
}

function nodeName(user: string): string | undefined {
  return /^system:node:([a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/.exec(user)?.[1];
}

function isOwnNode(wanted: User, requestor: User): boolean {
  const name = nodeName(wanted.name);
  const own = requestor.extra['authentication.kubernetes.io/node-name'];
  return (
    name !== undefined && splitServiceAccount(requestor.name) !== undefined && own?.length === 1 && own[0] === name
  );
}

const remembered = 10_000;

/**
 * Checks requested impersonations. As in Kubernetes 1.36 the mode that worked last for a requestor is tried first, and
 * of all refusals the first is told: who impersonates by the plain verb is refused in its words.
 */
export class Impersonator {
  readonly #authorizer: Authorizer;
  readonly #lastMode = new Map<string, string>();

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /** Whom the requestor may act as; throws the refusal. */
  impersonate(requestor: User, wanted: User, info: RequestInfo): Impersonation {
    const refusals: unknown[] = [];
    for (const { name } of this.#inOrder(requestor).filter(({ applies }) => applies(wanted, requestor)))
      try {
        const done = this.#attempt(requestor, wanted, info, name);
        this.#remember(requestor.name, name);
        return done;
      } catch (refusal) {
        refusals.push(refusal);
      }
    throw refusals[0];
  }

  #inOrder(requestor: User): readonly Mode[] {
    const last = this.#lastMode.get(requestor.name);
    const first = modes.filter(({ name }) => name === last);
    return [...first, ...modes.filter(({ name }) => name !== last)];
  }

  #attempt(requestor: User, wanted: User, info: RequestInfo, mode: string): Impersonation {
    if (mode === '') return { user: permitted(this.#authorizer, requestor, wanted, ''), constraint: '' };
    check(this.#authorizer, { ...attributesOf(requestor, info), verb: `impersonate-on:${mode}:${info.verb}` });
    return { user: permitted(this.#authorizer, requestor, wanted, mode), constraint: `impersonate:${mode}` };
  }

  #remember(requestor: string, mode: string): void {
    if (this.#lastMode.size >= remembered && !this.#lastMode.has(requestor)) this.#lastMode.clear();
    this.#lastMode.set(requestor, mode);
  }
}

function check(authorizer: Authorizer, asked: Attributes): void {
  const { allowed, reason } = authorizer.authorize(asked);
  if (!allowed) throw notAllowed(asked, reason);
}

/** Asks for each part of the wanted identity, and completes it with the groups that follow from its name. */
function permitted(authorizer: Authorizer, requestor: User, wanted: User, mode: string): User {
  const verb = mode === '' ? 'impersonate' : `impersonate:${mode}`;
  const ask = (part: Partial<Attributes>): void => check(authorizer, { ...blank(requestor, verb), ...part });
  const group = mode === '' ? '' : 'authentication.k8s.io';
  const account = splitServiceAccount(wanted.name);
  const node = mode === '' ? undefined : nodeName(wanted.name);
  if (account !== undefined) ask({ group, resource: 'serviceaccounts', ...account });
  else if (node !== undefined) ask({ group, resource: 'nodes', name: mode === 'associated-node' ? '*' : node });
  else ask({ group, resource: 'users', name: wanted.name });
  const own = { group: 'authentication.k8s.io' };
  if (wanted.uid !== '') ask({ ...own, resource: 'uids', name: wanted.uid });
  if (mode !== '') refuseGroups(wanted, blank(requestor, verb));
  for (const name of wanted.groups) ask({ group, resource: 'groups', name });
  if (mode !== '') refuseExtra(wanted, blank(requestor, verb));
  for (const [subresource, all] of Object.entries(wanted.extra))
    for (const name of all) ask({ ...own, resource: 'userextras', subresource, name });
  return completed(wanted, account, node);
}

/** Constrained impersonation never reaches the group that may do everything. */
function refuseGroups(wanted: User, asked: Attributes): void {
  const groups = { ...asked, group: 'authentication.k8s.io', resource: 'groups' };
  if (wanted.groups.includes('')) throw notAllowed(groups, 'impersonating the empty string group is not allowed');
  if (!wanted.groups.includes(masters)) return;
  throw notAllowed({ ...groups, name: masters }, 'impersonating the system:masters group is not allowed');
}

const extraKey = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** Constrained impersonation takes only extra keys that say whose they are. */
function refuseExtra(wanted: User, asked: Attributes): void {
  const extras = { ...asked, group: 'authentication.k8s.io', resource: 'userextras' };
  for (const [key, all] of Object.entries(wanted.extra)) {
    if (key === '') throw notAllowed(extras, 'impersonating the empty string key in extra is not allowed');
    if (!extraKey.test(key)) {
      const why = `Invalid value: ${quoted(key)}: must be a domain-prefixed path (such as "acme.io/foo")`;
      throw notAllowed(extras, `impersonating an invalid key in extra is not allowed: extra.key: ${why}`);
    }
    if (key !== key.toLowerCase())
      throw notAllowed(extras, `impersonating a non-lowercase key in extra is not allowed: ${quoted(key)}`);
    if (all.includes('')) throw notAllowed(extras, 'impersonating the empty string value in extra is not allowed');
  }
}

function blank(user: User, verb: string): Attributes {
  const empty = { version: 'v1', resource: '', subresource: '', namespace: '', name: '', path: '' };
  return { user, verb, isResource: true, group: '', ...empty };
}

function completed(wanted: User, account: { namespace: string } | undefined, node: string | undefined): User {
  const given = wanted.groups.length > 0;
  let groups = [...wanted.groups];
  if (account !== undefined && !given) groups = serviceAccountGroups(account.namespace);
  if (node !== undefined) groups = ['system:nodes'];
  const everyone = wanted.name === anonymous.name ? unauthenticated : authenticated;
  if (!groups.includes(everyone) && !groups.includes(unauthenticated)) groups.push(everyone);
  return { ...wanted, groups };
}
