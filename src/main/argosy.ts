import { type CommandContext, commands, runProgram } from '../cli/index.ts';
import { argumentsOf, environment, packageVersion } from '../config/index.ts';
import { serverCommands } from './servers.ts';

// A closed pipe (`argosy … | head`) is no error.
process.stdout.on('error', () => process.exit(0));

const stop = new AbortController();
let asked = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The first asks; a second, from someone who will not wait, ends it.
    if (asked++ > 0) process.exit(130);
    stop.abort();
  });
}

// The loop is empty, all is done. Node would take its environment apart now, and rarely spins there for ever on a request
// of a connection that is long closed.
process.once('beforeExit', (code) => process.exit(code));

const context: CommandContext = {
  print: (text) => void process.stdout.write(text),
  warn: (text) => void process.stderr.write(`${text}\n`),
  signal: stop.signal,
  env: environment(),
  cwd: process.cwd(),
  version: packageVersion(),
  exitCode: 0,
};
process.exitCode = await runProgram(argumentsOf(), [...serverCommands, ...commands], context);
