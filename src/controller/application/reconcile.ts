import { act } from './act.ts';
import { cascadeFinalizers, decide } from './decide.ts';
import { gather, type Ready } from './gather.ts';
import { checkpoint, report, reportRefusal } from './report.ts';
import { runSync } from './sync.ts';
import type { World } from './world.ts';

/** How long to wait for objects that are being removed, where no watch tells. */
const removalPollMs = 1000;

/** One pass over one Application: gather, decide, act, report. Answers when to look again, if not on an event. */
export async function reconcile(key: string, world: World): Promise<number | undefined> {
  const inputs = await gather(key, world);
  if (inputs.state === 'gone') return undefined;
  if (inputs.state === 'refused') {
    await reportRefusal(inputs.app, inputs.condition, inputs.message, world);
    return undefined;
  }
  const decision = decide(inputs);
  switch (decision.next) {
    case 'say':
      await report(inputs, decision, world);
      return undefined;
    case 'sync': {
      const { comparison, state } = await runSync(inputs, decision.operation, world, (so) =>
        checkpoint(inputs.app, so, world),
      );
      await report(inputs, { comparison, operationState: state }, world);
      return undefined;
    }
    case 'remove':
      await act(inputs.app, decision.tasks, inputs.access, world);
      return removalPollMs;
    case 'release':
      await release(inputs, world);
      return undefined;
    case 'wait':
      return removalPollMs;
  }
}

/** Everything of the Application is gone: it may go, too. */
async function release({ app }: Ready, world: World): Promise<void> {
  const finalizers = (app.metadata.finalizers ?? []).filter((finalizer) => !cascadeFinalizers.includes(finalizer));
  // The version is the precondition: a finalizer somebody adds meanwhile is not lost.
  await world.patchApplication(app, { metadata: { finalizers, resourceVersion: app.metadata.resourceVersion ?? '' } });
}
