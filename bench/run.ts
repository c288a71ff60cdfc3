// Runs one benchmark and prints its figures as a table, or as JSON; the last lines are the ratios to the floors of the
// same run, one per figure. Absolute times of different runs must never be compared.
//
//   npm run bench -- NAME [--json] [--full]
import { existsSync, globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** One figure of a benchmark, with the bound it is held against where there is one. */
interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly bound?: string;
  readonly ok?: boolean;
}

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
const figures = await module.run({ size: flags.includes('--full') ? 'full' : 'bar' });
if (flags.includes('--json')) console.log(JSON.stringify({ name, figures }, null, 2));
else printTable(figures);

function printTable(rows: readonly Figure[]): void {
  const width = Math.max(...rows.map((row) => row.name.length));
  const print = (row: Figure): string => {
    const value = Math.abs(row.value) >= 100 ? row.value.toFixed(0) : row.value.toPrecision(3);
    const bound = row.bound === undefined ? '' : `   ${row.bound}   ${row.ok === true ? 'met' : 'NOT MET'}`;
    return `${row.name.padEnd(width)}  ${value.padStart(9)} ${row.unit.padEnd(6)}${bound}`;
  };
  for (const row of rows) console.log(print(row));
  console.log(
    rows
      .filter((row) => row.bound !== undefined)
      .map((row) => `${row.name} ${row.value.toPrecision(3)} ${row.unit}`.trim())
      .join(' · '),
  );
}
