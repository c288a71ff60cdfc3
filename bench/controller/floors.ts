import type { JsonObject } from '../../src/core/json/index.ts';
import type { Bench } from './bench.ts';
import { application, plainPlatform } from './platform.ts';
import { applications, applyYaml, configMap, events, maps, timed } from './stage.ts';

/** What one Application's sync costs at least: its objects and one write of its status; an Event where it is told. */
export interface WriteFloor {
  /** Writes the same as `count` syncs would, as many in flight as the controller has workers; answers the milliseconds. */
  measure(count: number, status: JsonObject, withEvents: boolean): Promise<number>;
}

/** Prepares the place of the floor and warms it up. */
export async function openWriteFloor(bench: Bench): Promise<WriteFloor> {
  const { floor, repository } = bench;
  await applyYaml(floor, plainPlatform('floor'));
  let turn = 0;
  const measure = async (count: number, status: JsonObject, withEvents: boolean): Promise<number> => {
    const prefix = `r${turn++}`;
    const named = (at: number) => ({ namespace: 'floor-argocd', name: `${prefix}-${at}`, at });
    await timed(count, (at) =>
      floor.create(applications, application(repository.url, named(at), 'default', 'floor-shop')),
    );
    return timed(count, async (at) => {
      const name = `${prefix}-${at}`;
      const object = { ...configMap(at), metadata: { name, namespace: 'floor-shop' } };
      await floor.apply(maps, object, { fieldManager: 'floor', force: true });
      await floor.patch(applications, 'floor-argocd', name, 'merge', { status });
      if (withEvents) await floor.create(events, eventAbout(name));
    });
  };
  await measure(50, sampleStatus, true);
  return { measure };
}

function eventAbout(name: string): Parameters<Bench['floor']['create']>[1] {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.1`, namespace: 'floor-argocd' },
    involvedObject: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'floor-argocd', name },
    type: 'Normal',
    reason: 'OperationCompleted',
    message: 'Sync operation to 0000000 succeeded',
    source: { component: 'floor' },
    firstTimestamp: stamp(0),
    lastTimestamp: stamp(0),
    count: 1,
  };
}

/** A time that differs by turn. */
export const stamp = (turn: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, turn)).toISOString();

/** A status about as long as that of a synced Application of one object, before a real one is there. */
export const sampleStatus: JsonObject = {
  sync: { status: 'Synced', revision: '0'.repeat(40) },
  health: { status: 'Healthy' },
  operationState: { phase: 'Succeeded', message: 'x'.repeat(600), startedAt: stamp(0), operation: {} },
};
