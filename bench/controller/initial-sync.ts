import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEvent } from '../../test/support/real-audit.ts';
import { atMost, exactly, type Figure, median, ratioTo, told } from '../probes/figures.ts';
import { type Bench, untilSynced } from './bench.ts';
import type { Contestant, Reading } from './contestant.ts';
import { sampleStatus, type WriteFloor } from './floors.ts';
import { application, type Named, plainPlatform } from './platform.ts';
import { applications, applyYaml, timed, type Writes } from './stage.ts';

/** How one initial sync went, by the audit log. */
export interface Synced {
  readonly contestant: Contestant;
  /** First write to last, of objects and Applications. */
  readonly wallMs: number;
  /** First write to the last Event. */
  readonly toldMs: number;
  readonly firstWriteMs: number;
  readonly writes: Writes;
  /** What the process said right after. */
  readonly reading: Reading;
}

/** Applications of one ConfigMap each out of one repository, synced by a controller that starts over them (S5). */
export async function initialSyncs(
  bench: Bench,
  floor: WriteFloor,
  count: number,
  { rounds, baseOf }: { readonly rounds: number; readonly baseOf: (name: string) => Promise<Reading> },
): Promise<{ figures: Figure[]; last: Synced; perAppMs: readonly number[] }> {
  const synced: Synced[] = [];
  const floors: number[] = [];
  const floorsTold: number[] = [];
  let status = sampleStatus;
  let base: Reading | undefined;
  const measureFloors = async (): Promise<void> => {
    floors.push(await floor.measure(count, status, false));
    floorsTold.push(await floor.measure(count, status, true));
  };
  for (let round = 0; round < rounds; round++) {
    await synced.at(-1)?.contestant.stop();
    const names = await createApplications(bench, `plain${round}`, count);
    await measureFloors();
    // The floors leave thousands of objects behind, and to read them is part of every start.
    if (round === rounds - 1) base = await baseOf('start');
    synced.push(await syncAll(bench, `plain${round}-argocd`, [], names));
    status = bench.seen.get(`plain${round}-argocd/plain${round}-app-0`)?.status ?? status;
  }
  await measureFloors();
  const last = synced.at(-1);
  if (last === undefined || base === undefined) throw new Error('no round was run');
  return {
    figures: figuresOf(count, synced, { floors, floorsTold }, base),
    last,
    perAppMs: synced.map(({ wallMs }) => wallMs / count),
  };
}

function figuresOf(
  count: number,
  synced: readonly Synced[],
  { floors, floorsTold }: { readonly floors: readonly number[]; readonly floorsTold: readonly number[] },
  base: Reading,
): Figure[] {
  // The first of the floors was measured with a status that was made up.
  const [known, knownTold] = [floors.slice(1), floorsTold.slice(1)];
  const wall = median(synced.map(({ wallMs }) => wallMs));
  const toldWall = median(synced.map(({ toldMs }) => toldMs));
  const cpu = ((synced.at(-1)?.reading.cpuMs ?? 0) - base.cpuMs) / (count - 1);
  const most = (of: (writes: Writes) => number): number => Math.max(...synced.map(({ writes }) => of(writes)));
  const longest = Math.max(...synced.map(({ reading }) => reading.longestMs));
  return [
    told('S5 Applications of one ConfigMap', count),
    exactly('S5 writes of objects per sync', most(({ objects }) => objects.length) / count, 1),
    exactly('S5 writes of the Application per sync', most((writes) => writes.applications.length) / count, 1),
    atMost('S5 Events per sync', most((writes) => writes.events.filter(aboutApplication).length) / count, '', 1),
    exactly('S5 renders per Application', Math.max(...synced.map(({ reading }) => reading.renders)) / count, 1),
    told('S5 passes per Application', Math.max(...synced.map(({ reading }) => reading.passes)) / count),
    ...otherWrites(synced.at(-1)?.writes),
    told('S5 start of the controller to its first write', median(synced.map((each) => each.firstWriteMs)), 'ms'),
    told('S5 initial sync, first write to last', wall, 'ms'),
    told('S5 floor: the same writes by the same client', median(known), 'ms'),
    ratioTo('S5 initial sync / floor', wall / median(known), 1.25, known),
    told('S5 initial sync with its Events / floor with as many', toldWall / median(knownTold), '×'),
    told('S5 CPU of the controller per Application, its start apart', cpu, 'ms'),
    atMost('S5 longest stretch on the main loop', longest, 'ms', 50),
  ];
}

const aboutApplication = ({ objectRef }: AuditEvent): boolean => objectRef?.name?.includes('-app-') === true;

/** By kind: they come once per start, not once per Application. */
function otherWrites(writes: Writes | undefined): Figure[] {
  const aside = (writes?.events ?? []).filter((event) => !aboutApplication(event));
  const kinds = Map.groupBy(
    [...(writes?.others ?? []), ...aside],
    ({ verb, objectRef }) =>
      `${verb} ${objectRef?.resource ?? '?'}${objectRef?.subresource === undefined ? '' : `/${objectRef.subresource}`}`,
  );
  return [...kinds].map(([name, { length }]) => told(`S5 at the start besides: ${name}`, length));
}

/** Makes a control plane and Applications in it that nobody looks at yet; no two share the name in their objects' marks. */
export async function createApplications(bench: Bench, name: string, count: number): Promise<Named[]> {
  await applyYaml(bench.floor, plainPlatform(name));
  const names = Array.from({ length: count }, (_, at) => ({
    namespace: `${name}-argocd`,
    name: `${name}-app-${at}`,
    at,
  }));
  await timed(count, (at) =>
    bench.floor.create(applications, application(bench.repository.url, names[at], 'default', `${name}-shop`)),
  );
  return names;
}

/** Starts the controller over Applications that are there, and takes the times from the audit log. */
export async function syncAll(
  bench: Bench,
  controlPlane: string,
  appNamespaces: readonly string[],
  names: readonly Named[],
): Promise<Synced> {
  const index = bench.mark();
  const began = Date.now();
  const contestant = await bench.start(controlPlane, appNamespaces);
  await untilSynced(
    bench,
    names.map(({ namespace, name }) => `${namespace}/${name}`),
  );
  const reading = await contestant.read();
  await untilQuiet(bench);
  const writes = bench.writes(index);
  const times = [...writes.objects, ...writes.applications];
  const first = Math.min(...times.map((event) => Date.parse(event.requestReceivedTimestamp)));
  const last = (of: readonly AuditEvent[]): number => Math.max(...of.map((event) => Date.parse(event.stageTimestamp)));
  return {
    contestant,
    wallMs: last(times) - first,
    toldMs: last([...times, ...writes.events]) - first,
    firstWriteMs: first - began,
    writes,
    reading,
  };
}

/** Waits until the controller has written nothing for a while: Events and echoes come last. */
export async function untilQuiet(bench: Bench, quietMs = 1_000): Promise<void> {
  let [count, since] = [-1, Date.now()];
  while (Date.now() - since < quietMs) {
    const now = Object.values(bench.writes(0)).flat().length;
    if (now !== count) [count, since] = [now, Date.now()];
    await sleep(100);
  }
}
