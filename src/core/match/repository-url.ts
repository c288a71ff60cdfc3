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
