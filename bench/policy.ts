// How fast decisions are: cold (compiled projects, no answer remembered), warm (answers remembered) against a Map with the
// same keys, how both grow with the number of rules, and what one edited project costs.
import { type Application, type AppProject, parseAppProject, type Snapshot } from '../src/core/api/index.ts';
import { type JsonObject, stringAt } from '../src/core/json/index.ts';
import {
  admitApplication,
  assembleSnapshot,
  type EffectiveProject,
  effectiveProject,
  permitsObject,
  permitsSource,
  type Subject,
} from '../src/core/policy/index.ts';
import type { Figure } from './probes/figures.ts';

/** How large the run is; `bar` is the short form. */
export interface BenchOptions {
  readonly size?: 'bar' | 'full';
}

const server = 'https://kubernetes.default.svc';

function projectOf(name: string, rules: number, version = '1'): JsonObject {
  const range = Array.from({ length: rules }, (_, i) => i);
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: 'argocd', resourceVersion: version },
    spec: {
      sourceNamespaces: [name],
      sourceRepos: range.map((i) =>
        i % 10 === 9
          ? `!https://git.example.com/${name}/secret-${i}/**`
          : `https://git.example.com/${name}/repo-${i}/**`,
      ),
      destinations: range.map((i) =>
        i % 10 === 9 ? { server: '*', namespace: `!${name}-closed-${i}` } : { server, namespace: `${name}-ns-${i}-*` },
      ),
      namespaceResourceWhitelist: range.map((i) => ({
        group: i % 2 === 0 ? 'apps' : `group-${i}.example.com`,
        kind: i % 4 === 0 ? 'Deployment' : `Kind${i}`,
      })),
      destinationServiceAccounts: range.map((i) => ({
        server,
        namespace: `${name}-ns-${i}-*`,
        defaultServiceAccount: `deployer-${i}`,
      })),
    },
  };
}

function applicationOf(project: string, i: number, rules: number): JsonObject {
  const rule = (i * 7) % rules;
  const used = rule % 10 === 9 ? rule - 1 : rule;
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: `app-${i}`, namespace: project },
    spec: {
      project,
      source: { repoURL: `https://git.example.com/${project}/repo-${used}/app-${i}.git`, path: '.' },
      destination: { server, namespace: `${project}-ns-${used}-${i}` },
    },
  };
}

interface Scene {
  readonly snapshot: Snapshot;
  readonly applications: readonly Application[];
  readonly projects: readonly EffectiveProject[];
}

function scene(projects: number, applications: number, rules: number): Scene {
  const objects: JsonObject[] = [];
  for (let i = 0; i < projects; i++) objects.push(projectOf(`team-${i}`, rules));
  for (let i = 0; i < applications; i++) objects.push(applicationOf(`team-${i % projects}`, i, rules));
  // As an API server lists them: by namespace, and as texts that were read, not put together.
  objects.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const assembled = assembleSnapshot(flat(objects), { controlPlane: 'argocd', appNamespaces: ['team-*'] });
  const all = [...assembled.snapshot.projects.keys()].map((name) => must(effectiveProject(assembled.snapshot, name)));
  return { snapshot: assembled.snapshot, applications: [...assembled.applications.values()], projects: all };
}

function keyOf(object: JsonObject): string {
  return `${stringAt(object, 'metadata', 'namespace') ?? ''}/${stringAt(object, 'metadata', 'name') ?? ''}`;
}

function flat<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T; // the same JSON
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the scene is incomplete');
  return value;
}

/** One check: a source, and an object with its kind and namespace. */
interface Check {
  readonly project: EffectiveProject;
  readonly cluster: Parameters<typeof permitsObject>[0];
  readonly url: string;
  readonly subject: Subject;
}

function checksOf({ snapshot, applications }: Scene): readonly Check[] {
  return applications.map((app) => {
    const admission = admitApplication(snapshot, app);
    if (!admission.ok) throw new Error(admission.refusals[0].message);
    const { project, cluster } = admission;
    const namespace = must(app.spec.destination.namespace);
    return {
      project,
      cluster: { project, cluster, applicationNamespace: must(app.metadata.namespace) },
      url: must(app.spec.source?.repoURL),
      subject: { group: 'apps', kind: 'Deployment', name: app.metadata.name, namespace, namespaced: true },
    };
  });
}

function seconds(work: () => void): number {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e9;
}

/** The round that was disturbed least: other programs and the collector only ever add. */
function least(values: readonly number[]): number {
  return Math.min(...values);
}

let sink = 0;

/** Two checks for each Application: its source, and one object. */
function runChecks(checks: readonly Check[]): void {
  for (let i = 0; i < checks.length; i++) {
    const check = checks[i];
    if (check === undefined) continue;
    if (permitsSource(check.project, check.url).answer === 'allowed') sink += 1;
    if (permitsObject(check.cluster, check.subject).answer === 'allowed') sink += 1;
  }
}

/**
 * Cold: the projects are compiled, but every key is new to them. The rate is one per core and the machine may be shared, so
 * rounds of 10,000 Applications (20,000 checks) are measured in CPU time of this thread, the collector's work on it included;
 * the figure is the median round. The best slice of 1,000 Applications by the wall clock shows what an undisturbed core does.
 */
function cold(checks: readonly Check[], rounds: number): { readonly median: number; readonly best: number } {
  const size = 1000;
  const perRound: number[] = [];
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const fresh = withNewKeys(checks, round);
    const slices = Array.from({ length: fresh.length / size }, (_, i) => fresh.slice(i * size, (i + 1) * size));
    const before = process.threadCpuUsage();
    for (const slice of slices) best = Math.min(best, seconds(() => runChecks(slice)) / size);
    const { user, system } = process.threadCpuUsage(before);
    if (round > 0) perRound.push((user + system) / 1e6 / fresh.length); // the first round is the compiler's
  }
  perRound.sort((a, b) => a - b);
  return { median: 2 / must(perRound[Math.floor(perRound.length / 2)]), best: 2 / best };
}

/** The same checks about sources and namespaces nobody asked for yet, as texts that were read. */
function withNewKeys(checks: readonly Check[], round: number): readonly Check[] {
  const keys = flat(
    checks.map(({ url, subject }) => ({
      url: url.replace('.git', `-${round}.git`),
      subject: { ...subject, namespace: `${subject.namespace}-${round}` },
    })),
  );
  return checks.map((check, i) => ({ ...check, ...must(keys[i]) }));
}

/** Warm: the same keys again, and the same keys in a Map of Maps by hand. */
function warm(
  checks: readonly Check[],
  rounds: number,
): { readonly rate: number; readonly ratio: number; readonly floor: number } {
  const bySource = new Map<EffectiveProject, Map<string, boolean>>();
  const byNamespace = new Map<EffectiveProject, Map<string, boolean>>();
  const put = (map: Map<EffectiveProject, Map<string, boolean>>, project: EffectiveProject, key: string): void => {
    const inner = map.get(project) ?? new Map<string, boolean>();
    map.set(project, inner.set(key, true));
  };
  for (const { project, url, subject } of checks) {
    put(bySource, project, url);
    put(byNamespace, project, `${subject.group}/${subject.kind}/${subject.namespace}`);
  }
  const keys = checks.map(({ subject }) => `${subject.group}/${subject.kind}/${subject.namespace}`);
  const lookUp = (): void => {
    for (let i = 0; i < checks.length; i++) {
      const check = checks[i];
      if (check === undefined) continue;
      if (bySource.get(check.project)?.get(check.url) === true) sink += 1;
      if (byNamespace.get(check.project)?.get(keys[i] ?? '') === true) sink += 1;
    }
  };
  runChecks(checks);
  const floor: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < rounds; round++) {
    floor.push(seconds(lookUp));
    ours.push(seconds(() => runChecks(checks)));
  }
  return {
    rate: (2 * checks.length) / least(ours),
    ratio: least(ours) / least(floor),
    floor: least(floor) / (2 * checks.length),
  };
}

/** Edits one project and asks for all again: how many effective projects were made anew. */
function edit(
  { snapshot, applications }: Scene,
  rules: number,
): { readonly recompiled: number; readonly readmitted: number } {
  const before = new Map([...snapshot.projects.keys()].map((name) => [name, must(effectiveProject(snapshot, name))]));
  const parsed = parseAppProject(projectOf('team-0', rules, '2'));
  if (!parsed.ok) throw new Error('the edited project cannot be read');
  const projects = new Map<string, AppProject>([...snapshot.projects, ['team-0', parsed.value]]);
  const next: Snapshot = { ...snapshot, revision: snapshot.revision + 1, projects };
  const changed = [...before]
    .filter(([name, project]) => effectiveProject(next, name) !== project)
    .map(([name]) => name);
  const readmitted = applications.filter((app) => changed.includes(app.spec.project ?? '')).length;
  return { recompiled: changed.length, readmitted };
}

/** The exponent of cost in the number of rules. */
function exponent(points: readonly (readonly [rules: number, cost: number])[]): number {
  const logs = points.map(([rules, cost]) => [Math.log(rules), Math.log(cost)] as const);
  const mean = (pick: (point: readonly [number, number]) => number): number =>
    logs.reduce((sum, point) => sum + pick(point), 0) / logs.length;
  const [x, y] = [mean(([a]) => a), mean(([, b]) => b)];
  return logs.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0) / logs.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}

/** Runs the scenario and answers its figures. */
export async function run(options: BenchOptions = {}): Promise<readonly Figure[]> {
  const full = options.size === 'full';
  const sizes = full ? [20, 200, 2000] : [20, 200];
  const [projects, applications] = full ? [1000, 10_000] : [200, 10_000];
  const figures: Figure[] = [];
  const coldPoints: [number, number][] = [];
  const warmPoints: [number, number][] = [];
  for (const rules of sizes) {
    // 2,000 rules in each of 1,000 projects are 8 million entries; a tenth of the projects shows the same.
    const here = scene(rules >= 2000 ? projects / 10 : projects, applications, rules);
    const checks = checksOf(here);
    // Warm first: the Map it is held against has the same keys, not those that the cold rounds add.
    const { rate, ratio, floor } = warm(checks, 100);
    const { median: coldRate, best } = cold(checks, 41);
    // In look-ups of the same run: scenes are timed apart, and the machine is not the same twice.
    coldPoints.push([rules, 1 / (coldRate * floor)]);
    warmPoints.push([rules, ratio]);
    figures.push({
      name: `cold checks, median, ${rules} rules`,
      value: coldRate,
      unit: '/s',
      ...(rules === 200 ? { bound: '>= 1,000,000', ok: coldRate >= 1e6 } : {}),
    });
    figures.push({ name: `cold checks, best slice, ${rules} rules`, value: best, unit: '/s' });
    figures.push({ name: `cold / Map look-up, ${rules} rules`, value: 1 / (coldRate * floor), unit: '×' });
    figures.push({ name: `warm checks, ${rules} rules`, value: rate, unit: '/s' });
    figures.push({
      name: `warm / Map look-up, ${rules} rules`,
      value: ratio,
      unit: '×',
      bound: '<= 2',
      ok: ratio <= 2,
    });
    const { recompiled, readmitted } = edit(here, rules);
    figures.push({
      name: `projects compiled anew after one edit, ${rules} rules`,
      value: recompiled,
      unit: '',
      bound: '= 1',
      ok: recompiled === 1,
    });
    figures.push({
      name: `Applications looked at after one edit, ${rules} rules`,
      value: readmitted,
      unit: '',
      bound: `= ${Math.ceil(applications / here.projects.length)}`,
      ok: readmitted === Math.ceil(applications / here.projects.length),
    });
  }
  const warmExponent = exponent(warmPoints);
  figures.push({ name: 'exponent in rules, cold', value: exponent(coldPoints), unit: '' });
  figures.push({
    name: 'exponent in rules, warm',
    value: warmExponent,
    unit: '',
    bound: '<= 0.1',
    ok: warmExponent <= 0.1,
  });
  if (sink < 0) throw new Error('unreachable'); // keeps the checks from being optimised away
  return figures;
}

if (import.meta.main) {
  const size = process.argv.includes('--full') ? 'full' : 'bar';
  for (const { name, value, unit, bound, ok } of await run({ size })) {
    const shown = value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(3);
    console.log(
      `${ok === false ? '✗' : ok === true ? '✓' : ' '} ${name}: ${shown}${unit}${bound === undefined ? '' : ` (${bound})`}`,
    );
  }
}
