import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { normalizeRepositoryUrl } from './index.ts';

test('addresses of one repository have one form', () => {
  const rows: readonly [string, string][] = [
    ['https://G/X.git', 'https://g/x'],
    [' https://git.example.com/team/app ', 'https://git.example.com/team/app'],
    ['git@github.com:Foo/Bar.git', 'git@github.com/foo/bar'],
    ['ssh://git@github.com/foo/bar', 'git@github.com/foo/bar'],
    ['ssh://git@host:2222/foo.git', 'git@host:2222/foo'],
    ['https://user@host/x', 'https://user@host/x'],
    ['https://host/x/', 'https://host/x/'],
    ['https://host/x.git/', 'https://host/x.git/'],
    ['oci://registry.example.com/charts', 'oci://registry.example.com/charts'],
    ['registry.example.com/charts', 'registry.example.com/charts'],
    ['https://git.example.com/team/*', 'https://git.example.com/team/*'],
    ['https://git.example.com/team/**', 'https://git.example.com/team/**'],
    ['https://host/{a,b}/*', 'https://host/%7Ba,b%7D/%2A'],
    ['https://*.example.com/x', 'https://*.example.com/x'],
  ];
  for (const [written, wanted] of rows) assert.equal(normalizeRepositoryUrl(written), wanted, written);
});

test('what is no address has no form, so two of them never match each other', () => {
  const none = ['', ' ', 'https://[x/y', 'https://host/%zz', ':x', 'https://ho st/x', 'https://h:port/x', 'a\nb'];
  for (const written of [...none, `https://h/${'x'.repeat(5000)}`]) {
    assert.equal(normalizeRepositoryUrl(written), undefined, written);
  }
});

test('the form of an ordinary address is its own form', () => {
  const part = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,8}$/);
  const url = fc
    .tuple(part, fc.array(part, { minLength: 1, maxLength: 4 }))
    .map(([host, path]) => `https://${host}.example.com/${path.join('/')}`);
  fc.assert(
    fc.property(url, (written) => {
      assert.equal(normalizeRepositoryUrl(written), written);
      assert.equal(normalizeRepositoryUrl(`${written.toUpperCase()}.git`), written);
    }),
  );
});

test('any text is answered, none throws', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (written) => {
      const form = normalizeRepositoryUrl(written);
      assert.ok(form === undefined || typeof form === 'string');
    }),
  );
});
