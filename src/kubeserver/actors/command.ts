import { isArray, type JsonObject } from '../../core/json/index.ts';

/** What a container would do, read from its command: no program runs here. */
export interface Behaviour {
  /** The exit code, or undefined for one that runs on. */
  readonly exit: number | undefined;
  readonly seconds: number;
  readonly lines: readonly string[];
}

function words(value: unknown): string[] {
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Reads `false`, `true`, `exit N`, `sleep N` and `echo …` out of a container's command and arguments. */
export function behaviourOf(container: JsonObject): Behaviour {
  const all = [...words(container['command']), ...words(container['args'])];
  const script = all.join(' ');
  const lines = echoed(all);
  const sleep = /\bsleep\s+(\d+(?:\.\d+)?|infinity)/.exec(script)?.[1];
  const code = /\bexit\s+(\d+)/.exec(script)?.[1];
  const seconds = sleep === undefined ? 0 : Number(sleep === 'infinity' ? Number.POSITIVE_INFINITY : sleep);
  if (code !== undefined) return { exit: Number(code), seconds, lines };
  if (/(^|[\s;&|/])false(\s|;|$)/.test(script)) return { exit: 1, seconds, lines };
  const ends = all.length > 0 && (sleep !== undefined || lines.length > 0 || /(^|[\s;&|/])true(\s|;|$)/.test(script));
  return { exit: ends && seconds !== Number.POSITIVE_INFINITY ? 0 : undefined, seconds, lines };
}

/** What `echo` would print, one line per call; quotes are taken off. */
function echoed(all: readonly string[]): string[] {
  const first = all[0] ?? '';
  if (/(^|\/)echo$/.test(first)) return [all.slice(1).join(' ')];
  const script = all.join('\n');
  return [...script.matchAll(/(?:^|[\n;&|])\s*echo\s+([^;&|\n]*)/g)].map((match) => unquoted(match[1] ?? ''));
}

function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/, '$2');
}
