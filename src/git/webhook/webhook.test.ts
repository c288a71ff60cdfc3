import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Hidden } from '../../core/api/index.ts';
import { isObject, type Json } from '../../core/json/index.ts';
import type { PushEvent, WebhookSecrets } from './event.ts';
import { concernsRepository, concernsRevision, looseRepositoryKey } from './match.ts';
import { readWebhook } from './read.ts';

const [before, after] = ['1'.repeat(40), '2'.repeat(40)];
const commits = [
  { added: ['a.yaml'], modified: ['b.yaml'], removed: [] },
  { added: [], modified: ['b.yaml'], removed: ['c.yaml'] },
];
const sign = (body: string, key = 'secret'): string => createHmac('sha256', key).update(body).digest('hex');

interface Row {
  readonly headers: Record<string, string>;
  readonly payload: Json;
  readonly secrets: WebhookSecrets;
  readonly proof: (body: string) => Record<string, string>;
  readonly url: string;
  readonly files: string[] | undefined;
}

const rows: Record<string, Row> = {
  github: {
    headers: { 'x-github-event': 'push' },
    payload: {
      ref: 'refs/heads/main',
      before,
      after,
      repository: { html_url: 'https://github.com/team/app', default_branch: 'main' },
      commits,
    },
    secrets: { 'github.secret': new Hidden('secret') },
    proof: (body) => ({ 'x-hub-signature-256': `sha256=${sign(body)}` }),
    url: 'git@github.com:Team/App.git',
    files: ['a.yaml', 'b.yaml', 'c.yaml'],
  },
  gogs: {
    headers: { 'x-gogs-event': 'push', 'x-github-event': 'push' },
    payload: {
      ref: 'refs/heads/main',
      before,
      after,
      repository: { html_url: 'https://gogs.example/team/app', default_branch: 'main' },
      commits,
    },
    secrets: { 'gogs.secret': new Hidden('secret') },
    proof: (body) => ({ 'x-gogs-signature': sign(body) }),
    url: 'https://gogs.example/team/app.git',
    files: ['a.yaml', 'b.yaml', 'c.yaml'],
  },
  gitlab: {
    headers: { 'x-gitlab-event': 'Push Hook' },
    payload: {
      ref: 'refs/heads/main',
      before,
      after,
      project: { web_url: 'https://gitlab.example/team/app', default_branch: 'main' },
      commits,
    },
    secrets: { 'gitlab.secret': new Hidden('secret') },
    proof: () => ({ 'x-gitlab-token': 'secret' }),
    url: 'ssh://git@gitlab.example:2222/team/app.git',
    files: ['a.yaml', 'b.yaml', 'c.yaml'],
  },
  bitbucket: {
    headers: { 'x-event-key': 'repo:push' },
    payload: {
      push: {
        changes: [
          {
            new: { type: 'branch', name: 'main', target: { hash: after } },
            old: { type: 'branch', name: 'main', target: { hash: before } },
          },
        ],
      },
      repository: { links: { html: { href: 'https://bitbucket.org/team/app' } } },
    },
    secrets: { 'bitbucket.uuid': new Hidden('{secret}') },
    proof: () => ({ 'x-hook-uuid': '{secret}' }),
    url: 'git@bitbucket.org:team/app.git',
    files: undefined,
  },
  bitbucketserver: {
    headers: { 'x-event-key': 'repo:refs_changed' },
    payload: {
      changes: [{ ref: { id: 'refs/heads/main' }, fromHash: before, toHash: after }],
      repository: {
        links: {
          clone: [
            { href: 'https://bb.example/scm/team/app.git', name: 'http' },
            { href: 'ssh://git@bb.example:7999/team/app.git' },
          ],
        },
      },
    },
    secrets: { 'bitbucketserver.secret': new Hidden('secret') },
    proof: (body) => ({ 'x-hub-signature': `sha256=${sign(body)}` }),
    url: 'ssh://git@bb.example:7999/team/app.git',
    files: undefined,
  },
  azuredevops: {
    headers: { 'x-vss-activityid': '1' },
    payload: {
      eventType: 'git.push',
      resource: {
        refUpdates: [{ name: 'refs/heads/main', oldObjectId: before, newObjectId: after }],
        repository: { remoteUrl: 'https://dev.azure.com/org/project/_git/app', defaultBranch: 'refs/heads/main' },
      },
    },
    secrets: { 'azuredevops.username': new Hidden('u'), 'azuredevops.password': new Hidden('p') },
    proof: () => ({ authorization: `Basic ${Buffer.from('u:p').toString('base64')}` }),
    url: 'https://dev.azure.com/org/project/_git/app',
    files: undefined,
  },
};

for (const [provider, row] of Object.entries(rows)) {
  const body = JSON.stringify(row.payload);
  const send = (extra: Record<string, string>, secrets: WebhookSecrets, text = body) =>
    readWebhook(
      {
        headers: { ...row.headers, ...(provider === 'bitbucket' ? { 'x-hook-uuid': 'x' } : {}), ...extra },
        body: Buffer.from(text),
      },
      secrets,
    );

  test(`reads a push of ${provider}`, () => {
    for (const answer of [send({}, {}), send(row.proof(body), row.secrets)]) {
      assert.ok(answer.ok && answer.event);
      const { event } = answer;
      assert.equal(event.provider, provider);
      assert.deepEqual(event.refs, [{ ref: 'refs/heads/main', before, after }]);
      assert.deepEqual(event.files, row.files);
      assert.ok(event.defaultBranchMoved);
      assert.ok(concernsRepository(event, row.url));
      assert.ok(!concernsRepository(event, `${row.url}x`));
    }
  });

  test(`refuses ${provider} without or with a wrong proof, before it parses`, () => {
    for (const text of [body, 'not json'])
      for (const extra of [
        {},
        {
          'x-hub-signature-256': 'sha256=00',
          'x-hub-signature': 'sha256=zz',
          'x-gogs-signature': '',
          'x-gitlab-token': 'secre',
          ...(provider === 'bitbucket' && { 'x-hook-uuid': '{x}' }),
          authorization: 'Basic dTpx',
        },
      ])
        assert.deepEqual({ ...send(extra, row.secrets, text), message: '' }, { ok: false, status: 401, message: '' });
    const changed = send(row.proof(body), row.secrets, `${body} `);
    if (['github', 'gogs', 'bitbucketserver'].includes(provider)) assert.equal(changed.ok, false);
  });

  test(`AC-49…AC-52: any shape of a ${provider} payload gets an answer`, () => {
    const wrong: Json[] = [null, 0, '', [], {}, 'x', [null], { __proto__: null }];
    const visit = (node: Json, replace: (by: Json) => Json): void => {
      for (const by of wrong) {
        const answer = send({}, {}, JSON.stringify(replace(by)));
        assert.ok(answer.ok);
        for (const url of answer.event?.urls ?? []) assert.equal(typeof url, 'string');
      }
      if (Array.isArray(node))
        for (const [index, item] of node.entries()) visit(item, (by) => replace(node.toSpliced(index, 1, by)));
      if (!isObject(node)) return;
      for (const [key, item] of Object.entries(node)) {
        visit(item, (by) => replace({ ...node, [key]: by }));
        const { [key]: _, ...rest } = node;
        send({}, {}, JSON.stringify(replace(rest)));
      }
    };
    visit(row.payload, (by) => by);
  });
}

test('events that are no pushes are taken and do nothing', () => {
  for (const headers of [
    { 'x-github-event': 'ping' },
    { 'x-gitlab-event': 'Issue Hook' },
    { 'x-event-key': 'diagnostics:ping' },
    { 'x-gogs-event': 'fork' },
  ])
    assert.deepEqual(readWebhook({ headers, body: Buffer.from('{}') }, {}), { ok: true, event: undefined });
});

test('unknown senders, oversized bodies and bodies that are no JSON are refused', () => {
  const status = (headers: Record<string, string>, body: string, max?: number): number => {
    const answer = readWebhook({ headers, body: Buffer.from(body) }, {}, max);
    return answer.ok ? 200 : answer.status;
  };
  assert.equal(status({}, '{}'), 400);
  assert.equal(status({ 'x-github-event': 'push' }, '{'), 400);
  assert.equal(status({ 'x-github-event': 'push' }, '{"a":1}', 5), 413);
  assert.equal(status({ 'x-github-event': 'push' }, `${'['.repeat(100_000)}`), 400);
});

const event = (refs: string[], defaultBranchMoved = false): PushEvent => ({
  provider: 'github',
  urls: ['https://github.com/team/app'],
  refs: refs.map((ref) => ({ ref, before: undefined, after: undefined })),
  defaultBranchMoved,
  files: undefined,
});
const revisions: [refs: string[], revision: string, concerned: boolean][] = [
  [['refs/heads/main'], 'main', true],
  [['refs/heads/main'], 'refs/heads/main', true],
  [['refs/heads/main'], 'other', false],
  [['refs/heads/team/x'], 'team/x', true],
  [['refs/tags/v1.2.3'], '1.x', true],
  [['refs/tags/v1.2.3'], 'v1.2.3', true],
  [['refs/tags/v1.2.3'], '2.x', false],
  [['refs/heads/main'], 'HEAD', false],
];
for (const [refs, revision, concerned] of revisions)
  test(`a push of ${refs.join()} ${concerned ? 'concerns' : 'does not concern'} ${revision}`, () => {
    assert.equal(concernsRevision(event(refs), revision), concerned);
    assert.equal(concernsRevision(event(refs, true), 'HEAD'), true);
  });

test('FL-01: addresses full of pattern letters match themselves only, in time that follows their length', () => {
  const evil = `https://github.com/${'(a+)+'.repeat(300)}$`;
  assert.ok(
    !concernsRepository(
      { ...event([]), urls: [evil, '.*', 'https://github.com/.*/.*', '(', ''] },
      'https://github.com/team/app',
    ),
  );
  assert.equal(looseRepositoryKey('https://user:pw@GitHub.com:443/Team/App.git/'), 'github.com/team/app');
  assert.equal(looseRepositoryKey('git@ssh.dev.azure.com:v3/o/p/r'), 'dev.azure.com/v3/o/p/r');
  fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => void looseRepositoryKey(text)));
});
