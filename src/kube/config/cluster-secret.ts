import { isObject, type JsonObject, objectAt, own, stringAt } from '../../core/json/index.ts';
import type { Credential, KubeConfig } from '../types.ts';
import { parseExec } from './exec-config.ts';
import type { Parsed } from './parsed.ts';
import { sealed, sealedConfig } from './secrecy.ts';

const maxConfig = 1024 * 1024;

/** What the writer of a cluster Secret is trusted with. */
export interface ClusterSecretRules {
  /** Whether it may name a program that we run; never for a tenant's Secret. */
  readonly allowExec: boolean;
}

/** Reads `server` and `config` of an Argo CD cluster Secret. */
export function parseClusterSecret(server: string, config: string, rules: ClusterSecretRules): Parsed<KubeConfig> {
  const fields = config.trim() === '' ? {} : parseFields(config);
  if (fields === undefined) return { ok: false, problems: ['config: it is no JSON object'] };
  const problems: string[] = [];
  if (!isServer(server)) problems.push('server: it must be a URL such as https://host:6443');
  const tls = objectAt(fields, 'tlsClientConfig') ?? {};
  const caData = base64(tls, 'caData', problems);
  const insecure = own(tls, 'insecure') === true;
  if (insecure && caData !== undefined) problems.push('config.tlsClientConfig: insecure and caData exclude each other');
  const proxyUrl = text(fields, 'proxyUrl');
  if (proxyUrl !== undefined && !isProxy(proxyUrl))
    problems.push('config.proxyUrl: it must be a URL with http or https');
  const credential = credentialOf(fields, tls, rules, problems);
  if (problems.length > 0) return { ok: false, problems };
  const disableCompression = own(fields, 'disableCompression') === true;
  const tlsServerName = text(tls, 'serverName');
  return {
    ok: true,
    value: sealedConfig({ server, caData, insecure, tlsServerName, proxyUrl, disableCompression, credential }),
  };
}

function parseFields(config: string): JsonObject | undefined {
  if (config.length > maxConfig) return undefined;
  try {
    const value: unknown = JSON.parse(config);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** One credential in Argo CD's order of precedence: AWS, exec, then certificate, token, password. */
function credentialOf(fields: JsonObject, tls: JsonObject, rules: ClusterSecretRules, problems: string[]): Credential {
  if (isObject(own(fields, 'awsAuthConfig'))) {
    problems.push('config.awsAuthConfig: not supported; name the same program in execProviderConfig, or use a token');
    return { type: 'none' };
  }
  const exec = objectAt(fields, 'execProviderConfig');
  if (exec !== undefined) return execCredential(exec, rules, problems);
  const [cert, key] = [base64(tls, 'certData', problems), base64(tls, 'keyData', problems)];
  if ((cert === undefined) !== (key === undefined))
    problems.push('config.tlsClientConfig: certData and keyData only go together');
  if (cert !== undefined && key !== undefined) return sealed({ type: 'certificate', cert, key });
  const token = text(fields, 'bearerToken');
  if (token !== undefined) return sealed({ type: 'token', token });
  const username = text(fields, 'username');
  if (username !== undefined) return sealed({ type: 'basic', username, password: text(fields, 'password') ?? '' });
  return { type: 'none' };
}

function execCredential(exec: JsonObject, rules: ClusterSecretRules, problems: string[]): Credential {
  if (!rules.allowExec) {
    problems.push('config.execProviderConfig: this Secret may not name a program to run');
    return { type: 'none' };
  }
  const parsed = parseExec(exec, '/');
  if (parsed.ok) return sealed({ type: 'exec', exec: parsed.value });
  problems.push(...parsed.problems.map((problem) => `config.execProviderConfig: ${problem}`));
  return { type: 'none' };
}

function base64(tls: JsonObject, key: string, problems: string[]): Buffer | undefined {
  const value = text(tls, key);
  if (value === undefined) return undefined;
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(value)) problems.push(`config.tlsClientConfig.${key}: it is not base64`);
  return Buffer.from(value, 'base64');
}

function text(fields: JsonObject, key: string): string | undefined {
  const value = stringAt(fields, key);
  return value === '' ? undefined : value;
}

function isServer(server: string): boolean {
  return URL.canParse(server) && ['https:', 'http:'].includes(new URL(server).protocol);
}

function isProxy(url: string): boolean {
  return URL.canParse(url) && ['https:', 'http:'].includes(new URL(url).protocol);
}
