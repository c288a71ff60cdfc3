import assert from 'node:assert/strict';
import type { Http2ServerResponse } from 'node:http2';
import { after, test } from 'node:test';
import { startRelay } from '../testdata/relay.ts';
import {
  answer,
  configMap,
  configMaps,
  type Handler,
  listOf,
  type Scripted,
  startScripted,
  status,
} from '../testdata/scripted-server.ts';
import type { Following } from '../types.ts';

const closers: (() => Promise<void> | void)[] = [];
after(async () => {
  for (const close of closers) await close();
});

interface Script {
  /** Answers the lists in order; the last one again and again. */
  readonly lists: readonly ((response: Http2ServerResponse) => void)[];
  readonly watches: readonly ((response: Http2ServerResponse) => void)[];
}

interface Story {
  readonly server: Scripted;
  readonly seen: string[];
  readonly asked: string[];
  readonly follow: (change?: {
    server?: string;
    pingMs?: number;
    silenceMs?: number;
    broken?: 'retry' | 'stop';
  }) => Following;
  readonly until: (text: string) => Promise<void>;
}

async function story(script: Script): Promise<Story> {
  const [seen, asked]: [string[], string[]] = [[], []];
  let [lists, watches] = [0, 0];
  const handler: Handler = (request, response) => {
    const url = new URL(request.url, 'https://h');
    const version = url.searchParams.get('resourceVersion') ?? 'newest';
    const watching = url.searchParams.get('watch') === 'true';
    asked.push(`${watching ? 'watch' : 'list'} ${version}`);
    const answers = watching ? script.watches : script.lists;
    const turn = watching ? watches++ : lists++;
    answers[Math.min(turn, answers.length - 1)]?.(response);
  };
  const server = await startScripted(handler);
  closers.push(() => server.close());
  const follow: Story['follow'] = (change = {}) => {
    const connection = server.connect(
      { random: () => 0, pingMs: change.pingMs },
      change.server === undefined ? {} : { server: change.server },
    );
    const following = connection.follow(
      configMaps,
      { silenceMs: change.silenceMs },
      {
        restart: () => seen.push('restart'),
        upsert: (object) => seen.push(`+${object.metadata.name}`),
        remove: (object) => seen.push(`-${object.metadata.name}`),
        complete: (version) => seen.push(`complete ${version}`),
        broken: (error) => {
          seen.push(`broken ${(error as { code?: string }).code}`);
          return change.broken ?? 'retry';
        },
      },
    );
    closers.push(() => following.stop());
    return following;
  };
  const until = async (text: string): Promise<void> => {
    while (!seen.includes(text) && !asked.includes(text)) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { server, seen, asked, follow, until };
}

const listing =
  (...names: string[]) =>
  (response: Http2ServerResponse) =>
    answer(response, 200, listOf(names.map((name) => configMap(name))));
const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
const bookmark = (version: string): string =>
  line('BOOKMARK', { kind: 'ConfigMap', metadata: { resourceVersion: version } });
const hold =
  (...lines: string[]) =>
  (response: Http2ServerResponse) => {
    response.writeHead(200);
    response.write(`${lines.join('')}\n`);
  };
const close =
  (...lines: string[]) =>
  (response: Http2ServerResponse) => {
    response.writeHead(200);
    response.end(lines.join(''));
  };

test('lists, then tells every change in order, and each bookmark', async () => {
  const { follow, seen, asked, until } = await story({
    lists: [listing('a', 'b')],
    watches: [hold(line('ADDED', configMap('c', '11')), line('DELETED', configMap('a', '12')), bookmark('20'))],
  });
  const following = follow();
  await until('complete 20');
  assert.deepEqual(seen, ['restart', '+a', '+b', 'complete 10', '+c', '-a', 'complete 20']);
  assert.deepEqual(asked, ['list 0', 'watch 10']);
  following.stop();
  await following.done;
});

test('a watch that the server closes is resumed where it was, without a list', async () => {
  const { follow, seen, asked, until } = await story({
    lists: [listing()],
    watches: [
      close(line('ADDED', configMap('a', '11'))),
      close(bookmark('15')),
      hold(line('ADDED', configMap('b', '16'))),
    ],
  });
  follow();
  await until('+b');
  assert.deepEqual(asked, ['list 0', 'watch 10', 'watch 11', 'watch 15']);
  assert.equal(seen.includes('broken'), false);
});

const gone = [
  ['at the start', (response: Http2ServerResponse) => answer(response, 410, status(410, 'Expired'))],
  ['inside', hold(line('ERROR', JSON.parse(status(410, 'Expired'))))],
] as const;
for (const [where, first] of gone)
  test(`a 410 ${where} of a watch brings a new, consistent list`, async () => {
    const { follow, seen, asked, until } = await story({
      lists: [listing('a'), listing('b')],
      watches: [first, hold()],
    });
    follow();
    while (seen.length < 6) await until('+b').then(() => new Promise((resolve) => setTimeout(resolve, 5)));
    assert.deepEqual(seen.slice(0, 6), ['restart', '+a', 'complete 10', 'restart', '+b', 'complete 10']);
    assert.deepEqual(asked.slice(0, 3), ['list 0', 'watch 10', 'list newest']);
  });

test('a list that fails breaks the view, and a later one mends it', async () => {
  const { follow, seen, until } = await story({
    lists: [(response) => answer(response, 403, status(403, 'Forbidden')), listing('a')],
    watches: [hold()],
  });
  follow();
  await until('complete 10');
  assert.deepEqual(seen, ['restart', 'broken kube-forbidden', 'restart', '+a', 'complete 10']);
});

test('a list that breaks off half-way never becomes complete', async () => {
  const whole = listOf([configMap('a'), configMap('b')]);
  const { follow, seen, until } = await story({
    lists: [(response) => answer(response, 200, whole.slice(0, -20)), listing('a')],
    watches: [hold()],
  });
  follow();
  await until('complete 10');
  assert.deepEqual(seen, ['restart', '+a', 'broken kube-malformed', 'restart', '+a', 'complete 10']);
});

test('a revoked right breaks the view at once; its return mends it without a list', async () => {
  const { follow, seen, asked, until } = await story({
    lists: [listing('a')],
    watches: [
      (response) => answer(response, 403, status(403, 'Forbidden')),
      hold(line('MODIFIED', configMap('a', '12'))),
    ],
  });
  follow();
  while (seen.length < 6) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(seen, ['restart', '+a', 'complete 10', 'broken kube-forbidden', 'complete 10', '+a']);
  assert.deepEqual(asked, ['list 0', 'watch 10', 'watch 10']);
  await until('+a');
});

test('a quiet watch that breaks off now and then never breaks the view, and is not waited for longer each time', async () => {
  const breaking = (response: Http2ServerResponse): void => {
    response.writeHead(200);
    response.write('\n');
    setTimeout(() => response.stream.close(2), 1_100); // INTERNAL_ERROR
  };
  const { follow, seen, asked, until } = await story({
    lists: [listing('a')],
    watches: [breaking, breaking, breaking, breaking, hold(bookmark('20'))],
  });
  const following = follow();
  await until('complete 20');
  assert.deepEqual(seen, ['restart', '+a', 'complete 10', 'complete 20']);
  assert.equal(asked.filter((each) => each.startsWith('watch')).length, 5);
  following.stop();
  await following.done;
});

test('a watch that is accepted and breaks at once breaks the view in the end', async () => {
  const breaking = (response: Http2ServerResponse): void => {
    response.writeHead(200);
    response.write('\n');
    setTimeout(() => response.stream.close(2), 20);
  };
  const { follow, until } = await story({ lists: [listing('a')], watches: [breaking] });
  const following = follow();
  await until('broken kube-unreachable');
  following.stop();
  await following.done;
});

test('a line that is no event brings a new list: no change is passed over', async () => {
  const { follow, asked, until } = await story({
    lists: [listing('a')],
    watches: [hold('{"type":"ADDED"}\n'), hold()],
  });
  follow();
  await until('list newest');
  assert.deepEqual(asked.slice(0, 3), ['list 0', 'watch 10', 'list newest']);
});

test('the owner may end a broken following', async () => {
  const { follow, seen } = await story({
    lists: [(response) => answer(response, 401, status(401, 'Unauthorized'))],
    watches: [hold()],
  });
  await follow({ broken: 'stop' }).done;
  assert.deepEqual(seen, ['restart', 'broken kube-unauthorized']);
});

test('a silent watch is dead after its deadline and resumed', async () => {
  const { follow, asked, until } = await story({ lists: [listing()], watches: [hold(), hold(bookmark('12'))] });
  follow({ silenceMs: 60 });
  await until('complete 12');
  assert.deepEqual(asked.slice(0, 3), ['list 0', 'watch 10', 'watch 10']);
});

test('a connection that fell silent is found by pings long before the silence deadline', async () => {
  const { server, follow, asked, until } = await story({ lists: [listing()], watches: [hold(), hold(bookmark('12'))] });
  const relay = await startRelay(server.port);
  closers.push(() => relay.close());
  follow({ server: `https://127.0.0.1:${relay.port}`, pingMs: 40 });
  await until('watch 10');
  await new Promise((resolve) => setTimeout(resolve, 30));
  relay.freeze();
  await until('complete 12');
  assert.deepEqual(asked, ['list 0', 'watch 10', 'watch 10']);
});

test('a continue token that expires half-way begins the list again in one piece', async () => {
  const seen: string[] = [];
  const server = await startScripted((request, response) => {
    const url = new URL(request.url, 'https://h');
    if (url.searchParams.has('continue')) return answer(response, 410, status(410, 'Expired'));
    const more = url.searchParams.has('limit') ? { resourceVersion: '5', continue: 'next' } : { resourceVersion: '9' };
    return answer(response, 200, listOf([configMap('a'), configMap('b')], more));
  });
  closers.push(() => server.close());
  const connection = server.connect();
  const onItem = (item: { metadata: { name?: string } }): unknown => seen.push(item.metadata.name ?? '');
  const end = await connection.list(configMaps, { pageSize: 2, onRestart: () => seen.push('restart') }, onItem);
  assert.deepEqual([seen, end], [['a', 'b', 'restart', 'a', 'b'], { resourceVersion: '9', count: 2 }]);
  await assert.rejects(connection.list(configMaps, { pageSize: 2 }, onItem), { code: 'kube-gone' });
});

test('projects while decoding, and drops what the projection drops', async () => {
  const server = await startScripted((_, response) =>
    answer(response, 200, listOf([{ metadata: { name: 'a', managedFields: [1] } }, configMap('b')])),
  );
  closers.push(() => server.close());
  const got: unknown[] = [];
  const project = (item: { metadata: { name?: string } }): unknown =>
    item.metadata.name === 'b' ? undefined : { ...item };
  assert.equal((await server.connect().list(configMaps, { project }, (item) => got.push(item))).count, 2);
  assert.deepEqual(got, [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }]);
});
