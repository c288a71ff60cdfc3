import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isForbiddenAddress } from './address.ts';
import { createOutbound } from './outbound.ts';
import { parseRepositoryUrl } from './url.ts';

test('knows this machine, its link and metadata services in all their spellings', () => {
  const forbidden = [
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '169.254.169.254',
    '169.254.1.1',
    '224.0.0.1',
    '255.255.255.255',
    '100.100.100.200',
    '168.63.129.16',
    '::',
    '::1',
    'fe80::1',
    'febf::1',
    'ff02::1',
    'fd00:ec2::254',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '2002:7f00:1::',
    '::ffff:169.254.169.254',
    'not an address',
    '',
  ];
  const allowed = [
    '10.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '8.8.8.8',
    '100.64.0.1',
    '2606:4700::1',
    'fd12::1',
    '::ffff:10.0.0.1',
    '64:ff9b::808:808',
  ];
  assert.deepEqual(
    forbidden.filter((address) => !isForbiddenAddress(address)),
    [],
  );
  assert.deepEqual(allowed.filter(isForbiddenAddress), []);
});

const rows: [title: string, url: string, addresses: string[], allowed: string[], code: string | undefined][] = [
  ['a public host', 'https://git.example/a', ['8.8.8.8'], [], undefined],
  ['a private host', 'https://git.example/a', ['10.1.2.3'], [], undefined],
  ['a name that leads to loopback', 'https://git.example/a', ['127.0.0.1'], [], 'git-refused'],
  [
    'a name with one forbidden address among good ones',
    'https://git.example/a',
    ['8.8.8.8', '169.254.169.254'],
    [],
    'git-refused',
  ],
  ['a literal address', 'https://127.0.0.1/a', [], [], 'git-refused'],
  ['an IPv6 loopback', 'https://[::1]/a', [], [], 'git-refused'],
  ['a short form of loopback', 'https://127.1/a', ['127.0.0.1'], [], 'git-refused'],
  ['ssh to metadata', 'git@169.254.169.254:a/b', [], [], 'git-refused'],
  ['a listed host', 'https://127.0.0.1:8443/a', [], ['127.0.0.1:8443'], undefined],
  ['a listed host on another port', 'https://127.0.0.1:8444/a', [], ['127.0.0.1:8443'], 'git-refused'],
  ['a listed host on any port', 'https://127.0.0.1:8444/a', [], ['127.0.0.1'], undefined],
  ['a listed IPv6 host', 'https://[::1]:8444/a', [], ['[::1]:*'], undefined],
  ['a listed pattern', 'https://git.corp.example/a', ['127.0.0.1'], ['*.corp.example'], undefined],
  ['plain http', 'http://git.example/a', ['8.8.8.8'], [], 'git-refused'],
  ['listed plain http', 'http://git.example/a', ['8.8.8.8'], ['git.example'], undefined],
  ['a file', 'file:///a/b', [], [], 'git-refused'],
  ['a file where only a host is listed', 'file:///a/b', [], ['*'], 'git-refused'],
  ['a listed file', 'file:///a/b', [], ['file:'], undefined],
  ['a name without addresses', 'https://git.example/a', [], [], 'git-unreachable'],
];
for (const [title, url, addresses, allowed, code] of rows)
  test(`D10: ${code === undefined ? 'permits' : 'refuses'} ${title}`, async () => {
    const outbound = createOutbound(
      () => allowed,
      async () => addresses,
    );
    const checked = outbound.check(parseRepositoryUrl(url));
    if (code === undefined) await checked;
    else await assert.rejects(checked, { code });
  });

test('KU-11: the name is resolved once; what was checked is what is connected to', async () => {
  let asked = 0;
  const outbound = createOutbound(
    () => [],
    async () => {
      asked += 1;
      return asked === 1 ? ['8.8.8.8'] : ['127.0.0.1'];
    },
  );
  assert.deepEqual(await outbound.check(parseRepositoryUrl('https://git.example/a')), ['8.8.8.8']);
  assert.equal(asked, 1);
});
