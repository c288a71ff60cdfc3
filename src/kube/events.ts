import { isArgosyError } from '../core/errors/index.ts';
import { objectAt, stringAt } from '../core/json/index.ts';
import { asJson, type KubeObject } from '../core/objects/index.ts';
import { Crowded, FairLine, type Ticket } from './fair-line.ts';
import type { EventNote, Writer } from './types.ts';
import { events } from './well-known.ts';

const maxMessage = 1024;
const maxRemembered = 4096;
const maxWaiting = 8192;
/** As many as a control plane full of Applications may tell of at its start. */
const maxWaitingPerNamespace = 4096;
/** Events wait for the work they tell of: in a rush no more than so many are under way. */
const atOnce = 2;

/** How the writer of Events is set up. */
export interface EventWriterOptions {
  /** Who reports, such as `argosy`. */
  readonly component: string;
  readonly now: () => number;
  /** Told of every Event that could not be written; the caller of `write` never is. */
  readonly onLost?: (error: Error) => void;
  /** Notes that say the same within this time become one Event with a count. */
  readonly windowMs?: number;
}

interface Written {
  readonly namespace: string;
  readonly name: string;
  count: number;
  lastAt: number;
  /** The write under way for this Event; the next one waits for it. */
  busy: Promise<void>;
}

/** Writes Events about objects, those of each namespace in turn. It never fails and never holds up its caller. */
export interface EventWriter {
  write(note: EventNote): void;
  /** The same, for whoever tells one after the other: ends when this one was written or lost. */
  deliver(note: EventNote): Promise<void>;
  /** Ends when everything handed in so far was written or lost. */
  flush(): Promise<void>;
}

/** A writer that folds notes of the same object, reason and message into one Event with a count. */
export function eventWriter(writer: Pick<Writer, 'create' | 'patch'>, options: EventWriterOptions): EventWriter {
  const remembered = new Map<string, Written>();
  const waiting = new Set<Promise<void>>();
  const line = new FairLine({ places: atOnce, waiting: maxWaiting, perLane: maxWaitingPerNamespace });
  const lost = (error: unknown): void => options.onLost?.(error instanceof Error ? error : new Error(String(error)));
  const deliver = (note: EventNote): Promise<void> => {
    const about = referenceOf(note);
    const ticket = line.enter(about.namespace);
    if (ticket === undefined) {
      lost(new Crowded(about.namespace));
      return Promise.resolve();
    }
    const work = fold({ writer, remembered, ticket, options }, note, about).catch(lost);
    waiting.add(work);
    return work.finally(() => {
      waiting.delete(work);
      ticket.leave();
    });
  };
  return {
    write: (note) => void deliver(note),
    deliver,
    flush: async () => {
      line.rush();
      await Promise.all(waiting);
    },
  };
}

interface FoldParts {
  readonly writer: Pick<Writer, 'create' | 'patch'>;
  readonly remembered: Map<string, Written>;
  readonly ticket: Ticket;
  readonly options: EventWriterOptions;
}

async function fold(
  { writer, remembered, ticket, options }: FoldParts,
  note: EventNote,
  about: Reference,
): Promise<void> {
  const message = cap(note.message);
  const key = JSON.stringify([about.uid, about.kind, about.namespace, about.name, note.type, note.reason, message]);
  const now = options.now();
  const before = remembered.get(key);
  remembered.delete(key); // and set again, so that the oldest stand first
  const fresh = before !== undefined && now - before.lastAt < (options.windowMs ?? 10 * 60_000);
  const entry: Written = fresh ? before : newEntry(about, now);
  remembered.set(key, entry);
  for (const old of remembered.keys()) {
    if (remembered.size <= maxRemembered) break;
    remembered.delete(old);
  }
  const nth = ++entry.count;
  entry.lastAt = now;
  const work = entry.busy.then(() =>
    ticket.pass(() => send(writer, entry, { ...note, message }, { about, now, nth, component: options.component })),
  );
  entry.busy = work.catch(() => undefined);
  await work;
}

function newEntry(about: Reference, now: number): Written {
  const stamp = `${Math.floor(now).toString(16)}${Math.floor(Math.random() * 0xffff)
    .toString(16)
    .padStart(4, '0')}`;
  const name = `${(about.name || 'object').slice(0, 220)}.${stamp}`;
  return { namespace: about.namespace || 'default', name, count: 0, lastAt: now, busy: Promise.resolve() };
}

interface Sending {
  readonly about: Reference;
  readonly now: number;
  /** The how manieth of its like. */
  readonly nth: number;
  readonly component: string;
}

async function send(
  writer: Pick<Writer, 'create' | 'patch'>,
  entry: Written,
  note: EventNote,
  sending: Sending,
): Promise<void> {
  const at = new Date(sending.now).toISOString().replace(/\.\d+Z$/, 'Z');
  if (sending.nth > 1) {
    try {
      await writer.patch(events, entry.namespace, entry.name, 'merge', {
        count: sending.nth,
        lastTimestamp: at,
      });
      return;
    } catch (error) {
      // Events expire after an hour: one that is gone is written anew.
      if (!isArgosyError(error) || error.code !== 'kube-not-found') throw error;
    }
  }
  await writer.create(events, newEvent(entry, note, sending, at));
}

function newEvent(entry: Written, note: EventNote, sending: Sending, at: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: entry.name, namespace: entry.namespace },
    involvedObject: sending.about,
    type: note.type,
    reason: note.reason.slice(0, 128),
    message: note.message,
    source: { component: sending.component },
    reportingComponent: sending.component,
    reportingInstance: sending.component,
    firstTimestamp: at,
    lastTimestamp: at,
    count: sending.nth,
  };
}

interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** `about` is an object, or already a reference with the name beside the kind. */
function referenceOf(note: EventNote): Reference {
  const about = asJson(note.about as KubeObject); // either form is plain JSON
  const meta = objectAt(about, 'metadata') ?? about;
  const text = (key: string): string => stringAt(meta, key) ?? '';
  return {
    apiVersion: stringAt(about, 'apiVersion') ?? '',
    kind: stringAt(about, 'kind') ?? '',
    namespace: text('namespace'),
    name: text('name'),
    uid: text('uid'),
    resourceVersion: text('resourceVersion'),
  };
}

function cap(message: string): string {
  return message.length > maxMessage ? `${message.slice(0, maxMessage - 1)}…` : message;
}
