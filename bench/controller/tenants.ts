import type { Connection } from '../../src/kube/index.ts';
import { exactly, type Figure, median, ratioTo, told } from '../probes/figures.ts';
import type { Bench } from './bench.ts';
import { type Synced, syncAll } from './initial-sync.ts';
import { application, type Named, tenantPlatform } from './platform.ts';
import { applications, applyYaml, configMap, maps, timed } from './stage.ts';

/** Tenants with a project, an account and a namespace each, all impersonated, against the same without tenants (S6). */
export async function tenants(
  bench: Bench,
  teams: number,
  each: number,
  plainPerAppMs: readonly number[],
): Promise<Figure[]> {
  const count = teams * each;
  const name = 'team';
  const names = await createTenants(bench, name, teams, each);
  const factors = [await impersonationFactor(bench, name)];
  const synced = await syncAll(bench, `${name}-argocd`, [`${name}*-team`], names);
  factors.push(await impersonationFactor(bench, name));
  const reading = await synced.contestant.settle();
  await synced.contestant.stop();
  const factor = Math.max(1, median(factors));
  const ratio = synced.wallMs / count / (median(plainPerAppMs) * factor);
  const { writes } = synced;
  return [
    told('S6 tenants', teams),
    told('S6 Applications of each', each),
    exactly('S6 writes in a wrong name', wrongNames(synced).length, 0),
    exactly('S6 writes per impersonated sync', (writes.objects.length + writes.applications.length) / count, 2),
    told('S6 impersonated sync, first write to last', synced.wallMs, 'ms'),
    told('S6 measured factor of impersonation', factor, '×'),
    ratioTo('S6 impersonated / plain × factor', ratio, 1.1, plainPerAppMs),
    told('S6 memory at rest (RSS)', reading.rss / 2 ** 20, 'MiB'),
  ];
}

/** Writes of objects under another identity than that of the tenant whose namespace it is. */
function wrongNames({ writes }: Synced): unknown[] {
  return writes.objects.filter(({ objectRef, impersonatedUser }) => {
    return impersonatedUser?.username !== `system:serviceaccount:${objectRef?.namespace}:deployer`;
  });
}

/** Makes the tenants and their Applications; nobody looks at them yet. */
export async function createTenants(bench: Bench, name: string, teams: number, each: number): Promise<Named[]> {
  await applyYaml(bench.floor, tenantPlatform(name, teams));
  const names = Array.from({ length: teams * each }, (_, at) => ({
    namespace: `${name}${at % teams}-team`,
    name: `app-${at}`,
    at: at % bench.folders,
  }));
  await timed(names.length, (at) => {
    const team = `${name}${at % teams}`;
    return bench.floor.create(applications, application(bench.repository.url, names[at], team, `${team}-shop`));
  });
  return names;
}

/** What an apply costs more in somebody's name, plain and impersonated ones in turns. */
async function impersonationFactor(bench: Bench, name: string): Promise<number> {
  const shop = `${name}0-shop`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${shop}`, 'system:authenticated'];
  const as = bench.floor.as({ user: `system:serviceaccount:${shop}:deployer`, groups });
  const apply = (door: Pick<Connection, 'apply'>, turn: number, prefix: string) => (at: number) => {
    const object = { ...configMap(at, turn), metadata: { name: `${prefix}-${at}`, namespace: shop } };
    return door.apply(maps, object, { fieldManager: 'floor', force: true });
  };
  const ratios: number[] = [];
  for (let turn = 0; turn < 6; turn++) {
    const own = await timed(60, apply(bench.floor, turn, 'own'));
    ratios.push((await timed(60, apply(as, turn, 'as'))) / own);
  }
  return median(ratios.slice(1));
}
