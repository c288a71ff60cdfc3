import { pino } from 'pino';
import { scrub } from './scrub.ts';
import { textLine } from './text-line.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

export type LogFormat = 'json' | 'text';

/** Facts of a log line: names, counts, codes; texts are scrubbed, objects are not accepted. */
export type LogFields = { readonly [key: string]: string | number | boolean | undefined };

/** Writes log lines; a child carries the tenant and the Application on every line. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  with(fields: LogFields): Logger;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  /** JSON for machines, which is the default, or text for people. */
  readonly format?: LogFormat | undefined;
  /** Where lines go instead of standard error. */
  readonly write?: (line: string) => void;
}

/** A logger that writes one line for each message. */
export function createLogger({ level, format = 'json', write }: LoggerOptions): Logger {
  const stream = write === undefined ? pino.destination({ dest: 2, sync: true }) : { write };
  const destination = format === 'json' ? stream : { write: (line: string) => stream.write(textLine(line)) };
  const formatters = { level: (label: string) => ({ level: label }) };
  return wrap(pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters }, destination));
}

/** A logger for tests and offline commands. */
export const silentLogger: Logger = createLogger({ level: 'silent', write: () => undefined });

type Line = (fields: object, message: string) => void;
interface Sink {
  debug: Line;
  info: Line;
  warn: Line;
  error: Line;
  child(fields: object): Sink;
}

function wrap(sink: Sink): Logger {
  return {
    debug: (message, fields) => sink.debug(clean(fields), scrub(message)),
    info: (message, fields) => sink.info(clean(fields), scrub(message)),
    warn: (message, fields) => sink.warn(clean(fields), scrub(message)),
    error: (message, fields) => sink.error(clean(fields), scrub(message)),
    with: (fields) => wrap(sink.child(clean(fields))),
  };
}

function clean(fields: LogFields = {}): object {
  const out: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) out[key] = typeof value === 'string' ? scrub(value) : value;
  }
  return out;
}
