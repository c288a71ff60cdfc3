import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError } from '../core/errors/index.ts';
import type { CommandEntry } from './command.ts';
import { type Seen, typeIn } from './testdata/type-in.ts';

const entries: CommandEntry[] = [
  {
    name: 'greet',
    summary: 'say hello',
    load: async () => (command, context) => {
      command
        .command('one')
        .argument('<name>')
        .option('-o, --output <format>')
        .action((name: string) => {
          if (name === 'nobody') throw new ArgosyError('denied', 'nobody is not greeted', { hint: 'name somebody' });
          context.print(`hello ${name}\n`);
        });
    },
  },
  { name: 'never', summary: 'not loaded', load: () => Promise.reject(new Error('loaded without need')) },
];

const run = (...argv: string[]): Promise<Seen> => typeIn(argv, entries, { version: '1.2.3' });

test('--version prints the version', async () =>
  assert.deepEqual(await run('--version'), { code: 0, out: '1.2.3\n', err: '' }));

test('no argument prints the help', async () => {
  const { code, out } = await run();
  assert.equal(code, 0);
  assert.match(out, /greet\s+say hello/);
  assert.match(out, /Examples:/);
});

test('an unknown command exits 2 with a hint', async () => {
  const { code, err } = await run('gret');
  assert.equal(code, 2);
  assert.match(err, /unknown command 'gret'[\s\S]*Did you mean greet/);
  assert.match(err, /argosy --help/);
});

test('an unknown flag of a subcommand exits 2 with a hint', async () => {
  const { code, err } = await run('greet', 'one', 'x', '--outptu', 'json');
  assert.equal(code, 2);
  assert.match(err, /unknown option '--outptu'[\s\S]*--output/);
});

test('a surplus argument exits 2', async () => assert.equal((await run('greet', 'one', 'x', 'y')).code, 2));

test('every level has its help', async () => {
  assert.match((await run('greet', '--help')).out, /one/);
  assert.match((await run('help', 'greet')).out, /one/);
  assert.match((await run('greet', 'one', '--help')).out, /--output/);
});

test('only the typed command is loaded', async () => assert.equal((await run('greet', 'one', 'x')).out, 'hello x\n'));

test('our errors become a sentence and a hint', async () => {
  const { code, err } = await run('greet', 'one', 'nobody');
  assert.equal(code, 1);
  assert.equal(err, 'argosy: nobody is not greeted\n  name somebody\n');
});
