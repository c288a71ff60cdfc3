import type { DestinationServiceAccount } from '../api/index.ts';
import { type Matcher, matcherOf } from './matcher.ts';
import type { Written } from './origin.ts';
import { TextIndex } from './text-index.ts';

interface Entry {
  readonly rule: Written<DestinationServiceAccount>;
  readonly order: number;
  readonly server: Matcher | undefined;
  readonly namespace: Matcher | undefined;
}

/** The first entry of `destinationServiceAccounts` that decides, or none. */
export type AccountMatch =
  | { readonly outcome: 'entry'; readonly rule: Written<DestinationServiceAccount> }
  | {
      readonly outcome: 'broken';
      readonly rule: Written<DestinationServiceAccount>;
      readonly part: 'server' | 'namespace';
    }
  | { readonly outcome: 'none' };

const none: AccountMatch = Object.freeze({ outcome: 'none' });

/** The service accounts of a project, in their order: the first that matches is final, a broken one before it is an error. */
export class Accounts {
  readonly rules: readonly Written<DestinationServiceAccount>[];
  readonly #entries: readonly Entry[];
  readonly #byNamespace = new TextIndex<Entry>();
  readonly #byServer = new TextIndex<Entry>();

  constructor(rules: readonly Written<DestinationServiceAccount>[]) {
    this.rules = rules;
    this.#entries = rules.map(compile);
    for (const entry of this.#entries) this.#add(entry);
  }

  #add(entry: Entry): void {
    const { namespace } = entry;
    if (isBroken(entry)) this.#byServer.add(undefined, entry);
    else if (namespace?.literal !== undefined || namespace?.prefix !== '') this.#byNamespace.add(namespace, entry);
    else this.#byServer.add(entry.server, entry);
  }

  /** For a destination with a namespace: the first entry whose server and namespace patterns match. */
  match(server: string, namespace: string): AccountMatch {
    let first: Entry | undefined;
    const visit = (entry: Entry): void => {
      if (first !== undefined && first.order < entry.order) return;
      if (isBroken(entry) || fits(entry, server, namespace)) first = entry;
    };
    this.#byNamespace.each(namespace, visit);
    this.#byServer.each(server, visit);
    return outcome(first);
  }

  /**
   * For a destination without a namespace: the first entry whose server matches and whose namespace pattern, taken as
   * text, is itself a destination the project permits.
   */
  matchWithoutNamespace(server: string, permitted: (namespace: string) => boolean): AccountMatch {
    return outcome(
      this.#entries.find(
        (entry) =>
          isBroken(entry) || (entry.server?.matches(server) === true && permitted(entry.rule.value.namespace ?? '')),
      ),
    );
  }
}

function compile(rule: Written<DestinationServiceAccount>, order: number): Entry {
  const { server, namespace = '' } = rule.value;
  return { rule, order, server: matcherOf(trimmed(server)), namespace: matcherOf(namespace) };
}

function trimmed(server: string): string {
  return server.replace(/\/+$/, '');
}

function isBroken(entry: Entry): boolean {
  return entry.server === undefined || entry.namespace === undefined;
}

function fits(entry: Entry, server: string, namespace: string): boolean {
  return entry.server?.matches(server) === true && entry.namespace?.matches(namespace) === true;
}

function outcome(entry: Entry | undefined): AccountMatch {
  if (entry === undefined) return none;
  if (entry.server === undefined) return { outcome: 'broken', rule: entry.rule, part: 'server' };
  if (entry.namespace === undefined) return { outcome: 'broken', rule: entry.rule, part: 'namespace' };
  return { outcome: 'entry', rule: entry.rule };
}
