import { printGoUrl } from './go-url.ts';

const sshForm = /^(?:ssh:\/\/)?[^/:]*?@[^@]+$/;

/** Longest address worth reading; the real ones are a tenth of it. */
const maxLength = 4096;

/**
 * The one form of a repository's address in which two are compared, and in which `sourceRepos` entries are matched:
 * lower case, no `.git`, no `ssh://`. A trailing slash and the user count. Undefined where it is no address.
 */
export function normalizeRepositoryUrl(written: string): string | undefined {
  if (written.length > maxLength) return undefined;
  let url = written.trim().toLowerCase();
  // `git@host:path` is how git writes ssh; a URL would take `path` for the port.
  if (sshForm.test(url) && !url.startsWith('ssh://')) url = `ssh://${url.replace(':', '/')}`;
  if (url.endsWith('.git')) url = url.slice(0, -'.git'.length);
  const printed = printGoUrl(url);
  if (printed === undefined || printed === '') return undefined;
  return printed.startsWith('ssh://') ? printed.slice('ssh://'.length) : printed;
}

const defaultPorts: ReadonlyMap<string, string> = new Map([
  ['https', '443'],
  ['http', '80'],
  ['git', '9418'],
  ['', '22'],
]);

/**
 * The barest spelling of a normalised address: no user, no default port, no final dot of the host, no doubled or final
 * slash, no `.git`. Servers take all of them for one repository, so a deny is held against this form, too.
 */
export function barestRepositoryUrl(normalized: string): string {
  const found = /^(?:(https?|git|git\+ssh):\/\/)?([^/]*)/.exec(normalized);
  const scheme = found?.[1] === 'git+ssh' ? '' : (found?.[1] ?? '');
  const authority = found?.[2] ?? '';
  const path = normalized.slice(found?.[0].length ?? 0);
  const [host = '', port = ''] = authority.slice(authority.lastIndexOf('@') + 1).split(/:(?=\d*$)/);
  const kept = port === '' || port === defaultPorts.get(scheme) ? '' : `:${port}`;
  const head = `${scheme === '' ? '' : `${scheme}://`}${host.replace(/\.$/, '')}${kept}`;
  return `${head}${withoutEnd(path.replaceAll(/\/{2,}/g, '/'))}`;
}

/** Final slashes and `.git`, in whatever order and number. */
function withoutEnd(path: string): string {
  let end = path.length;
  for (;;) {
    if (path.charAt(end - 1) === '/') end -= 1;
    else if (path.startsWith('.git', end - '.git'.length) && end >= '.git'.length) end -= '.git'.length;
    else return path.slice(0, end);
  }
}
