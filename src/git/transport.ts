import type { GitConfig } from './environment.ts';
import type { RepositoryUrl, Transport } from './url.ts';

/** Everything one conversation with a server needs. */
export interface Connection {
  /** What git is given as the address. */
  readonly address: string;
  readonly call: {
    readonly transport: Transport;
    readonly config: GitConfig;
    readonly env: Readonly<Record<string, string>>;
  };
  /** Removes keys and certificates from the disk. */
  close(): Promise<void>;
}

/** Opens a conversation: checks where it leads and prepares the credential. */
export type Connect = () => Promise<Connection>;

/** A connection without a credential. */
export function plainConnection(url: RepositoryUrl): Connection {
  return { address: url.text, call: { transport: url.transport, config: [], env: {} }, close: async () => undefined };
}
