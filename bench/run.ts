// Runs one benchmark and prints its figures as a table, or as JSON; the last lines are the ratios to the floors of the
// same run, one per figure. Absolute times of different runs must never be compared.
//
//   npm run bench -- NAME [--json] [--full]
import { existsSync, globSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Figure, print as printValue } from './probes/figures.ts';

interface Benchmark {
  run(options: { readonly size: 'bar' | 'full' }): Promise<readonly Figure[]>;
}

const here = dirname(fileURLToPath(import.meta.url));
const names = globSync(join(here, '*.ts'))
  .map((file) => basename(file, '.ts'))
  .filter((name) => name !== 'run')
  .toSorted();
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const [name = '', ...more] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const strange = flags.find((flag) => flag !== '--json' && flag !== '--full');
const file = join(here, `${name}.ts`);
if (strange !== undefined || more.length > 0 || !names.includes(name) || !existsSync(file)) {
  console.error(`usage: npm run bench -- NAME [--json] [--full]; NAME is one of ${names.join(', ')}`);
  process.exit(2);
}

const module: Partial<Benchmark> = await import(pathToFileURL(file).href);
if (module.run === undefined) {
  console.error(`bench/${name}.ts has no run()`);
  process.exit(2);
}
const load = (): string =>
  loadavg()
    .map((each) => each.toFixed(1))
    .join(' ');
const before = load();
const figures = await module.run({ size: flags.includes('--full') ? 'full' : 'bar' });
const machine = { cores: cpus().length, node: process.version, load: { before, after: load() } };
if (flags.includes('--json')) console.log(JSON.stringify({ name, machine, figures }, null, 2));
else printTable(figures);

function printTable(rows: readonly Figure[]): void {
  console.log(
    `${machine.cores} cores, Node ${machine.node}, load ${machine.load.before} before, ${machine.load.after} after`,
  );
  const width = Math.max(...rows.map((row) => row.name.length));
  for (const row of rows) console.log(print(row, width));
  const judged = rows.filter((row) => row.bound !== undefined);
  const ratios = judged.filter((row) => row.unit === '×' && row.void === undefined);
  console.log(ratios.map((row) => `${row.name} ${row.value.toPrecision(3)} ×`).join(' · '));
  const missed = judged.filter((row) => row.void === undefined && row.ok !== true);
  const voided = judged.filter((row) => row.void !== undefined);
  console.log(`${judged.length - missed.length - voided.length} met, ${missed.length} not met, ${voided.length} void`);
}

function print(row: Figure, width: number): string {
  const judged = row.void === undefined ? (row.ok === true ? 'met' : 'NOT MET') : `VOID: ${row.void}`;
  const bound = row.bound === undefined ? '' : `   ${row.bound}   ${judged}`;
  return `${row.name.padEnd(width)}  ${printValue(row.value).padStart(9)} ${row.unit.padEnd(6)}${bound}`;
}
