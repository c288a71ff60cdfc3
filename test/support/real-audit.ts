import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** The fields of an `audit.k8s.io/v1` Event that tests look at. */
export interface AuditEvent {
  readonly kind: string;
  readonly apiVersion: string;
  readonly level: string;
  readonly auditID: string;
  readonly stage: string;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: { readonly username: string; readonly uid?: string; readonly groups?: readonly string[] };
  readonly impersonatedUser?: { readonly username: string; readonly uid?: string; readonly groups?: readonly string[] };
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly apiGroup?: string;
    readonly apiVersion?: string;
    readonly resourceVersion?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly reason?: string; readonly message?: string };
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: { readonly [key: string]: string };
}

/** Reads an audit log from where it ends now, further with each call, and gives all events so far. */
export function auditReader(file: string): () => AuditEvent[] {
  let offset = existsSync(file) ? statSync(file).size : 0;
  let rest = Buffer.alloc(0);
  const events: AuditEvent[] = [];
  return () => {
    if (!existsSync(file)) return events;
    const added = readFrom(file, offset);
    offset += added.length;
    const text = Buffer.concat([rest, added]);
    const end = text.lastIndexOf(0x0a) + 1;
    rest = text.subarray(end);
    for (const line of text.toString('utf8', 0, end).split('\n'))
      if (line !== '') events.push(JSON.parse(line) as AuditEvent); // the server's own log
    return events;
  };
}

function readFrom(file: string, offset: number): Buffer<ArrayBuffer> {
  const handle = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(Math.max(0, fstatSync(handle).size - offset));
    let filled = 0;
    while (filled < buffer.length) {
      const count = readSync(handle, buffer, filled, buffer.length - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return buffer.subarray(0, filled);
  } finally {
    closeSync(handle);
  }
}
