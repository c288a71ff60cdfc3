import { isAbsolute, join } from 'node:path';
import { isArray, isObject, type JsonObject, own, stringAt } from '../../core/json/index.ts';
import type { ExecCredential } from '../types.ts';
import type { Parsed } from './parsed.ts';

const versions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** Reads the `exec` part of a kubeconfig's user; a command with a slash is relative to the kubeconfig's folder. */
export function parseExec(exec: JsonObject, folder: string): Parsed<ExecCredential> {
  const problems: string[] = [];
  const command = stringAt(exec, 'command') ?? '';
  const apiVersion = stringAt(exec, 'apiVersion') ?? '';
  if (command === '') problems.push('exec: there is no command');
  if (!versions.includes(apiVersion)) problems.push(`exec: apiVersion must be one of ${versions.join(', ')}`);
  if (stringAt(exec, 'interactiveMode') === 'Always')
    problems.push('exec: the plugin insists on a terminal (interactiveMode Always)');
  if (problems.length > 0) return { ok: false, problems };
  const hint = stringAt(exec, 'installHint');
  const value: ExecCredential = {
    command: command.includes('/') && !isAbsolute(command) ? join(folder, command) : command,
    args: textsOf(exec, 'args'),
    env: environmentOf(exec),
    apiVersion,
    provideClusterInfo: own(exec, 'provideClusterInfo') === true,
    ...(hint === undefined ? {} : { installHint: hint }),
  };
  return { ok: true, value };
}

function textsOf(exec: JsonObject, key: string): readonly string[] {
  const list = own(exec, key);
  return isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** Both forms in use: a list of name and value (kubeconfig), and a map (Argo CD's cluster Secret). */
function environmentOf(exec: JsonObject): { readonly [name: string]: string } {
  const env = own(exec, 'env');
  const pairs: [string, string][] = [];
  if (isObject(env))
    for (const [name, value] of Object.entries(env)) if (typeof value === 'string') pairs.push([name, value]);
  if (isArray(env))
    for (const one of env) {
      const [name, value] = [stringAt(one, 'name'), stringAt(one, 'value')];
      if (name !== undefined && value !== undefined) pairs.push([name, value]);
    }
  return Object.fromEntries(pairs);
}
