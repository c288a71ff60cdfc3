import { ArgosyError } from '../core/errors/index.ts';

/** Reads `.gitmodules`: only sections of submodules, only path and url, nothing that could be a command. */
export function parseModules(text: string): Map<string, string> {
  const byPath = new Map<string, string>();
  let current: { path?: string; url?: string } | undefined;
  const finish = (): void => {
    if (current?.path !== undefined && current.url !== undefined) byPath.set(current.path, current.url);
  };
  for (const line of text.split('\n')) {
    if (/^\s*\[/.test(line)) {
      finish();
      current = /^\s*\[submodule\s+"[^"\n]*"\]\s*$/.test(line) ? {} : undefined;
      continue;
    }
    const match = /^\s*(path|url)\s*=\s*(.*?)\s*$/.exec(line);
    if (match === null || current === undefined) continue;
    const value = (match[2] ?? '').replace(/^"(.*)"$/, '$1');
    if (match[1] === 'path') current.path = value;
    else current.url = value;
  }
  finish();
  return byPath;
}

/** `../other.git` is relative to the repository it stands in. */
export function resolveAddress(base: string, address: string): string {
  if (!/^\.\.?\//.test(address)) return address;
  const parts = base.replace(/\/+$/, '').split('/');
  for (const part of address.split('/')) {
    if (part === '..') {
      // Scheme, nothing, host: what is left of them is not for the tenant to take away.
      if (parts.length <= 3) throw new ArgosyError('render-refused', 'the address of a submodule leaves its server');
      parts.pop();
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
