import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const page = readFileSync('docs/guide/settings.md', 'utf8');
const production = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
const sources = production.map((file) => readFileSync(file, 'utf8')).join('\n');

/** Keys of ConfigMaps as the reader of settings is asked for them. */
const asked = [...sources.matchAll(/\b(?:keys\.\w+(?:<\w+>)?|seconds|data\.get)\(\s*'([A-Za-z]+(?:\.[A-Za-z]+)*)'/g)]
  .map(([, key = '']) => key)
  // Those of argocd-rbac-cm are spoken of as one.
  .filter((key) => !/^(policy\.|scopes$)/.test(key));

/** Keys the page tells of: the first column of its tables. */
const told = [...page.matchAll(/^\| (`[^|]*`) \|/gm)]
  .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, key = '']) => key))
  .filter((key) => !key.startsWith('….'));

test('every setting that is read is told of in docs/guide/settings.md', () => {
  assert.ok(asked.length > 40, 'the keys are found in the source');
  assert.deepEqual([...new Set(asked)].filter((key) => !page.includes(`\`${key}\``)).sort(), []);
});

test('every setting the page tells of is read', () => {
  assert.ok(told.length > 40, 'the keys are found in the page');
  const known = (key: string): boolean => sources.includes(`'${key.replace(/\.(health|actions)?\.?[A-Z]+$/, '')}`);
  assert.deepEqual(
    told.filter((key) => !known(key) && !/^kustomize\.path\./.test(key)),
    [],
  );
});
