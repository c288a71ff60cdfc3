import type { JsonObject } from '../json/index.ts';

/** What somebody can do with one object. */
export interface ActionOption {
  readonly name: string;
  /** It makes no sense as the object now is. */
  readonly disabled?: boolean;
  readonly displayName?: string;
  readonly iconClass?: string;
  readonly params?: readonly { readonly name: string; readonly default?: string }[];
}

/** One object that an action makes or changes, whole; for a change the caller sends what differs. */
export interface Impact {
  readonly operation: 'create' | 'patch';
  readonly resource: JsonObject;
}

/** What a person gave along with an action. */
export type ActionParams = ReadonlyMap<string, string>;

/** The actions of one kind, each as values in and out; they throw with a sentence for people where they cannot. */
export interface KindActions {
  options(object: JsonObject): readonly ActionOption[];
  /** Undefined where there is no such action. */
  run(name: string, object: JsonObject, params: ActionParams): readonly Impact[] | undefined;
}

/** What actions need from outside: seconds since 1970. */
export type Clock = () => number;
