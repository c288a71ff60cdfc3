import { setTimeout as sleep } from 'node:timers/promises';
import { objectAt, stringAt } from '../../src/core/json/index.ts';
import { atMost, exactly, type Figure, told } from '../probes/figures.ts';
import { type Bench, untilSynced } from './bench.ts';
import { untilQuiet } from './initial-sync.ts';
import { application, plainPlatform } from './platform.ts';
import { applications, applyYaml, configMap, deployments, until } from './stage.ts';

const flips = 20;

/** One Application of many objects: written once per sync however many they are, and not at every flap of health (S13). */
export async function giants(bench: Bench): Promise<Figure[]> {
  await applyYaml(bench.floor, plainPlatform('giant'));
  const contestant = await bench.start('giant-argocd');
  const figures: Figure[] = [];
  for (const size of bench.full ? [100, 1_000] : [100]) figures.push(...(await giant(bench, size)));
  figures.push(...(await flaps(bench)));
  await contestant.stop();
  return figures;
}

async function giant(bench: Bench, size: number): Promise<Figure[]> {
  const folder = `giant-${size}`;
  const objects = Array.from({ length: size }, (_, at) => named(configMap(at), `${folder}-${at}`));
  bench.repository.commit({ [`${folder}/all.yaml`]: objects.map((object) => JSON.stringify(object)).join('\n---\n') });
  const index = bench.mark();
  await create(bench, folder);
  const { objects: maps, applications: apps } = bench.writes(index);
  const bytes = JSON.stringify(bench.seen.get(`giant-argocd/${folder}`)?.status).length;
  return [
    exactly(`S13 writes of objects, sync of ${size}`, maps.length, size),
    exactly(`S13 writes of the Application, sync of ${size}`, apps.length, 1),
    told(`S13 size of its status, ${size} objects`, bytes / 1024, 'KiB'),
  ];
}

/** A Deployment whose status goes up and down; nobody else plays its controller here. */
async function flaps(bench: Bench): Promise<Figure[]> {
  const labels = { app: 'flapping' };
  const object = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'flapping' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'registry.example/main:1' }] } },
    },
  };
  bench.repository.commit({ 'flapping/all.yaml': JSON.stringify(object) });
  await create(bench, 'flapping');
  const index = bench.mark();
  for (let turn = 0; turn < flips; turn++) {
    const up = turn % 2;
    const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: up, availableReplicas: up };
    await bench.floor.patch(deployments, 'giant-shop', 'flapping', 'merge', { status }, { subresource: 'status' });
    await sleep(100);
  }
  // The last state is told, too, when it has settled.
  await until('the last state of health told', () => healthOf(bench) === 'Healthy');
  await untilQuiet(bench, 2_000);
  const writes = bench.writes(index);
  return [
    exactly(`S13 writes of objects for ${flips} flips of health`, writes.objects.length, 0),
    atMost(`S13 writes of the Application for ${flips} flips of health in 2 s`, writes.applications.length, '', 12),
  ];
}

function healthOf(bench: Bench): string | undefined {
  return stringAt(objectAt(bench.seen.get('giant-argocd/flapping')?.status ?? {}, 'health') ?? {}, 'status');
}

async function create(bench: Bench, folder: string): Promise<void> {
  const app = application(
    bench.repository.url,
    { namespace: 'giant-argocd', name: folder, at: 0 },
    'default',
    'giant-shop',
  );
  const spec = app['spec'] as { source: object };
  const source = { ...spec.source, path: folder };
  const annotations = { 'argocd.argoproj.io/refresh': 'normal' };
  await bench.floor.create(applications, {
    ...app,
    metadata: { ...app.metadata, annotations },
    spec: { ...spec, source },
  } as typeof app); // only the path is another
  await untilSynced(bench, [`giant-argocd/${folder}`]);
  await untilQuiet(bench);
}

function named(object: ReturnType<typeof configMap>, name: string): object {
  return { ...object, metadata: { name } };
}
