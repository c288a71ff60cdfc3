import type { Json } from '../json/index.ts';

/**
 * What a field may hold and how two values of it are merged: the one description behind strategic merge patch,
 * server-side apply, defaulting, pruning and validation. Built-in kinds get theirs from the generated table,
 * custom ones from their CRD's structural schema.
 */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | undefined;
  readonly properties?: { readonly [name: string]: Schema } | undefined;
  /** Schema of the values of a map, or `true` for anything. */
  readonly additionalProperties?: Schema | true | undefined;
  readonly items?: Schema | undefined;
  readonly required?: readonly string[] | undefined;
  readonly default?: Json | undefined;
  readonly nullable?: boolean | undefined;
  readonly enum?: readonly Json[] | undefined;
  readonly format?: string | undefined;
  readonly pattern?: string | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: boolean | undefined;
  readonly exclusiveMaximum?: boolean | undefined;
  readonly multipleOf?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  readonly minProperties?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly allOf?: readonly Schema[] | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
  readonly not?: Schema | undefined;
  /** How lists are merged by server-side apply; absent means atomic. */
  readonly listType?: 'atomic' | 'set' | 'map' | undefined;
  readonly listMapKeys?: readonly string[] | undefined;
  /** Maps and structs: `atomic` ones are replaced whole; absent means granular. */
  readonly mapType?: 'granular' | 'atomic' | undefined;
  /** Strategic merge patch: `merge` by this key, or replace. */
  readonly patchStrategy?: 'merge' | 'replace' | 'retainKeys' | 'merge,retainKeys' | undefined;
  readonly patchMergeKey?: string | undefined;
  readonly intOrString?: boolean | undefined;
  readonly preserveUnknownFields?: boolean | undefined;
  readonly embeddedResource?: boolean | undefined;
  /** CEL rules of a CRD. */
  readonly validations?:
    | readonly {
        readonly rule: string;
        readonly message?: string | undefined;
        readonly messageExpression?: string | undefined;
        readonly reason?: string | undefined;
        readonly fieldPath?: string | undefined;
        /** Evaluate also where there is no old value; `oldSelf` is then an optional. */
        readonly optionalOldSelf?: boolean | undefined;
      }[]
    | undefined;
  /** Of built-in types: printed even when nothing is in it, so an empty object has it too. */
  readonly always?: boolean | undefined;
  /** Another type of the same table, by name; keeps the generated table small and allows recursion. */
  readonly ref?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

/** Finds the type a `ref` names. */
export type ResolveRef = (name: string) => Schema | undefined;
