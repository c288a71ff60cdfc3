/**
 * The controller as a process of its own, for tests that kill it, run two of it, or weigh it.
 *
 * It is what `argosy run` starts, with two things a test needs and a person does not: a short PING, and an answer to
 * how much memory it holds after everything that can go has gone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { connect, readKubeconfig } from '../../src/kube/index.ts';
import { startInstallation } from '../../src/main/controller.ts';
import { createLogger, createMetrics } from '../../src/telemetry/index.ts';

export interface ControllerProcessOptions {
  readonly kubeconfig: string;
  readonly controlPlane: string;
  readonly appNamespaces: readonly string[];
  readonly cacheDir: string;
  /** After how long a connection that says nothing is asked whether it lives. */
  readonly pingMs?: number;
}

/** A controller in another process. */
export interface ControllerProcess {
  readonly child: ChildProcess;
  /** Bytes on the heap and in buffers after a forced collection. */
  memory(): Promise<number>;
  /** SIGKILL; answers once it is gone. */
  kill(): Promise<void>;
}

/** Starts one; it is up when its settings have been read. */
export async function startControllerProcess(options: ControllerProcessOptions): Promise<ControllerProcess> {
  const child = spawn(process.execPath, ['--expose-gc', import.meta.filename, '--control', JSON.stringify(options)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const next = (): Promise<unknown> =>
    Promise.race([
      new Promise((resolve) => child.once('message', resolve)),
      ended.then(() => Promise.reject(new Error(`the controller ended with ${child.signalCode ?? child.exitCode}`))),
    ]);
  await next();
  return {
    child,
    async memory() {
      const answer = next();
      child.send('memory');
      return Number(await answer);
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function control({ kubeconfig, controlPlane, appNamespaces, cacheDir, pingMs }: ControllerProcessOptions) {
  const controller = startInstallation({
    connection: connect(await readKubeconfig(kubeconfig), { version: 'test', pingMs }),
    installation: { controlPlane, appNamespaces },
    cacheDir,
    log: createLogger({ level: process.env['ARGOSY_TEST_LOG'] === undefined ? 'error' : 'info' }),
    metrics: createMetrics(),
    pollMs: 300,
    version: 'test',
  });
  // Whoever started us is gone: nobody else would end us.
  process.on('disconnect', () => process.exit(0));
  process.on('message', () => {
    // Twice: what the first round frees may hold what the second can free.
    for (const _round of [1, 2]) globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.(heapUsed + external);
  });
  await controller.ready;
  process.send?.('ready');
}

const [flag, written = ''] = process.argv.slice(2);
if (process.argv[1] === import.meta.filename && flag === '--control')
  await control(JSON.parse(written) as ControllerProcessOptions); // written by us
