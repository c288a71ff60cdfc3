import { spawn } from 'node:child_process';
import { ArgosyError } from '../../core/errors/index.ts';
import { isObject, type Json, type JsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import type { ExecCredential, KubeConfig } from '../types.ts';

const deadlineMs = 60_000;
const maxOutput = 1024 * 1024;

/** What a credential plugin printed. */
export interface ExecStatus {
  readonly token?: string | undefined;
  readonly keyPair?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  /** Milliseconds since the epoch; absent: for as long as the process lives. */
  readonly expiresAt?: number | undefined;
}

/** Runs a kubeconfig's credential plugin once, within a deadline and an output cap, and reads what it printed. */
export async function runExecPlugin(
  exec: ExecCredential,
  config: KubeConfig,
  environment: { readonly [name: string]: string },
  limits = { deadlineMs, maxOutput },
): Promise<ExecStatus> {
  const info = { KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(exec, config)) };
  const output = await runProgram(exec, { ...environment, ...exec.env, ...info }, limits);
  return parseExecCredential(output, exec);
}

function execInfo(exec: ExecCredential, config: KubeConfig): JsonObject {
  const cluster: { [key: string]: Json } = { server: config.server };
  if (config.caData !== undefined) cluster['certificate-authority-data'] = config.caData.toString('base64');
  if (config.insecure === true) cluster['insecure-skip-tls-verify'] = true;
  if (config.tlsServerName !== undefined) cluster['tls-server-name'] = config.tlsServerName;
  if (config.proxyUrl !== undefined) cluster['proxy-url'] = config.proxyUrl;
  return {
    apiVersion: exec.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(exec.provideClusterInfo === true ? { cluster } : {}) },
  };
}

/** What the program prints to its error output may hold secrets and is dropped. */
function runProgram(
  exec: ExecCredential,
  env: { readonly [name: string]: string },
  limits: { readonly deadlineMs: number; readonly maxOutput: number },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(exec.command, [...exec.args], {
      env: { ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    const chunks: Buffer[] = [];
    let length = 0;
    let problem: string | undefined;
    const stop = (why: string): void => {
      problem ??= why;
      killGroup(child.pid);
      // A process of its own group may hold the pipe open for ever; nobody waits for that one.
      child.stdout.destroy();
    };
    const timer = setTimeout(() => stop(`did not end within ${limits.deadlineMs} ms`), limits.deadlineMs);
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limits.maxOutput) stop(`printed more than ${limits.maxOutput} bytes`);
      else chunks.push(chunk);
    });
    child.on('error', (error) => {
      clearTimeout(timer);
      const missing = 'code' in error && error.code === 'ENOENT';
      reject(pluginError(exec, missing ? 'is not installed' : 'could not be started', missing));
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      if (problem === undefined && code !== 0) problem = `ended with ${code ?? 'a signal'}`;
      if (problem === undefined) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(pluginError(exec, problem, false));
    });
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended on its own in the meantime.
  }
}

function pluginError(exec: ExecCredential, what: string, missing: boolean): ArgosyError {
  const name = exec.command.split('/').at(-1) ?? exec.command;
  const hint = missing ? exec.installHint : undefined;
  return new ArgosyError(missing ? 'tool-missing' : 'config-invalid', `the credential plugin ${name} ${what}`, {
    subject: name,
    hint,
    fault: 'outside',
  });
}

/** Reads an ExecCredential of client.authentication.k8s.io v1 or v1beta1. */
export function parseExecCredential(output: string, exec: ExecCredential): ExecStatus {
  const printed = parseJson(output);
  if (printed === undefined || printed['kind'] !== 'ExecCredential')
    throw pluginError(exec, 'printed no ExecCredential', false);
  if (printed['apiVersion'] !== exec.apiVersion)
    throw pluginError(exec, `answered in another version than ${exec.apiVersion}`, false);
  const status = objectAt(printed, 'status');
  const token = stringAt(status, 'token');
  const [cert, key] = [stringAt(status, 'clientCertificateData'), stringAt(status, 'clientKeyData')];
  if ((cert === undefined) !== (key === undefined)) throw pluginError(exec, 'printed half of a key pair', false);
  if (token === undefined && cert === undefined)
    throw pluginError(exec, 'printed neither token nor certificate', false);
  const expiry = stringAt(status, 'expirationTimestamp');
  const expiresAt = expiry === undefined ? undefined : Date.parse(expiry);
  if (expiresAt !== undefined && Number.isNaN(expiresAt))
    throw pluginError(exec, 'printed an expiry that is no time', false);
  const keyPair =
    cert === undefined || key === undefined ? undefined : { cert: Buffer.from(cert), key: Buffer.from(key) };
  return { token, keyPair, expiresAt };
}

function parseJson(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
