import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRepositoryUrl } from './url.ts';

const accepted: [text: string, given: string, key: string][] = [
  ['https://git.example/team/app.git', 'https://git.example/team/app.git', 'https://git.example/team/app'],
  ['https://GIT.Example:443/Team/App/', 'https://git.example/Team/App/', 'https://git.example/Team/App'],
  ['https://git.example:8443/a', 'https://git.example:8443/a', 'https://git.example:8443/a'],
  ['https://[2001:db8::1]/a/b', 'https://[2001:db8::1]/a/b', 'https://[2001:db8::1]/a/b'],
  ['http://git.example/a', 'http://git.example/a', 'http://git.example/a'],
  ['git@git.example:team/app.git', 'ssh://git@git.example/team/app.git', 'ssh://git@git.example/team/app'],
  ['ssh://git@git.example:22/team/app', 'ssh://git@git.example/team/app', 'ssh://git@git.example/team/app'],
  ['ssh://git@git.example:2222/team/app', 'ssh://git@git.example:2222/team/app', 'ssh://git@git.example:2222/team/app'],
  ['git.example:team/app', 'ssh://git@git.example/team/app', 'ssh://git@git.example/team/app'],
  ['file:///srv/repos/a.git', 'file:///srv/repos/a.git', 'file:///srv/repos/a'],
];
for (const [text, given, key] of accepted)
  test(`reads ${text}`, () => {
    const url = parseRepositoryUrl(text);
    assert.deepEqual([url.text, url.key], [given, key]);
  });

// T-041, AC-35, RE-19, KU-14, AC-72, JS-03
const refused = [
  '',
  '-oProxyCommand=evil',
  '--upload-pack=evil',
  'ext::sh -c evil',
  'ext::sh',
  'fd::7',
  'git::https://git.example/a',
  'https://good.example@evil.example/a',
  'https://user:canary-password@git.example/a',
  'https://git.example/a?token=canary-password',
  'https://git.example/a#x',
  'https://git.example/../a',
  'https://git.example/a/..',
  'https://git.example/%2e%2e/a',
  'https://git.example/a%2fb',
  'https://git.example/a%0ahost=evil',
  'https://git.example/a\nb',
  'https://git.example/a\0b',
  'https://git.example/a b',
  'https://git.example/-u',
  'https://git.exa mple/a',
  'https://git.example:99999/a',
  'https://git.example:80x/a',
  'https:///a',
  'https://git.example',
  'https://git.example/',
  'https://git.example\\@evil/a',
  'https://evil.example/a|b',
  'https://gіt.example/a',
  'ssh://-oProxyCommand=evil/a',
  'ssh://git@-oProxyCommand=evil/a',
  'ssh://git:canary-password@git.example/a',
  'ssh://$(evil)@git.example/a',
  "ssh://git@git.example/a'b",
  'git@-evil:a',
  'git@host:-u',
  'git@host:../a',
  'javascript:alert(1)',
  'git://git.example/a',
  'ftp://git.example/a',
  '/srv/repos/a',
  './a',
  'file://host/a',
  'file:///a/../b',
  `https://git.example/${'a'.repeat(3000)}`,
];
for (const text of refused)
  test(`T-041: refuses ${JSON.stringify(text.slice(0, 60))} before git runs, without repeating it`, () => {
    assert.throws(
      () => parseRepositoryUrl(text),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'git-refused');
        assert.doesNotMatch(error.message, /canary|evil/);
        return true;
      },
    );
  });
