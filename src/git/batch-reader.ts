import { ArgosyError } from '../core/errors/index.ts';
import type { Session, Spawner } from '../spawn/index.ts';
import { gitEnvironment } from './environment.ts';
import { looksCorrupt } from './failures.ts';

/** What git knows of an object without reading it. */
export interface ObjectInfo {
  readonly id: string;
  readonly type: string;
  readonly size: number;
}

/** An object with its content, `undefined` where that is larger than anything we read. */
export interface ObjectContent extends ObjectInfo {
  readonly content: Buffer | undefined;
}

/** Reads objects through one git process that is kept open; many questions go in one write. */
export interface BatchReader {
  /** `undefined` where there is no such object. Names are object ids, `id^{type}` or `id:path`. */
  info(names: readonly string[]): Promise<(ObjectInfo | undefined)[]>;
  contents(names: readonly string[]): Promise<(ObjectContent | undefined)[]>;
  /** Ends the process; the next question starts another. */
  close(): void;
}

interface Question {
  readonly name: string;
  readonly withContent: boolean;
  readonly answer: (object: ObjectInfo | ObjectContent | undefined) => void;
  readonly fail: (error: Error) => void;
}

interface Line {
  readonly session: Session;
  readonly questions: Question[];
  /** Questions of this turn of the loop, to be written in one go when all who ask in it have asked. */
  unsaid: string[];
  /** Ended by us: who was waiting may ask again. */
  closed: boolean;
}

/** Options of a reader. */
export interface BatchReaderOptions {
  readonly spawner: Spawner;
  readonly command: string;
  readonly gitDir: string;
  readonly subject: string;
  /** For one batch of questions. */
  readonly readMs: number;
  readonly idleMs: number;
  readonly maxTreeBytes: number;
  readonly maxBlobBytes: number;
}

const lineFeed = 0x0a;
const nothing = Buffer.alloc(0);
/** Commits and tags are a few hundred bytes; some tools write a list of changes into them. */
const mostOfCommits = 1024 * 1024;

/** Opens a reader on a repository; the process starts with the first question and ends after some idle time. */
export function openBatchReader(options: BatchReaderOptions): BatchReader {
  let line: Line | undefined;
  let timer: NodeJS.Timeout | undefined;
  const close = (): void => {
    clearTimeout(timer);
    if (line !== undefined) line.closed = true;
    line?.session.kill();
    line = undefined;
  };
  const rest = (which: Line): void => {
    if (which.questions.length > 0 || line !== which) return;
    which.session.hold(false);
    clearTimeout(timer);
    timer = setTimeout(close, options.idleMs);
    timer.unref();
  };
  const ask = async (names: readonly string[], withContent: boolean): Promise<(ObjectInfo | undefined)[]> => {
    if (names.length === 0) return [];
    refuseNames(names);
    line ??= openLine(options, (gone) => {
      if (line === gone) line = undefined;
    });
    const mine = line;
    clearTimeout(timer);
    mine.session.hold(true);
    const late = setTimeout(() => mine.session.kill(), options.readMs);
    const verb = withContent ? 'contents' : 'info';
    const answers = names.map(
      (name) =>
        new Promise<ObjectInfo | undefined>(
          (answer, fail) => void mine.questions.push({ name, withContent, answer, fail }),
        ),
    );
    for (const name of names) say(mine, `${verb} ${name}\n`);
    try {
      return await Promise.all(answers);
    } finally {
      clearTimeout(late);
      rest(mine);
    }
  };
  return {
    info: (names) => ask(names, false),
    // Asked with content, answered with content.
    contents: (names) => ask(names, true) as Promise<(ObjectContent | undefined)[]>,
    close,
  };
}

/** Many Applications ask at once after a commit, each for a little: a write for each would cost more than its answer. */
function say(line: Line, text: string): void {
  if (line.unsaid.length === 0)
    setImmediate(() => {
      const all = line.unsaid.join('');
      line.unsaid = [];
      line.session.write(`${all}flush\n`);
    });
  line.unsaid.push(text);
}

function openLine(options: BatchReaderOptions, gone: (line: Line) => void): Line {
  const { maxTreeBytes, maxBlobBytes } = options;
  const questions: Question[] = [];
  const session = options.spawner.session({
    command: options.command,
    args: [`--git-dir=${options.gitDir}`, 'cat-file', '--batch-command', '--buffer'],
    env: gitEnvironment(undefined),
    cwd: options.gitDir,
    onOutput: answerReader(questions, Math.max(mostOfCommits, maxTreeBytes, maxBlobBytes), () => session.kill()),
  });
  const line: Line = { session, questions, unsaid: [], closed: false };
  void session.ended.then(({ errno, stderr }) => {
    gone(line);
    const error =
      errno === 'ENOENT'
        ? new ArgosyError('git-failed', 'the mirror or the git program is gone', {
            subject: options.subject,
            reason: 'Corrupt',
          })
        : new ArgosyError('git-failed', 'git broke off while reading the repository', {
            subject: options.subject,
            reason: line.closed ? 'Closed' : looksCorrupt(stderr) ? 'Corrupt' : undefined,
          });
    for (const question of questions.splice(0)) question.fail(error);
  });
  return line;
}

/** Cuts git's answers out of the stream and hands them out in the order of the questions. */
function answerReader(questions: Question[], maxBytes: number, giveUp: () => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let have = 0;
  let need = 1;
  let object: ObjectInfo | undefined;
  let skipping = 0;
  const step = (buffer: Buffer, at: number): number => {
    if (skipping > 0) {
      const skipped = Math.min(skipping, buffer.length - at);
      skipping -= skipped;
      return at + skipped;
    }
    if (object !== undefined) {
      if (buffer.length - at < object.size + 1) {
        need = object.size + 1;
        return -1;
      }
      // A copy of its own: a slice would keep the whole chunk alive.
      const content = Buffer.from(buffer.subarray(at, at + object.size));
      const found: ObjectContent = { ...object, content };
      object = undefined;
      questions.shift()?.answer(found);
      return at + found.size + 1;
    }
    const end = buffer.indexOf(lineFeed, at);
    if (end < 0) {
      need = buffer.length - at + 1;
      return -1;
    }
    const question = questions[0];
    if (question === undefined) {
      giveUp();
      return buffer.length;
    }
    const info = parseHeader(buffer.toString('latin1', at, end));
    const hasContent = info !== undefined && question.withContent;
    if (hasContent && info.size <= maxBytes) object = info;
    else questions.shift()?.answer(info && { ...info, content: undefined });
    // Nobody asks twice for a commit or tag that is so large, but it must not take the memory of all once.
    if (hasContent && info.size > maxBytes) skipping = info.size + 1;
    return end + 1;
  };
  return (chunk) => {
    chunks.push(chunk);
    have += chunk.length;
    if (have < need) return;
    const buffer = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    let at = 0;
    need = 1;
    while (at < buffer.length) {
      const next = step(buffer, at);
      if (next < 0) break;
      at = next;
    }
    const left = at >= buffer.length ? nothing : buffer.subarray(at);
    chunks = left.length === 0 ? [] : [left];
    have = left.length;
  };
}

/** `<id> <type> <size>`, or `<name> missing` and `<name> ambiguous`. */
function parseHeader(header: string): ObjectInfo | undefined {
  const match = /^([0-9a-f]{40,64}) (blob|tree|commit|tag) ([0-9]+)$/.exec(header);
  if (match === null) return undefined;
  return { id: match[1] ?? '', type: match[2] ?? '', size: Number(match[3]) };
}

function refuseNames(names: readonly string[]): void {
  const wrong = names.find((name) => !/^[0-9a-f]{4,64}(?:\^\{[a-z]+\}|:\P{Cc}*)?$/u.test(name));
  if (wrong !== undefined) throw new ArgosyError('internal', 'an object was asked for by something that is not an id');
}
