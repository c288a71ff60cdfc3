// Writes the CRDs to deploy/crds from the schemas beside this file: node tools/crds/main.ts
import { writeFileSync } from 'node:fs';
import { dump } from 'js-yaml';
import { application, applicationSet } from './application.ts';
import { appProject } from './project.ts';

/** The files of deploy/crds with what belongs into each. */
export const crds: readonly (readonly [file: string, crd: object])[] = [
  ['application.yaml', application],
  ['appproject.yaml', appProject],
  ['applicationset.yaml', applicationSet],
];

/** One CRD as YAML. */
export function printCrd(crd: object): string {
  return `# Written by tools/crds/main.ts; change the schemas there.\n${dump(crd, { noRefs: true, lineWidth: 120 })}`;
}

if (import.meta.main) {
  for (const [file, crd] of crds) writeFileSync(new URL(`../../deploy/crds/${file}`, import.meta.url), printCrd(crd));
}
