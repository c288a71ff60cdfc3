import type { FieldValidation } from '../registry/decode.ts';
import { type Cause, invalid } from '../status.ts';

/** The query of a write, checked. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly validation: FieldValidation;
  readonly manager: string;
  readonly force: boolean;
}

type Kind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

/** Reads the query of a write; throws 422 as the real server does. */
export function writeOptions(query: URLSearchParams, kind: Kind, userAgent: string, isApply = false): WriteOptions {
  const causes = [...dryRunProblems(query.getAll('dryRun')), ...validationProblems(query.get('fieldValidation') ?? '')];
  const given = query.get('fieldManager') ?? '';
  causes.push(...managerProblems(given));
  if (kind === 'PatchOptions') causes.push(...patchProblems(query, given, isApply));
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', causes);
  const validation = query.get('fieldValidation') ?? '';
  return {
    dryRun: query.getAll('dryRun').length > 0,
    validation: validation === 'Strict' || validation === 'Ignore' ? validation : 'Warn',
    manager: given === '' ? managerOf(userAgent) : given,
    force: query.get('force') === 'true' || query.get('force') === '1',
  };
}

/** Without a name the manager is the first part of the user agent, as in the real server. */
function managerOf(userAgent: string): string {
  const name = (userAgent.split('/')[0] ?? '').replace(/[^\u0020-\u007e]/g, '').slice(0, 128);
  return name === '' ? 'unknown' : name;
}

function dryRunProblems(values: readonly string[]): Cause[] {
  if (values.every((value) => value === 'All')) return [];
  const list = `[${values.map((value) => JSON.stringify(value)).join(',')}]`;
  return [
    {
      field: 'dryRun',
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${list}: supported values: "All"`,
    },
  ];
}

function validationProblems(value: string): Cause[] {
  if (['', 'Ignore', 'Strict', 'Warn'].includes(value)) return [];
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: "", "Ignore", "Strict", "Warn"`;
  return [{ field: 'fieldValidation', reason: 'FieldValueNotSupported', message }];
}

function managerProblems(manager: string): Cause[] {
  if (manager.length > 128)
    return [
      { field: 'fieldManager', reason: 'FieldValueTooLong', message: 'Too long: may not be more than 128 bytes' },
    ];
  if (/^[\u0020-\u007e\u00a0-\uffff]*$/.test(manager)) return [];
  const message = `Invalid value: ${JSON.stringify(manager)}: should only contain printable characters`;
  return [{ field: 'fieldManager', reason: 'FieldValueInvalid', message }];
}

function patchProblems(query: URLSearchParams, manager: string, isApply: boolean): Cause[] {
  if (isApply && manager === '')
    return [
      { field: 'fieldManager', reason: 'FieldValueRequired', message: 'Required value: is required for apply patch' },
    ];
  if (!isApply && query.get('force') !== null)
    return [
      { field: 'force', reason: 'FieldValueForbidden', message: 'Forbidden: may not be specified for non-apply patch' },
    ];
  return [];
}
