/** The syntax of names in Kubernetes: each function gives what is wrong with a text, in the real server's words. */

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${subdomain}$`);
const qualifiedPattern = new RegExp(`^${qualified}$`);

const labelText = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`;
const subdomainText = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`;
const qualifiedText = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualified}')`;
const valueText = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${qualified})?')`;
const keyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const bytes = (text: string): number => Buffer.byteLength(text);

export function dnsLabel(name: string): string[] {
  const tooLong = name.length > 63 ? ['must be no more than 63 characters'] : [];
  if (labelPattern.test(name)) return tooLong;
  return [...tooLong, subdomainPattern.test(name) ? 'must not contain dots' : labelText];
}

export function dnsSubdomain(name: string): string[] {
  return [
    ...(name.length > 253 ? ['must be no more than 253 characters'] : []),
    ...(subdomainPattern.test(name) ? [] : [subdomainText]),
  ];
}

/** Names that need only be one segment of a path, as those of roles. */
export function pathSegment(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((sign) => name.includes(sign)).map((sign) => `may not contain '${sign}'`);
}

/** A key of a label or annotation: an optional domain, then a name. */
export function qualifiedName(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2)
    return [
      `a valid label key ${qualifiedText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const problems: string[] = [];
  const name = parts.at(-1) ?? '';
  if (parts.length === 2) problems.push(...prefixProblems(parts[0] ?? ''));
  if (name === '') problems.push('name part must be non-empty');
  else if (bytes(name) > 63) problems.push('name part must be no more than 63 bytes');
  if (!qualifiedPattern.test(name)) problems.push(`name part ${qualifiedText}`);
  return problems;
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  if (bytes(prefix) > 253) return ['prefix part must be no more than 253 bytes'];
  return subdomainPattern.test(prefix) ? [] : [`prefix part ${subdomainText}`];
}

export function labelValue(value: string): string[] {
  return [
    ...(bytes(value) > 63 ? ['must be no more than 63 bytes'] : []),
    ...(value === '' || qualifiedPattern.test(value) ? [] : [valueText]),
  ];
}

/** A key of a ConfigMap's or Secret's data. */
export function configKey(key: string): string[] {
  if (key.length > 253) return ['must be no more than 253 characters'];
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) return [keyText];
  if (key === '.') return ["must not be '.'"];
  if (key === '..') return ["must not be '..'"];
  return key.startsWith('..') ? ["must not start with '..'"] : [];
}

/** The name of a port. */
export function portName(name: string): string[] {
  return [
    ...(name.length > 15 ? ['must be no more than 15 characters'] : []),
    ...(/^[-a-z0-9]+$/.test(name) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(name.startsWith('-') || name.endsWith('-') ? ['must not begin or end with a hyphen'] : []),
  ];
}
