import type { Explanation } from '../../../core/policy/index.ts';

/** What the program exits with for each answer. */
export const exitCodes = { allowed: 0, denied: 1, unknown: 3 } as const;

/** An explanation for machines. */
export function printJson(subject: string, explanation: Explanation): string {
  const { verdict, message, refusals, facts, deciding, dropped, warnings, cluster, identity } = explanation;
  const numbered = facts.map((fact, i) => ({ number: i + 1, ...fact, deciding: i === deciding }));
  const value = {
    subject,
    verdict,
    message,
    refusals,
    cluster,
    identity,
    warnings,
    facts: numbered,
    factsLeftOut: dropped,
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** An explanation for people: the verdict, then the numbered facts, the deciding one marked. */
export function printText(subject: string, explanation: Explanation): string {
  const { verdict, refusals, warnings, facts, deciding, dropped } = explanation;
  const head = [`${subject}: ${verdict}`, ...said(explanation)];
  const width = String(facts.length).length;
  const lines = facts.flatMap((fact, i) => {
    const mark = i === deciding ? '→' : ' ';
    const revision = fact.revision === '' ? '' : ` @${fact.revision}`;
    const place = `${fact.object}${fact.field === '' ? '' : ` ${fact.field}`}${revision}`;
    const pad = ' '.repeat(width + 4);
    const rest = i === deciding && fact.change !== undefined ? [`${pad}to turn it: ${fact.change}`] : [];
    return [`${mark} ${String(i + 1).padStart(width)}. [${fact.step}] ${place}`, `${pad}${fact.compared}`, ...rest];
  });
  const cut = dropped === 0 ? [] : [`  (${dropped} further entries decide nothing)`];
  const also = refusals.slice(1).map(({ condition, message }) => `  also refused: ${condition}: ${message}`);
  const warned = warnings.map((warning) => `  warning: ${warning}`);
  return `${[...head, ...also, ...warned, '', ...lines, ...cut].join('\n')}\n`;
}

function said({ verdict, message, refusals }: Explanation): readonly string[] {
  const [first] = refusals;
  return [verdict === 'allowed' || first === undefined ? `  ${message}` : `  ${first.condition}: ${message}`];
}
