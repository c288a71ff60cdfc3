import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { load } from 'js-yaml';
import { ArgosyError } from '../../core/errors/index.ts';
import { isArray, isObject, type Json, type JsonObject, own, stringAt } from '../../core/json/index.ts';
import type { Credential, KubeConfig } from '../types.ts';
import { parseExec } from './exec-config.ts';
import type { Parsed } from './parsed.ts';
import { sealed, sealedConfig } from './secrecy.ts';

const maxFile = 4 * 1024 * 1024;

/** One file of a kubeconfig, as parsed YAML; relative paths in it are relative to `file`. */
export interface KubeconfigSource {
  readonly file: string;
  readonly content: Json;
}

/** Reads the files of a kubeconfig (all that `KUBECONFIG` names) and answers the cluster of the context, or of the current one. */
export async function readKubeconfig(
  files: string | readonly string[],
  options: { readonly context?: string | undefined } = {},
): Promise<KubeConfig> {
  const sources: KubeconfigSource[] = [];
  const wanted = typeof files === 'string' ? [files] : files;
  for (const file of wanted) {
    const source = await readSource(file, wanted.length > 1);
    if (source !== undefined) sources.push(source);
  }
  const parsed = await parseKubeconfig(sources, options.context);
  if (parsed.ok) return parsed.value;
  throw new ArgosyError('config-invalid', `the kubeconfig cannot be used: ${parsed.problems.join('; ')}`, {
    subject: wanted.join(':'),
  });
}

/** As kubectl does: of several files some may be missing. */
async function readSource(file: string, mayMiss: boolean): Promise<KubeconfigSource | undefined> {
  try {
    if ((await stat(file)).size > maxFile) throw new Error('it is too large');
    const text = await readFile(file, 'utf8');
    return { file, content: load(text) as Json }; // YAML's core types are JSON's
  } catch (error) {
    if (mayMiss && error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    // A parser's message may quote the file, tokens and all.
    const why = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no YAML';
    throw new ArgosyError('config-invalid', `the kubeconfig ${file} cannot be read: ${why}`, { subject: file });
  }
}

/** Merges the sources (the first to name a thing wins) and reads the cluster of one context. */
export async function parseKubeconfig(
  sources: readonly KubeconfigSource[],
  context?: string,
): Promise<Parsed<KubeConfig>> {
  const name = context ?? sources.map(({ content }) => stringAt(content, 'current-context')).find((one) => one) ?? '';
  if (name === '') return { ok: false, problems: ['no context was named and current-context is not set'] };
  const chosen = named(sources, 'contexts', 'context', name);
  if (chosen === undefined) return { ok: false, problems: [`there is no context ${name}`] };
  const [clusterName, userName] = [stringAt(chosen.body, 'cluster') ?? '', stringAt(chosen.body, 'user') ?? ''];
  const cluster = named(sources, 'clusters', 'cluster', clusterName);
  if (cluster === undefined) return { ok: false, problems: [`context ${name}: there is no cluster ${clusterName}`] };
  const user = userName === '' ? { body: {}, file: cluster.file } : named(sources, 'users', 'user', userName);
  if (user === undefined) return { ok: false, problems: [`context ${name}: there is no user ${userName}`] };
  return readParts(cluster, user, stringAt(chosen.body, 'namespace'));
}

interface Entry {
  readonly body: JsonObject;
  readonly file: string;
}

function named(sources: readonly KubeconfigSource[], list: string, part: string, name: string): Entry | undefined {
  for (const { file, content } of sources) {
    const entries = own(content, list);
    if (!isArray(entries)) continue;
    for (const entry of entries) {
      const body = own(entry, part);
      if (stringAt(entry, 'name') === name) return { body: isObject(body) ? body : {}, file };
    }
  }
  return undefined;
}

async function readParts(cluster: Entry, user: Entry, namespace: string | undefined): Promise<Parsed<KubeConfig>> {
  const problems: string[] = [];
  const server = stringAt(cluster.body, 'server') ?? '';
  if (!URL.canParse(server)) problems.push('the cluster has no usable server address');
  const config = {
    server,
    caData: await data(cluster, 'certificate-authority', problems),
    insecure: own(cluster.body, 'insecure-skip-tls-verify') === true,
    tlsServerName: nonEmpty(stringAt(cluster.body, 'tls-server-name')),
    proxyUrl: nonEmpty(stringAt(cluster.body, 'proxy-url')),
    disableCompression: own(cluster.body, 'disable-compression') === true,
    namespace: nonEmpty(namespace),
    credential: await credentialOf(user, problems),
  };
  return problems.length === 0 ? { ok: true, value: sealedConfig(config) } : { ok: false, problems };
}

/** The `…-data` field wins over the file, as in client-go. */
async function data(entry: Entry, field: string, problems: string[]): Promise<Buffer | undefined> {
  const inline = nonEmpty(stringAt(entry.body, `${field}-data`));
  if (inline !== undefined) return Buffer.from(inline, 'base64');
  const path = nonEmpty(stringAt(entry.body, field));
  if (path === undefined) return undefined;
  const file = resolved(entry, path);
  try {
    return await readFile(file);
  } catch {
    problems.push(`${field}: the file ${file} cannot be read`);
    return undefined;
  }
}

function resolved(entry: Entry, path: string): string {
  return isAbsolute(path) ? path : join(dirname(entry.file), path);
}

/** One credential, in the order client-go prefers them. */
async function credentialOf(user: Entry, problems: string[]): Promise<Credential> {
  // Left out in silence, its requests would be made with rights their owner had laid down.
  if (['as', 'as-uid', 'as-groups', 'as-user-extra'].some((key) => own(user.body, key) !== undefined))
    problems.push("the user asks in somebody else's name (as, as-groups, …), which is not supported here");
  const exec = own(user.body, 'exec');
  if (isObject(exec)) {
    const parsed = parseExec(exec, dirname(user.file));
    if (parsed.ok) return sealed({ type: 'exec', exec: parsed.value });
    problems.push(...parsed.problems);
    return { type: 'none' };
  }
  if (own(user.body, 'auth-provider') !== undefined)
    problems.push('auth-provider is no longer supported; use an exec plugin');
  const [cert, key] = [await data(user, 'client-certificate', problems), await data(user, 'client-key', problems)];
  if ((cert === undefined) !== (key === undefined))
    problems.push('the user has only one of client certificate and key');
  if (cert !== undefined && key !== undefined) return sealed({ type: 'certificate', cert, key });
  const tokenFile = nonEmpty(stringAt(user.body, 'tokenFile'));
  if (tokenFile !== undefined) return sealed({ type: 'token-file', path: resolved(user, tokenFile) });
  const token = nonEmpty(stringAt(user.body, 'token'));
  if (token !== undefined) return sealed({ type: 'token', token });
  const [username, password] = [stringAt(user.body, 'username'), stringAt(user.body, 'password')];
  if (username !== undefined && password !== undefined) return sealed({ type: 'basic', username, password });
  return { type: 'none' };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
