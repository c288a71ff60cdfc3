import { request } from 'node:https';
import type { Json } from '../../src/core/json/index.ts';

export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly warnings: readonly string[];
}

export type Caller = (method: string, path: string, body?: Json, contentType?: string) => Promise<Answer>;

/** Speaks JSON to a cluster as its admin. */
export function callerOf(cluster: { readonly url: string; readonly ca: string; readonly adminToken: string }): Caller {
  return (method, path, body, contentType = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${cluster.adminToken}`,
        accept: 'application/json',
        'user-agent': 'fixture-recorder',
        ...(body === undefined ? {} : { 'content-type': contentType }),
      };
      const options = { method, headers, ca: cluster.ca, timeout: 30_000 };
      const call = request(`${cluster.url}${path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const warnings = [response.headers['warning'] ?? []].flat();
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, body: parse(text), warnings });
        });
      });
      call.on('error', reject);
      call.on('timeout', () => call.destroy(new Error(`${method} ${path}: no answer`)));
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json; // JSON.parse yields Json
  } catch {
    return text;
  }
}
