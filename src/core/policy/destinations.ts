import type { ProjectDestination } from '../api/index.ts';
import { type Matcher, matcherOf } from './matcher.ts';
import type { Written } from './origin.ts';
import { TextIndex } from './text-index.ts';

/** What a destination rule is held against. */
export interface Place {
  readonly server: string;
  /** Empty for a cluster without a name. */
  readonly name: string;
  /** Undefined asks for the cluster alone, as an Application without a destination namespace does. */
  readonly namespace: string | undefined;
  /** Identity of the cluster: namespace and name of its Secret, and whether it is a tenant's. */
  readonly cluster: { readonly namespace: string; readonly secret: string; readonly tenant: boolean };
}

/** Whom an entry serves beyond what it says: everybody, control-plane clusters only, or one Secret only. */
export type Audience = 'all' | 'control-plane' | { readonly namespace: string; readonly secret: string };

/** A destination entry and whom it serves. */
export interface DestinationRule extends Written<ProjectDestination> {
  readonly audience: Audience;
}

/** One field of an entry, compiled. */
interface Selector {
  readonly deny: boolean;
  /** The text without its `!`. */
  readonly text: string;
  /** Undefined where it is no valid pattern. */
  readonly matcher: Matcher | undefined;
}

interface Entry {
  readonly rule: DestinationRule;
  readonly server: Selector | undefined;
  readonly name: Selector | undefined;
  readonly namespace: Selector | undefined;
  /** The answer it gives, made when it first decides. */
  match: DestinationMatch | undefined;
}

/** What settled a destination: the entry that permits or denies, or none. */
export interface DestinationMatch {
  readonly outcome: 'permitted' | 'denied' | 'none';
  readonly rule?: DestinationRule;
}

const none: DestinationMatch = Object.freeze({ outcome: 'none' });

/** The destinations of a project: a deny wins over every permit, whatever their order, and never permits itself. */
export class Destinations {
  readonly rules: readonly DestinationRule[];
  readonly #permits: Entry[] = [];
  readonly #byNamespace = new TextIndex<Entry>();
  readonly #byServer = new TextIndex<Entry>();
  readonly #byName = new TextIndex<Entry>();
  readonly #denyServer = new TextIndex<Entry>();
  readonly #denyNamespace = new TextIndex<Entry>();
  readonly #denyName = new TextIndex<Entry>();
  #firstDenyName: Entry | undefined;
  #deniesByServer = false;

  constructor(rules: readonly DestinationRule[]) {
    this.rules = rules;
    for (const rule of rules) this.#add(compile(rule));
  }

  #add(entry: Entry): void {
    const { server, name, namespace } = entry;
    if (server?.deny === true) this.#denyServer.add(server.matcher, entry);
    if (isDeny(entry) && server !== undefined && server.text !== '*') this.#deniesByServer = true;
    if (namespace?.deny === true) this.#denyNamespace.add(namespace.matcher, entry);
    if (name?.deny === true) {
      this.#denyName.add(name.matcher, entry);
      this.#firstDenyName ??= entry;
    }
    if (!isDeny(entry)) this.#addPermit(entry);
  }

  /** Files a permit under its most telling field, so that a check meets few candidates. */
  #addPermit(entry: Entry): void {
    this.#permits.push(entry);
    const { server, name, namespace } = entry;
    if (namespace === undefined) this.#byNamespace.add(matcherOf(''), entry);
    else if (isTelling(namespace)) this.#byNamespace.add(namespace.matcher, entry);
    else {
      if (server !== undefined) this.#byServer.add(server.matcher, entry);
      if (name !== undefined) this.#byName.add(name.matcher, entry);
    }
  }

  /** Whether what any entry denies depends on the server. */
  get deniesByServer(): boolean {
    return this.#deniesByServer;
  }

  /** Holds a place against the entries. */
  match(place: Place): DestinationMatch {
    const decides = this.#findDeny(place) ?? this.#findPermit(place);
    return decides === undefined ? none : answerOf(decides);
  }

  #findDeny(place: Place): Entry | undefined {
    if (place.name === '' && this.#firstDenyName !== undefined) return this.#firstDenyName;
    return (
      this.#denyServer.find(place.server, denies, place) ??
      this.#denyName.find(place.name, denies, place) ??
      (place.namespace === undefined ? undefined : this.#denyNamespace.find(place.namespace, denies, place))
    );
  }

  #findPermit(place: Place): Entry | undefined {
    if (place.namespace === undefined) return this.#permits.find((entry) => permits(entry, place));
    return (
      this.#byNamespace.find(place.namespace, permits, place) ??
      this.#byServer.find(place.server, permits, place) ??
      (place.name === '' ? undefined : this.#byName.find(place.name, permits, place))
    );
  }
}

function compile(rule: DestinationRule): Entry {
  const { server, name, namespace } = rule.value;
  return {
    rule,
    server: selector(server?.replace(/\/+$/, '')),
    name: selector(name),
    namespace: selector(namespace),
    match: undefined,
  };
}

function answerOf(entry: Entry): DestinationMatch {
  entry.match ??= { outcome: isDeny(entry) ? 'denied' : 'permitted', rule: entry.rule };
  return entry.match;
}

function selector(text: string | undefined): Selector | undefined {
  if (text === undefined || text === '') return undefined;
  const deny = text.startsWith('!');
  const bare = deny ? text.slice(1) : text;
  return { deny, text: bare, matcher: matcherOf(bare) };
}

/** Whether a selector's literal part leaves few candidates. */
function isTelling({ matcher }: Selector): boolean {
  return matcher !== undefined && (matcher.literal !== undefined || matcher.prefix !== '');
}

/** An entry with a `!` anywhere is a deny and permits nothing. */
function isDeny(entry: Entry): boolean {
  return entry.server?.deny === true || entry.name?.deny === true || entry.namespace?.deny === true;
}

function permits(entry: Entry, place: Place): boolean {
  return serves(entry.rule.audience, place) && onCluster(entry, place) && inNamespace(entry, place);
}

function serves(audience: Audience, place: Place): boolean {
  if (audience === 'all') return true;
  const { cluster } = place;
  if (audience === 'control-plane') return !cluster.tenant;
  return audience.namespace === cluster.namespace && audience.secret === cluster.secret;
}

function onCluster(entry: Entry, place: Place): boolean {
  return (
    entry.server?.matcher?.matches(place.server) === true ||
    (place.name !== '' && entry.name?.matcher?.matches(place.name) === true)
  );
}

function inNamespace(entry: Entry, place: Place): boolean {
  if (place.namespace === undefined) return true;
  return entry.namespace === undefined
    ? place.namespace === ''
    : entry.namespace.matcher?.matches(place.namespace) === true;
}

/**
 * A deny acts when one of its `!` fields names the place and its plain fields fit. A denied name is stricter, as in
 * Argo CD: it acts whatever the other fields say, and also on a cluster without a name.
 */
function denies(entry: Entry, place: Place): boolean {
  if (entry.name?.deny === true && (place.name === '' || hits(entry.name, place.name))) return true;
  if (!plainCluster(entry, place) || !plainNamespace(entry, place)) return false;
  if (entry.server?.deny === true && hits(entry.server, place.server)) return true;
  return entry.namespace?.deny === true && place.namespace !== undefined && hits(entry.namespace, place.namespace);
}

/** In a deny, what cannot be read as a pattern hits everything it could concern. */
function hits(selector: Selector, text: string): boolean {
  return selector.matcher === undefined || selector.matcher.matches(text);
}

function plainCluster(entry: Entry, place: Place): boolean {
  const server = entry.server?.deny === false ? entry.server : undefined;
  const name = entry.name?.deny === false ? entry.name : undefined;
  if (server === undefined && name === undefined) return true;
  return (
    (server !== undefined && hits(server, place.server)) ||
    (name !== undefined && (name.text === '*' || (place.name !== '' && hits(name, place.name))))
  );
}

function plainNamespace(entry: Entry, place: Place): boolean {
  if (entry.namespace === undefined || entry.namespace.deny || place.namespace === undefined) return true;
  return hits(entry.namespace, place.namespace);
}
