import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and an API server and lets bytes through until a test wants a fault. TLS passes as it is. */
export interface FaultProxy {
  /** The address to use instead of the API server's; its certificate must hold for loopback. */
  readonly url: string;
  /** Connections of now go silent both ways and stay open; new ones are served. */
  silence(): void;
  /** All connections of now are reset. */
  reset(): void;
  /** New connections are refused as long as this is on. */
  refuse(on: boolean): void;
  /** How bytes come from the server from now on: each held back for so long, and no more of them in a second. */
  pace(pace: Pace): void;
  /** How many connections are open. */
  open(): number;
  /** How many bytes have come from the server. */
  received(): number;
  close(): Promise<void>;
}

export interface Pace {
  readonly delayMs?: number;
  readonly bytesPerSecond?: number;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  silent: boolean;
  /** When the last piece so far is due: pieces never overtake each other, however the pace changes. */
  dueAt: number;
}

const pieceBytes = 512;

/** Hands bytes to the client once they are due. */
function later(pair: Pair, bytes: Buffer, delayMs: number, sendingMs: number): void {
  const now = performance.now();
  pair.dueAt = Math.max(pair.dueAt, now + delayMs) + sendingMs;
  const write = (): void => {
    if (!pair.silent && !pair.client.destroyed) pair.client.write(bytes);
  };
  if (pair.dueAt <= now) write();
  else setTimeout(write, pair.dueAt - now);
}

/** Listens on a free port of loopback. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<Pair>();
  let refusing = false;
  let received = 0;
  let pace: Pace = {};
  const back = (pair: Pair, bytes: Buffer): void => {
    const { delayMs = 0, bytesPerSecond } = pace;
    if (bytesPerSecond === undefined) {
      later(pair, bytes, delayMs, 0);
      return;
    }
    // What the client may not have yet is not taken from the server either.
    pair.server.pause();
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes);
      later(pair, piece, delayMs, (piece.length / bytesPerSecond) * 1000);
    }
    setTimeout(() => pair.server.resume(), Math.max(0, pair.dueAt - performance.now()));
  };
  const listener = createServer((client) => {
    if (refusing) {
      client.resetAndDestroy();
      return;
    }
    const pair: Pair = { client, server: connect(Number(port), hostname), silent: false, dueAt: 0 };
    pairs.add(pair);
    const end = (): void => {
      // A silent connection stays open on the client's side: that is what makes it hard to notice.
      if (pair.silent && !client.destroyed) return;
      pairs.delete(pair);
      client.destroy();
      pair.server.destroy();
    };
    client.on('data', (bytes: Buffer) => {
      if (!pair.silent) pair.server.write(bytes);
    });
    pair.server.on('data', (bytes: Buffer) => {
      received += bytes.length;
      back(pair, bytes);
    });
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
    silence: () => {
      for (const pair of pairs) pair.silent = true;
    },
    reset,
    refuse: (on) => {
      refusing = on;
    },
    pace: (next) => {
      pace = next;
    },
    open: () => pairs.size,
    received: () => received,
    async close() {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      reset();
      await closed;
    },
  };
}

/** Ends what is being watched, but leaves new connections time to get through: to be called again and again. */
export function resetter(proxy: Pick<FaultProxy, 'reset'>): () => void {
  let resetAt = 0;
  return () => {
    if (Date.now() - resetAt < 2000) return;
    resetAt = Date.now();
    proxy.reset();
  };
}
