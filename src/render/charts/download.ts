import { lookup } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import type { Settings } from '../../core/api/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import { isListed, permitsConnection } from '../../core/policy/index.ts';

/** What downloads are held to. */
export interface DownloadOptions {
  readonly outbound: () => Settings['outbound'];
  /** PEM certificates for a host. */
  readonly caBundle?: ((host: string) => string | undefined) | undefined;
}

/** One thing to bring. */
export interface Download {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly deadlineMs: number;
}

/** An answer, whatever its status. */
export interface Downloaded {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const maxRedirects = 5;

/**
 * Brings what lies at an address under the outbound rules: the address that was checked is the one connected to, also
 * after a redirect; credentials stay with the host they are meant for; size and time are bounded.
 */
export async function download(options: DownloadOptions, wanted: Download): Promise<Downloaded> {
  const deadline = AbortSignal.timeout(wanted.deadlineMs);
  let [url, headers] = [wanted.url, wanted.headers];
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const answer = await get(options, { ...wanted, url, headers }, deadline);
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
    if (!URL.canParse(location, url.href)) throw astray(wanted, 'the server redirects to something that is no address');
    const next = new URL(location, url);
    if (next.origin !== url.origin) headers = withoutCredentials(headers);
    url = next;
  }
  throw astray(wanted, 'the server redirects without end');
}

function astray({ url }: Download, message: string): ArgosyError {
  return new ArgosyError('render-failed', message, { subject: url.host, fault: 'outside' });
}

function withoutCredentials(headers: Download['headers']): Download['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'));
}

async function get(
  options: DownloadOptions,
  { url, headers, maxBytes }: Download,
  signal: AbortSignal,
): Promise<Downloaded> {
  const secure = url.protocol === 'https:';
  const ca = options.caBundle?.(url.hostname);
  const call: RequestOptions = {
    method: 'GET',
    host: await permittedAddress(options.outbound(), url),
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, 'user-agent': 'argosy', ...headers },
    agent: false,
    signal,
    ...(secure && { servername: url.hostname }),
    ...(ca !== undefined && { ca }),
  };
  return new Promise((resolve, reject) => {
    const failed = (): void =>
      reject(
        new ArgosyError('render-failed', 'the server cannot be reached, or broke off', {
          subject: url.host,
          fault: 'outside',
        }),
      );
    const request = (secure ? httpsRequest : httpRequest)(call, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= maxBytes) return;
        reject(
          new ArgosyError('render-limit', 'the answer of the server is larger than permitted', { subject: url.host }),
        );
        request.destroy();
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
      response.on('error', failed);
      response.on('close', failed);
    });
    request.on('error', failed);
    request.end();
  });
}

/** The address to connect to, once every address of the host is permitted. */
async function permittedAddress(outbound: Settings['outbound'], url: URL): Promise<string> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const target = { purpose: 'source', host, port: portOf(url) } as const;
  const plain = url.protocol === 'http:' && isListed(outbound, target);
  if (url.username !== '' || url.password !== '' || (url.protocol !== 'https:' && !plain)) throw refused(url);
  const addresses = isIP(host) === 0 ? await resolved(host) : [host];
  const [first] = addresses;
  const allowed = addresses.every(
    (address) => permitsConnection(outbound, { ...target, address }).answer === 'allowed',
  );
  if (first === undefined || !allowed) throw refused(url);
  return first;
}

async function resolved(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    throw new ArgosyError('render-failed', 'the host name cannot be resolved', { subject: host, fault: 'outside' });
  }
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}

function refused(url: URL): ArgosyError {
  return new ArgosyError('render-refused', 'the address is not permitted', {
    subject: url.host,
    hint: 'use https; an admin can list a host in argocd-cm under source.allowedHosts',
  });
}
