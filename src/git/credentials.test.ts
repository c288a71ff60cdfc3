import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repositorySecret } from '../../test/support/git-credential.ts';
import { selectCredential } from './credentials.ts';

const url = 'https://git.example/team-a/app';
const own = repositorySecret('own', { url, project: 'team-a', password: 'p' });
const open = repositorySecret('open', { url: `${url}.git`, password: 'p' });
const foreign = repositorySecret('foreign', { url, project: 'team-b', password: 'p' });
const bare = repositorySecret('bare', { url, project: 'team-a' });
const template = (name: string, prefix: string): ReturnType<typeof repositorySecret> =>
  repositorySecret(name, { url: prefix, password: 'p' }, 'repo-creds');

const rows: [
  title: string,
  secrets: ReturnType<typeof repositorySecret>[],
  repository: string | undefined,
  login: string | undefined,
][] = [
  ['nothing where there is nothing', [], undefined, undefined],
  ["the project's own before one for all", [open, own], 'own', 'own'],
  ['one for all', [foreign, open], 'open', 'open'],
  ["never another project's", [foreign], undefined, undefined],
  [
    'a template where the repository has no credential',
    [bare, template('t', 'https://git.example/team-a')],
    'bare',
    't',
  ],
  ['no template where the repository has one', [own, template('t', 'https://git.example/team-a')], 'own', 'own'],
  [
    'the longest template',
    [
      template('host', 'https://git.example'),
      template('team', 'https://git.example/team-a'),
      template('other', 'https://git.example/team-b'),
    ],
    undefined,
    'team',
  ],
  [
    'no template that ends inside a name of the path',
    [template('t', 'https://git.example/team')],
    undefined,
    undefined,
  ],
  ['no template of a host that only begins alike', [template('t', 'https://git.exam')], undefined, undefined],
  ['no template for another scheme', [template('t', 'http://git.example')], undefined, undefined],
  ['a template that ends with a slash', [template('t', 'https://git.example/team-a/')], undefined, 't'],
  ['no template without a host', [template('t', 'https://')], undefined, undefined],
  [
    'no Helm repository of the same address',
    [repositorySecret('h', { url, type: 'helm', password: 'p' })],
    undefined,
    undefined,
  ],
];
for (const [title, secrets, repository, login] of rows)
  test(`selects ${title}`, () => {
    for (const order of [secrets, secrets.toReversed()]) {
      const chosen = selectCredential({ project: 'team-a', url }, order);
      assert.deepEqual([chosen.repository?.secret, chosen.login?.secret], [repository, login]);
    }
  });

test('T-040: a credential for a host is never sent to a host that begins with its name', () => {
  const secrets = [template('t', 'https://git.example'), template('s', 'git@git.example')];
  for (const evil of [
    'https://git.example.evil/x',
    'https://git.examples/x',
    'https://git.example:8443/x',
    'git@git.example.evil:x',
    'https://git.example@evil/x',
  ])
    assert.equal(selectCredential({ project: 'team-a', url: evil }, secrets).login, undefined, evil);
  assert.equal(selectCredential({ project: 'team-a', url: 'git@git.example:a/b' }, secrets).login?.secret, 's');
});

test('two who use different credentials never share a scope, two who use the same one do', () => {
  const scope = (project: string): string => selectCredential({ project, url }, [own, open, foreign]).scope;
  assert.notEqual(scope('team-a'), scope('team-b'));
  assert.equal(scope('team-c'), scope('team-d'));
  assert.notEqual(scope('team-c'), selectCredential({ project: 'team-c', url }, []).scope);
});

test('whatever the Secrets, none of another project is chosen', () => {
  const secret = fc.record({
    project: fc.constantFrom('', 'team-a', 'team-b'),
    path: fc.constantFrom('', '/team-a', '/team-a/app'),
    isTemplate: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(secret, { maxLength: 8 }), (list) => {
      const secrets = list.map(({ project, path, isTemplate }, index) =>
        repositorySecret(
          `s${index}`,
          { url: `https://git.example${path}`, project, password: 'p' },
          isTemplate ? 'repo-creds' : 'repository',
        ),
      );
      const { repository, login } = selectCredential({ project: 'team-a', url }, secrets);
      for (const chosen of [repository, login]) assert.ok(chosen === undefined || chosen.project !== 'team-b');
    }),
  );
});
