import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { ArgosyError } from '../core/errors/index.ts';
import type { Json } from '../core/json/index.ts';
import type { Outbound } from './outbound.ts';

/** What a call needs from outside. */
export interface HttpParts {
  readonly outbound: Outbound;
  /** PEM certificates for a host. */
  readonly caBundle: (host: string) => string | undefined;
}

/** One request of ours, beside git's own. */
export interface HttpCall {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly maxBytes: number;
  readonly deadlineMs: number;
}

/** An answer, whatever its status. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * Sends one request under the outbound rules: the checked address is the one connected to, the answer is bounded in
 * size and time, and a redirect is an answer like any other.
 */
export async function callHttp({ outbound, caBundle }: HttpParts, call: HttpCall): Promise<HttpAnswer> {
  const { url } = call;
  const secure = url.protocol === 'https:';
  const target = { host: url.hostname, port: Number(url.port || (secure ? 443 : 80)) };
  if (
    url.username !== '' ||
    url.password !== '' ||
    (!secure && (url.protocol !== 'http:' || !outbound.isListed(target)))
  )
    throw new ArgosyError('git-refused', 'the address must be https and name no user', { subject: url.host });
  const [address = ''] = await outbound.checkHost(target);
  const ca = caBundle(url.hostname);
  const options: RequestOptions = {
    method: call.method,
    host: address,
    port: target.port,
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, 'user-agent': 'argosy-git', ...call.headers },
    signal: AbortSignal.timeout(call.deadlineMs),
    agent: false,
    ...(secure && { servername: url.hostname }),
    ...(ca !== undefined && { ca }),
  };
  return send(options, secure, call);
}

/** Reads JSON that a stranger wrote. */
export function parseJson(body: Buffer): Json | undefined {
  try {
    // JSON.parse answers JSON, by its name.
    return JSON.parse(body.toString()) as Json;
  } catch {
    return undefined;
  }
}

function send(options: RequestOptions, secure: boolean, { body, maxBytes }: HttpCall): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const failed = (): void => reject(new ArgosyError('git-unreachable', 'the server cannot be reached, or broke off'));
    const request = (secure ? httpsRequest : httpRequest)(options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= maxBytes) return void chunks.push(chunk);
        reject(new ArgosyError('git-limit', 'the answer of the server is larger than permitted'));
        request.destroy();
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      response.on('error', failed);
      response.on('close', failed);
    });
    request.on('error', failed);
    request.end(body);
  });
}
