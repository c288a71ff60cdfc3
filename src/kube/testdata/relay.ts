import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** From now on the connections made so far carry nothing more, though they stay open. */
  freeze(): void;
  close(): void;
}

/** Carries bytes to a port of loopback, until it is told to fall silent. */
export async function startRelay(to: number): Promise<Relay> {
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far);
    far.pipe(near);
    near.on('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      for (const socket of sockets) {
        socket.unpipe();
        socket.on('data', () => undefined);
      }
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
