import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../../command.ts';
import { readCaseFile } from './case-file.ts';
import { type CaseResult, runCase } from './run-case.ts';

const example = `
Example:
  argosy policy test policies/*.yaml

A file of cases:
  installation: {applicationNamespaces: ['team-*'], impersonation: true}
  given: [./projects, ./applications]
  cases:
  - name: team-a may not write to kube-system
    try: {application: team-a/shop, object: 'ConfigMap:kube-system/x'}
    expect: {verdict: denied, message: namespace kube-system is not permitted}

Exit code: 0 all cases hold, 1 some do not, 2 wrong usage.`;

/** Hangs `test` onto `argosy policy`. */
export function register(command: Command, context: CommandContext): void {
  command
    .command('test')
    .description('try cases against projects kept in files')
    .argument('<file...>', 'files of cases')
    .addOption(
      new Option('-o, --output <format>', 'text for people, json for machines')
        .choices(['text', 'json'])
        .default('text'),
    )
    .addHelpText('after', example)
    .action((files: readonly string[], flags: { readonly output: string }) => testFiles(files, flags.output, context));
}

interface FileResult {
  readonly file: string;
  readonly unreadable: readonly { readonly object: string; readonly reason: string }[];
  readonly results: readonly CaseResult[];
}

async function testFiles(files: readonly string[], output: string, context: CommandContext): Promise<void> {
  const all: FileResult[] = [];
  for (const file of files) {
    const { assembled, cases } = await readCaseFile(resolve(context.cwd, file));
    all.push({ file, unreadable: assembled.unreadable, results: cases.map((one) => runCase(assembled, one)) });
  }
  const failed = all.flatMap(({ results }) => results).filter(({ passed }) => !passed).length;
  const passed = all.flatMap(({ results }) => results).length - failed;
  context.print(
    output === 'json'
      ? `${JSON.stringify({ passed, failed, files: all.map(forMachines) }, undefined, 2)}\n`
      : printAll(all, passed, failed),
  );
  context.exitCode = failed === 0 ? 0 : 1;
}

function forMachines({ file, unreadable, results }: FileResult): object {
  const cases = results.map(({ name, passed, differences, explanation }) => ({
    name,
    passed,
    differences,
    verdict: explanation.verdict,
    message: explanation.message,
  }));
  return { file, unreadable, cases };
}

function printAll(all: readonly FileResult[], passed: number, failed: number): string {
  const lines = all.flatMap(({ file, unreadable, results }) => [
    file,
    ...unreadable.map(({ object, reason }) => `  ! ${object} was not read: ${reason}`),
    ...results.flatMap(printCase),
  ]);
  return `${[...lines, `${passed} passed, ${failed} failed`].join('\n')}\n`;
}

function printCase({ name, passed, differences, explanation }: CaseResult): readonly string[] {
  if (passed) return [`  ✓ ${name}`];
  const fact = explanation.deciding === undefined ? undefined : explanation.facts[explanation.deciding];
  const decided = fact === undefined ? [] : [`      decided by ${fact.object} ${fact.field}: ${fact.compared}`];
  return [`  ✗ ${name}`, ...differences.map((difference) => `      ${difference}`), ...decided];
}
