import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { toolsDirectory } from '../../config/index.ts';

test('the recorded scalars are what kubectl makes of them', () => {
  const file = (name: string): string => fileURLToPath(new URL(`./testdata/${name}`, import.meta.url));
  const args = ['annotate', '--local', '-f', file('scalars.yaml'), 'a=b', '-o', 'json'];
  const printed = execFileSync(join(toolsDirectory(), 'kubectl'), args, { encoding: 'utf8' });
  assert.equal(printed, readFileSync(file('scalars.json'), 'utf8'));
});
