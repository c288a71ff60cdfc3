import { dump } from 'js-yaml';
import type { JsonObject } from '../../../../core/json/index.ts';
import type { MovedApplication, Plan } from './plan.ts';

/** The manifests as YAML, after the steps that put them in the place of the old objects. */
export function printRelocation(plan: Plan, policy: JsonObject | undefined, secrets: boolean): string {
  const objects = [
    ...(policy === undefined ? [] : [policy]),
    ...(secrets ? plan.secrets.map(({ object }) => object) : []),
    ...plan.applications.map(({ object }) => object),
  ];
  const manifests = objects.map((object) => `---\n${dump(object, { lineWidth: -1, noRefs: true })}`);
  return `${steps(plan)}${manifests.join('')}`;
}

function steps({ applications, secrets }: Plan): string {
  const lines = [
    `${applications.length} Applications and ${secrets.length} cluster Secrets for the control-plane namespace.`,
    '',
    '1. Sync every Application, with pruning: what is left to prune is not found again under the new name.',
    '2. Take their namespaces out of application.namespaces: the old ones are ignored from then on, nothing is deleted.',
    '3. Apply this file. The first sync of each Application marks its objects with the new name.',
    '4. Remove the old objects; their finalizers first, or what they deployed is deleted with them:',
    '',
    ...applications.flatMap(removal),
    ...secrets.map(({ from }) => `   kubectl delete secret ${from.secret} -n ${from.namespace}`),
  ];
  return lines.map((line) => (line === '' ? '#\n' : `# ${line}\n`)).join('');
}

function removal({ from, namespace }: MovedApplication): string[] {
  const object = `application ${from.metadata.name} -n ${namespace}`;
  return [
    `   kubectl patch ${object} --type=merge -p '{"metadata":{"finalizers":null}}'`,
    `   kubectl delete ${object}`,
  ];
}
