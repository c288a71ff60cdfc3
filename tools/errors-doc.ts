// Writes docs/errors.md from the catalogue of error codes: node tools/errors-doc.ts
import { writeFileSync } from 'node:fs';
import { catalogue } from '../src/core/errors/index.ts';

const rows = Object.entries(catalogue).map(([code, { fault, about }]) => `| \`${code}\` | ${fault} | ${about} |`);
writeFileSync(
  'docs/errors.md',
  `# Error codes

Every error of Argosy carries one of these codes, in logs, metrics and JSON output. The fault says who can mend it:
\`user\` (the input), \`denied\` (a rule or right), \`outside\` (a cluster, repository or the network), \`bug\` (Argosy).

| code | fault | what happened |
|---|---|---|
${rows.join('\n')}
`,
);
