import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { makeCertificates } from './git-server.ts';

const certificates = makeCertificates();

/** What a tenant runs and calls a cluster. */
export interface HostileCluster {
  readonly url: string;
  /** PEM of the authority its certificate is from. */
  readonly ca: string;
  /** The authorization of each request, by connection. */
  readonly spoken: Map<Socket, Set<string>>;
  /** Connections that are open now. */
  readonly open: Set<Socket>;
  close(): Promise<void>;
}

/** Starts a TLS server on loopback that answers as the tenant likes. */
export async function startHostileCluster(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<HostileCluster> {
  const spoken = new Map<Socket, Set<string>>();
  const open = new Set<Socket>();
  const server = createServer(certificates.server, (request, response) => {
    const said = spoken.get(request.socket) ?? new Set();
    spoken.set(request.socket, said.add(request.headers.authorization ?? ''));
    response.on('error', () => undefined);
    answer(request, response);
  });
  server.on('secureConnection', (socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a path
  return {
    url: `https://127.0.0.1:${port}`,
    ca: certificates.ca,
    spoken,
    open,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
