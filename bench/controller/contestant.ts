import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What a controller is started with. */
export interface Order {
  readonly kubeconfig: string;
  readonly controlPlane: string;
  readonly appNamespaces: readonly string[];
  readonly cacheDir: string;
  readonly pollMs: number;
  /** Tells its calls apart in the audit log: it is the end of its user agent. */
  readonly version: string;
}

/** What the controller's process says about itself. */
export interface Reading {
  readonly renders: number;
  readonly passes: number;
  /** The longest stretch of CPU without a turn of the main loop since the last reading. */
  readonly longestMs: number;
  readonly cpuMs: number;
  readonly rss: number;
  /** Memory in use by objects and buffers. */
  readonly heap: number;
  /** Timers that have fired so far, and that wait now. */
  readonly fired: number;
  readonly pending: number;
}

export type Question =
  | { readonly ask: 'start'; readonly order: Order }
  | { readonly ask: 'poll'; readonly url: string }
  /** Collects garbage before it answers. */
  | { readonly ask: 'settle' }
  | { readonly ask: 'read' }
  | { readonly ask: 'stop' };

export type Answer =
  | { readonly id: number; readonly reading: Reading }
  | { readonly id: number; readonly error: string };

/** A controller in a process of its own. */
export interface Contestant {
  poll(url: string): Promise<void>;
  read(): Promise<Reading>;
  /** The same after garbage was collected. */
  settle(): Promise<Reading>;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('./subject.ts', import.meta.url));
const deadlineMs = 300_000;

/** Starts a controller; `BENCH_CPU_PROF` names a directory for a profile of it. */
export async function startContestant(order: Order): Promise<Contestant> {
  const profiles = process.env['BENCH_CPU_PROF'];
  const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const child = fork(program, [], {
    execArgv: ['--expose-gc', ...profiling],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  let next = 0;
  child.on('message', (answer: Answer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code) => {
      for (const [id, tell] of waiting) tell({ id, error: `the controller ended with ${code}` });
      resolve();
    });
  });
  const ask = async (question: Question): Promise<Reading> => {
    const id = next++;
    const answer = await new Promise<Answer>((resolve) => {
      const timer = setTimeout(() => resolve({ id, error: 'no answer from the controller' }), deadlineMs);
      waiting.set(id, (said) => {
        clearTimeout(timer);
        resolve(said);
      });
      child.send({ id, ...question });
    });
    if ('error' in answer) throw new Error(answer.error);
    return answer.reading;
  };
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) await ask({ ask: 'stop' }).catch(() => child.kill('SIGKILL'));
    await ended;
  };
  try {
    await ask({ ask: 'start', order });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    poll: async (url) => void (await ask({ ask: 'poll', url })),
    read: () => ask({ ask: 'read' }),
    settle: () => ask({ ask: 'settle' }),
    stop,
  };
}
