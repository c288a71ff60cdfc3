import type { Command } from 'commander';
import { ArgosyError } from '../../../core/errors/index.ts';
import {
  assembleSnapshot,
  type Explanation,
  explainAdmission,
  explainCluster,
  explainIdentity,
  explainSecret,
} from '../../../core/policy/index.ts';
import type { CommandContext } from '../../command.ts';
import { readObjects } from '../../objects/read-files.ts';
import { addFlags, ask, installationOf, type WhyFlags } from './options.ts';
import { exitCodes, printJson, printText } from './print.ts';
import { parseSubject, type SubjectFlags } from './subject.ts';

const exits = `
Exit code: 0 allowed, 1 denied, 2 wrong usage, 3 unknown.`;

/** Hangs the questions onto `argosy why`. */
export function register(command: Command, context: CommandContext): void {
  command.addHelpText('after', exits);
  allowedOrDenied(command, context, 'allowed', 'may this Application deploy, or manage this object');
  allowedOrDenied(command, context, 'denied', 'why this Application, or this object of it, is refused');
  question(command, context, {
    name: 'identity',
    summary: 'as whom are the requests of this Application made',
    example: 'argosy why identity -f ./objects team-a/shop --enable-impersonation',
    explain: explainIdentity,
  });
  question(command, context, {
    name: 'cluster',
    summary: 'which cluster does the destination of this Application mean',
    example: 'argosy why cluster -f ./objects team-a/shop',
    explain: explainCluster,
  });
  secretQuestion(command, context);
}

interface Question {
  readonly name: string;
  readonly summary: string;
  readonly example: string;
  readonly explain: typeof explainIdentity;
}

function question(command: Command, context: CommandContext, { name, summary, example, explain }: Question): void {
  addFlags(command.command(name).description(summary).argument('<application>', 'NAME or NAMESPACE/NAME'))
    .addHelpText('after', `\nExample:\n  ${example}\n${exits}`)
    .action(async (application: string, flags: WhyFlags) => {
      const asked = await ask(application, flags, context);
      answer(application, explain(asked.snapshot, asked.application), flags, context);
    });
}

function allowedOrDenied(command: Command, context: CommandContext, name: string, summary: string): void {
  addFlags(command.command(name).description(summary).argument('<application>', 'NAME or NAMESPACE/NAME'))
    .option('--object <object>', 'one object: [GROUP/]KIND:[NAMESPACE/]NAME')
    .option('--cluster-scoped', 'the kind of the object is cluster-scoped')
    .option('--unknown-kind', 'the cluster does not know the kind of the object')
    .addHelpText(
      'after',
      `\nExample:\n  argosy why ${name} -f ./objects team-a/shop --object apps/Deployment:team-a/web\n${exits}`,
    )
    .action(async (application: string, flags: WhyFlags & SubjectFlags) => {
      const asked = await ask(application, flags, context);
      const subject = parseSubject(flags);
      const about = subject === undefined ? application : `${application} ${flags.object ?? ''}`;
      answer(about, explainAdmission(asked.snapshot, asked.application, subject), flags, context);
    });
}

/** Not about an Application but about a tenant's cluster Secret: accepted, or the sentence of its Event. */
function secretQuestion(command: Command, context: CommandContext): void {
  addFlags(
    command.command('secret').description('is this cluster Secret accepted').argument('<secret>', 'NAMESPACE/NAME'),
  )
    .addHelpText(
      'after',
      `\nExample:\n  argosy why secret -f ./objects team-a/blue --application-namespaces 'team-*'\n${exits}`,
    )
    .action(async (name: string, flags: WhyFlags) => {
      if (flags.filename === undefined)
        throw new ArgosyError('usage', 'nothing to read: give -f with files or folders');
      const { snapshot, unreadable } = assembleSnapshot(
        await readObjects(flags.filename, context.cwd),
        installationOf(flags),
      );
      const secret = snapshot.clusters.find((cluster) => `${cluster.namespace}/${cluster.secret}` === name);
      if (secret !== undefined) return answer(name, explainSecret(snapshot, secret), flags, context);
      const broken = unreadable.find(({ object }) => object === `Secret ${name}`);
      throw broken === undefined
        ? new ArgosyError('usage', `there is no cluster Secret ${name} in a namespace that counts`)
        : new ArgosyError('denied', `Secret ${name} cannot be read: ${broken.reason}`);
    });
}

function answer(subject: string, explanation: Explanation, flags: WhyFlags, context: CommandContext): void {
  context.print(flags.output === 'json' ? printJson(subject, explanation) : printText(subject, explanation));
  context.exitCode = exitCodes[explanation.verdict];
}
