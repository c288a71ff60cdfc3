import type { Command } from 'commander';
import { ArgosyError, isArgosyError } from '../../../core/errors/index.ts';
import {
  type Explanation,
  explainAdmission,
  explainCluster,
  explainIdentity,
  explainSecret,
} from '../../../core/policy/index.ts';
import { scrub } from '../../../telemetry/index.ts';
import type { CommandContext } from '../../command.ts';
import { addFlags, ask, assemble, type WhyFlags } from './options.ts';
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
    .action(
      answering(context, async (application: string, flags: WhyFlags) => {
        const asked = await ask(application, flags, context);
        answer(application, explain(asked.snapshot, asked.application), flags, context);
      }),
    );
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
    .action(
      answering(context, async (application: string, flags: WhyFlags & SubjectFlags) => {
        const asked = await ask(application, flags, context);
        const subject = parseSubject(flags);
        const about = subject === undefined ? application : `${application} ${flags.object ?? ''}`;
        answer(about, explainAdmission(asked.snapshot, asked.application, subject), flags, context);
      }),
    );
}

/** Not about an Application but about a tenant's cluster Secret: accepted, or the sentence of its Event. */
function secretQuestion(command: Command, context: CommandContext): void {
  addFlags(
    command.command('secret').description('is this cluster Secret accepted').argument('<secret>', 'NAMESPACE/NAME'),
  )
    .addHelpText(
      'after',
      `\nExamples:\n  argosy why secret team-a/blue --kubeconfig ~/.kube/config\n  argosy why secret -f ./objects team-a/blue --application-namespaces 'team-*'\n${exits}`,
    )
    .action(
      answering(context, async (name: string, flags: WhyFlags) => {
        const key = /^([^/]+)\/[^/]+$/.exec(name);
        if (key === null) throw new ArgosyError('usage', `${name} is not NAMESPACE/NAME`);
        const [, namespace = ''] = key;
        const { snapshot, unreadable } = await assemble({ namespace }, flags, context);
        const secret = snapshot.clusters.find((cluster) => `${cluster.namespace}/${cluster.secret}` === name);
        if (secret !== undefined) return answer(name, explainSecret(snapshot, secret), flags, context);
        const broken = unreadable.find(({ object }) => object === `Secret ${name}`);
        if (broken !== undefined) throw new ArgosyError('denied', `Secret ${name} cannot be read: ${broken.reason}`);
        const unread = snapshot.unread?.get(namespace);
        if (unread !== undefined) throw new ArgosyError('unknown', unread);
        throw new ArgosyError('usage', `there is no cluster Secret ${name} in a namespace that counts`);
      }),
    );
}

/** Runs a handler; what could not be read is no refusal and exits as unknown. */
function answering<Input extends unknown[]>(
  context: CommandContext,
  handler: (...input: Input) => Promise<void>,
): (...input: Input) => Promise<void> {
  return (...input) =>
    handler(...input).catch((error: unknown) => {
      if (!isArgosyError(error) || !(error.fault === 'outside' || error.code === 'kube-forbidden')) throw error;
      const hint = error.code === 'kube-forbidden' ? readingHint : error.hint;
      context.warn(`argosy: ${scrub(error.message)}${hint === undefined ? '' : `\n  ${hint}`}`);
      context.exitCode = exitCodes.unknown;
    });
}

const readingHint =
  'to explain it you must be able to read the projects, settings and cluster Secrets that decide; what was refused stands in the conditions of the Application, too';

function answer(subject: string, explanation: Explanation, flags: WhyFlags, context: CommandContext): void {
  context.print(flags.output === 'json' ? printJson(subject, explanation) : printText(subject, explanation));
  context.exitCode = exitCodes[explanation.verdict];
}
