import type { Json } from '../json/index.ts';

/** What kind of mistake a value is, in Kubernetes' words. */
export type ProblemType =
  | 'Required value'
  | 'Invalid value'
  | 'Unsupported value'
  | 'Too long'
  | 'Too many'
  | 'Duplicate value'
  | 'Forbidden'
  | 'Internal error';

/** One mistake in an object: where, of which kind, and the API server's sentence about it. */
export interface Problem {
  /** Such as `spec.list[0].name`; `<nil>` where it concerns the whole object. */
  readonly path: string;
  readonly type: ProblemType;
  /** The reason in `details.causes` of the Status. */
  readonly reason: string;
  /** Without the path: `Invalid value: 11: spec.n in body should be less than or equal to 10`. */
  readonly message: string;
}

const reasons: Record<ProblemType, string> = {
  'Required value': 'FieldValueRequired',
  'Invalid value': 'FieldValueInvalid',
  'Unsupported value': 'FieldValueNotSupported',
  'Too long': 'FieldValueTooLong',
  'Too many': 'FieldValueTooMany',
  'Duplicate value': 'FieldValueDuplicate',
  Forbidden: 'FieldValueForbidden',
  'Internal error': 'InternalError',
};

/** Builds a problem; the value is shown for the kinds that show one. */
export function problem(path: string, type: ProblemType, shown: { value?: Json; detail?: string } = {}): Problem {
  const head = shown.value === undefined ? type : `${type}: ${JSON.stringify(shown.value)}`;
  const message = shown.detail === undefined || shown.detail === '' ? head : `${head}: ${shown.detail}`;
  return { path: path === '' ? '<nil>' : path, type, reason: reasons[type], message };
}

/** A value of the wrong type: reads like an invalid one, but has a reason of its own. */
export function typeProblem(path: string, value: Json, detail: string): Problem {
  return { ...problem(path, 'Invalid value', { value, detail }), reason: 'FieldValueTypeInvalid' };
}

/** All problems in one sentence, as the message of the Status shows them. */
export function printProblems(problems: readonly Problem[]): string {
  const texts = [...new Set(problems.map(({ path, message }) => `${path}: ${message}`))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
