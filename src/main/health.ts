import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ArgosyError } from '../core/errors/index.ts';
import type { Metrics } from '../telemetry/index.ts';
import type { RunningInstallation } from './controller.ts';

export interface HealthOptions {
  readonly port: number;
  readonly controller: Pick<RunningInstallation, 'healthy' | 'ready' | 'waitingFor'>;
  readonly metrics: Metrics;
  readonly host?: string | undefined;
}

const notYet = 'the settings have not been read yet';

/** Serves `/healthz` (due work moves), `/readyz` (settings were read) and `/metrics`. */
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
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    for (const line of options.metrics.print()) response.write(line);
    response.end();
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
