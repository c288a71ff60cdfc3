import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRefs } from './refs.ts';
import { checkRevision, findRevision } from './revision.ts';

const id = (letter: string): string => letter.repeat(40);
const refs = parseRefs(
  [
    `ref: refs/heads/main\tHEAD`,
    `${id('a')}\tHEAD`,
    `${id('a')}\trefs/heads/main`,
    `${id('b')}\trefs/heads/same`,
    `${id('c')}\trefs/tags/same`,
    `${id('d')}\trefs/tags/v1.2`,
    `${id('1')}\trefs/tags/v1.3.0`,
    `${id('e')}\trefs/tags/v1.3.0^{}`,
    `${id('2')}\trefs/tags/app-1.4.0`,
    `${id('3')}\trefs/tags/app-v1.5.0`,
    `${id('f')}\trefs/pull/7/head`,
    `${id('0')}\trefs/heads/deadbeef`,
    '',
  ].join('\n'),
);

const rows: [revision: string, commit: string | undefined, kind: string | undefined][] = [
  ['HEAD', id('a'), 'head'],
  ['', id('a'), 'head'],
  ['main', id('a'), 'branch'],
  ['same', id('b'), 'branch'],
  ['refs/tags/same', id('c'), 'tag'],
  ['tags/same', id('c'), 'tag'],
  ['v1.2', id('d'), 'tag'],
  ['v1.3.0', id('e'), 'tag'],
  ['1.*', id('e'), 'version'],
  ['^1.2', id('e'), 'version'],
  ['refs/pull/7/head', id('f'), 'ref'],
  ['deadbeef', id('0'), 'branch'],
  ['v9', undefined, undefined],
  ['>=9', undefined, undefined],
  ['__proto__', undefined, undefined],
];
for (const [revision, commit, kind] of rows)
  test(`the revision ${JSON.stringify(revision)} leads to ${commit?.slice(0, 3) ?? 'nothing'}`, () => {
    const found = findRevision(refs, revision);
    assert.deepEqual(found && 'commit' in found ? [found.commit, found.kind] : [undefined, undefined], [commit, kind]);
  });

test('seven or more hexadecimal letters may be a short commit', () => {
  assert.deepEqual(findRevision(refs, 'ABCDEF0'), { kind: 'abbreviated', prefix: 'abcdef0' });
  assert.equal(findRevision(refs, 'abcdef'), undefined);
});

const prefixed: [revision: string, commit: string | undefined][] = [
  ['1.x', id('3')],
  ['1.4.0', id('2')],
  ['v1.5.0', id('3')],
  ['v1.3.0', undefined],
  ['~1.4', id('2')],
  ['main', id('a')],
  ['HEAD', id('a')],
];
for (const [revision, commit] of prefixed)
  test(`with the tag prefix app- the revision ${revision} leads to ${commit?.slice(0, 3) ?? 'nothing'}`, () => {
    const found = findRevision(refs, revision, 'app-');
    assert.equal(found && 'commit' in found ? found.commit : undefined, commit);
  });

// T-042, KU-01
const refused = [
  '-x',
  '--upload-pack=evil',
  'a..b',
  'main@{1}',
  'a\0b',
  'a\nb',
  'a:b',
  '../../x',
  '/etc',
  'x.lock',
  'a//b',
  'a/',
  'a\\b',
  'a?',
  'a[b',
  'refs/heads/.x',
  'x'.repeat(2000),
];
for (const revision of refused)
  test(`T-042: refuses the revision ${JSON.stringify(revision.slice(0, 40))} before git runs`, () => {
    assert.throws(() => checkRevision(revision), { code: 'git-revision' });
  });
