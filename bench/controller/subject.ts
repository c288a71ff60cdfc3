// The controller in a process of its own, as in production: what it costs is not mixed with the benchmark's own work.
// Started by `contestant.ts` and asked over the channel between the two.
import type { Controller } from '../../src/controller/index.ts';
import { connect, readKubeconfig } from '../../src/kube/index.ts';
import { startInstallation } from '../../src/main/controller.ts';
import { createMetrics, silentLogger } from '../../src/telemetry/index.ts';
import { watchLoop } from '../probes/loop-watch.ts';
import type { Answer, Order, Question, Reading } from './contestant.ts';
import { countTimers } from './timers.ts';

const timers = countTimers();
const metrics = createMetrics();
let renders = 0;
let stretch = watchLoop();
let controller: Controller | undefined;
let close: () => Promise<void> = async () => undefined;

async function start(order: Order): Promise<void> {
  const connection = connect(await readKubeconfig(order.kubeconfig), { version: order.version });
  controller = startInstallation({
    connection,
    installation: { controlPlane: order.controlPlane, appNamespaces: order.appNamespaces },
    cacheDir: order.cacheDir,
    log: silentLogger,
    metrics,
    pollMs: order.pollMs,
    version: order.version,
    onRender: () => {
      renders++;
    },
  });
  close = () => connection.close();
}

function read(settle: boolean): Reading {
  const longestMs = stretch();
  const { user, system } = process.cpuUsage();
  if (settle) for (let turn = 0; turn < 4; turn++) globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  stretch = watchLoop();
  return {
    renders,
    longestMs,
    cpuMs: (user + system) / 1000,
    rss,
    heap: heapUsed + external,
    passes: passesIn([...metrics.print()].join('')),
    ...timers(),
  };
}

/** Passes so far, from what monitoring is told. */
function passesIn(text: string): number {
  const counts = [...text.matchAll(/^argocd_app_reconcile_count(?:\{[^}]*\})? (\d+)/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

async function answer(question: Question): Promise<Reading> {
  if (question.ask === 'start') await start(question.order);
  else if (question.ask === 'poll') await controller?.poll(question.url);
  else if (question.ask === 'stop') {
    await controller?.stop();
    await close();
  }
  return read(question.ask === 'settle');
}

process.on('message', (message: { readonly id: number } & Question) => {
  const { id } = message;
  const send = (said: Answer): void => {
    process.send?.(said, () => {
      if (message.ask === 'stop') process.exit(0);
    });
  };
  answer(message).then(
    (reading) => send({ id, reading }),
    (error: unknown) => send({ id, error: String(error) }),
  );
});
// Whoever started us is gone: so are we.
process.on('disconnect', () => process.exit(0));
