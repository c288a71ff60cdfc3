import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and an API server and lets bytes through until a test wants a fault. TLS passes as it is. */
export interface FaultProxy {
  /** The address to use instead of the API server's; its certificate must hold for loopback. */
  readonly url: string;
  /** How many pieces the clients have sent so far; a request is one piece or a few. */
  sent(): number;
  /** Connections of now go silent both ways and stay open; new ones are served. */
  silence(): void;
  /** All connections of now are reset. */
  reset(): void;
  /** New connections are refused as long as this is on. */
  refuse(on: boolean): void;
  /** Holds every piece from the server back for so long. */
  delay(ms: number): void;
  /**
   * Calls back once with the piece of this number (as `sent` counts): before it goes on to the server and instead of
   * that, or right after it has gone on.
   */
  at(piece: number, when: 'before' | 'after', act: () => void): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  silent: boolean;
}

interface Trap {
  readonly piece: number;
  readonly when: 'before' | 'after';
  readonly act: () => void;
}

/** Listens on a free port of loopback. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<Pair>();
  const state: { sent: number; refusing: boolean; delayMs: number; trap: Trap | undefined } = {
    sent: 0,
    refusing: false,
    delayMs: 0,
    trap: undefined,
  };
  const forward = (pair: Pair, bytes: Buffer): void => {
    if (pair.silent) return;
    state.sent++;
    const trap = state.trap?.piece === state.sent ? state.trap : undefined;
    if (trap !== undefined) state.trap = undefined;
    if (trap?.when !== 'before') pair.server.write(bytes);
    trap?.act();
  };
  const back = (pair: Pair, bytes: Buffer): void => {
    const write = (): void => {
      if (!pair.silent && !pair.client.destroyed) pair.client.write(bytes);
    };
    if (state.delayMs === 0) write();
    else setTimeout(write, state.delayMs);
  };
  const listener = createServer((client) => {
    if (state.refusing) {
      client.resetAndDestroy();
      return;
    }
    const pair: Pair = { client, server: connect(Number(port), hostname), silent: false };
    pairs.add(pair);
    const end = (): void => {
      // A silent connection stays open on the client's side: that is what makes it hard to notice.
      if (pair.silent && !client.destroyed) return;
      pairs.delete(pair);
      client.destroy();
      pair.server.destroy();
    };
    client.on('data', (bytes: Buffer) => forward(pair, bytes));
    pair.server.on('data', (bytes: Buffer) => back(pair, bytes));
    for (const socket of [client, pair.server]) socket.setNoDelay(true).on('error', end).on('close', end);
  });
  const reset = (): void => {
    for (const { client, server } of pairs) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  };
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(0, '127.0.0.1', resolve);
  });
  const address = listener.address();
  return {
    url: `https://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    sent: () => state.sent,
    silence: () => {
      for (const pair of pairs) pair.silent = true;
    },
    reset,
    refuse: (on) => {
      state.refusing = on;
    },
    delay: (ms) => {
      state.delayMs = ms;
    },
    at: (piece, when, act) => {
      state.trap = { piece, when, act };
    },
    async close() {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      reset();
      await closed;
    },
  };
}
