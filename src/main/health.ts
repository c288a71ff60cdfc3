import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ArgosyError } from '../core/errors/index.ts';
import type { Metrics } from '../telemetry/index.ts';
import type { RunningInstallation } from './controller.ts';
import type { Admission, MetricsLogin } from './metrics-login.ts';

export interface HealthOptions {
  readonly port: number;
  readonly controller: Pick<RunningInstallation, 'healthy' | 'ready' | 'waitingFor'>;
  readonly metrics: Metrics;
  /** Who may read metrics, which name the Applications of all tenants; without it: whoever reaches the port. */
  readonly login?: MetricsLogin | undefined;
  readonly host?: string | undefined;
}

const notYet = 'the settings have not been read yet';

/** Serves `/healthz` (due work moves) and `/readyz` (settings were read) to everybody, and `/metrics` to whom `login` admits. */
export async function serveHealth(options: HealthOptions): Promise<{ readonly port: number; stop(): Promise<void> }> {
  let ready = false;
  options.controller.ready.then(
    () => {
      ready = true;
    },
    () => undefined,
  );
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0];
    const say = (good: boolean, text: string): void => {
      response.writeHead(good ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
    };
    if (path === '/healthz')
      return say(options.controller.healthy(), options.controller.healthy() ? 'ok' : 'due work does not move');
    if (path === '/readyz') return say(ready, ready ? 'ok' : (options.controller.waitingFor() ?? notYet));
    if (path !== '/metrics') {
      response
        .writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
        .end('there is /healthz, /readyz and /metrics\n');
      return;
    }
    tellMetrics(options, request, response).catch(() => response.destroy());
  });
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const hint = 'choose another one with --port, or 0 for a free one';
      reject(
        error.code === 'EADDRINUSE' ? new ArgosyError('usage', `port ${options.port} is in use`, { hint }) : error,
      );
    });
    server.listen(options.port, options.host, () => resolve());
  });
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What those hear who are not admitted. */
const refusals: Readonly<Record<Exclude<Admission, 'allowed'>, readonly [status: number, text: string]>> = {
  'unknown caller': [401, 'metrics are told to bearers of a Kubernetes token only'],
  denied: [
    403,
    'the bearer of this token may not get the path /metrics: bind it to the ClusterRole argosy-metrics-reader',
  ],
  'too many': [429, 'too many tokens are being looked at'],
  'no answer': [503, 'the API server does not say who this is'],
};

async function tellMetrics(
  { login, metrics }: HealthOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const caller = { authorization: request.headers.authorization, address: request.socket.remoteAddress ?? '' };
  const admission = login === undefined ? 'allowed' : await login.admit(caller);
  if (admission !== 'allowed') {
    const [status, text] = refusals[admission];
    const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : status === 403 ? {} : { 'retry-after': '10' };
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...challenge }).end(`${text}\n`);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  for (const line of metrics.print()) response.write(line);
  response.end();
}
