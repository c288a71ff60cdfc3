import type { Cause } from '../status.ts';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const qualifiedPart = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const subdomainText = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`;
const labelText = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`;
const dns1035Text = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`;
const qualifiedText = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualifiedPart}')`;
const valueText = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${qualifiedPart})?')`;

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const patterns = {
  label: whole(label),
  subdomain: whole(subdomain),
  dns1035: whole('[a-z]([-a-z0-9]*[a-z0-9])?'),
  qualified: whole(qualifiedPart),
  value: whole(`(${qualifiedPart})?`),
};

/** How the name of an object of a kind is checked. */
export type NameRule = 'subdomain' | 'label' | 'dns1035' | 'path';

/** Why a text is no such name; empty if it is one. */
export function nameProblems(name: string, rule: NameRule): string[] {
  if (rule === 'path') return pathProblems(name);
  const [pattern, text, most] = {
    subdomain: [patterns.subdomain, subdomainText, 253],
    label: [patterns.label, labelText, 63],
    dns1035: [patterns.dns1035, dns1035Text, 63],
  }[rule] as [RegExp, string, number]; // a tuple per rule
  const problems: string[] = [];
  if (name.length > most) problems.push(`must be no more than ${most} characters`);
  if (!pattern.test(name)) problems.push(text);
  return problems;
}

/** Names of RBAC objects: anything that can be one segment of a path. */
function pathProblems(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
}

/** Why a text is no qualified name (`example.com/role`), as used for the keys of labels and annotations. */
export function qualifiedNameProblems(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2)
    return [
      `a valid qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualifiedPart}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const problems: string[] = [];
  const [prefix, name = ''] = parts.length === 2 ? parts : [undefined, parts[0]];
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== undefined)
    problems.push(...nameProblems(prefix, 'subdomain').map((text) => `prefix part ${text}`));
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > 63) problems.push('name part must be no more than 63 characters');
  if (!patterns.qualified.test(name)) problems.push(qualifiedText);
  return problems;
}

export function labelValueProblems(value: string): string[] {
  const problems: string[] = [];
  if (value.length > 63) problems.push('must be no more than 63 characters');
  if (!patterns.value.test(value)) problems.push(valueText);
  return problems;
}

export const invalidValue = (field: string, value: unknown, why: string): Cause => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
});
