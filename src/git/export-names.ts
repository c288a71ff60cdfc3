import { ArgosyError } from '../core/errors/index.ts';

// Characters that HFS+ ignores in names: with them in it, `.git` is still `.git` there.
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
const forbidden = /^(?:\.git|git~[0-9]+)[. ]*(?::.*)?$/i;

/** Refuses a name that no file system should be given: the catalogue of ways to write `.git`, dots, and separators. */
export function checkName(name: string, path: string): void {
  const plain = name.replace(ignored, '');
  const wrong = name === '' || name === '.' || name === '..' || /[/\0]/.test(name) || forbidden.test(plain);
  if (wrong) throw new ArgosyError('render-refused', 'a name in the repository is not permitted', { subject: path });
  if (Buffer.byteLength(name) > 255)
    throw new ArgosyError('git-limit', 'a name in the repository is too long', { subject: path });
}

const maxSteps = 64;

/**
 * Follows a link the way the system would, among the links that will really be there, and refuses it if any step
 * leaves the root. `links` maps the path of each link to its target.
 */
export function checkLink(path: string, links: ReadonlyMap<string, string>): void {
  const target = links.get(path) ?? '';
  let steps = 0;
  const at = path.split('/').slice(0, -1);
  const todo = target.split('/');
  if (target.startsWith('/') || target.includes('\0')) throw leaves(path);
  for (let part = todo.shift(); part !== undefined; part = todo.shift()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (at.length === 0) throw leaves(path);
      at.pop();
      continue;
    }
    at.push(part);
    const next = links.get(at.join('/'));
    if (next === undefined) continue;
    steps += 1;
    // A circle leads nowhere, inside or out; the system refuses to follow it.
    if (steps > maxSteps) return;
    if (next.startsWith('/')) throw leaves(path);
    at.pop();
    todo.unshift(...next.split('/'));
  }
}

function leaves(path: string): ArgosyError {
  return new ArgosyError('render-refused', 'a link leads out of the repository', { subject: path });
}
