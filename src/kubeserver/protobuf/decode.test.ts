import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StatusError } from '../ports.ts';
import { isProtobuf, protobufToJson } from './decode.ts';

type Part = readonly [number: number, value: string | number | Buffer];

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(left)]);
}

/** A message as Go's marshaller writes it. */
function message(...parts: Part[]): Buffer {
  return Buffer.concat(
    parts.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(number << 3), varint(value)];
      const bytes = Buffer.from(value as string); // a text, or bytes already
      return [varint((number << 3) | 2), varint(bytes.length), bytes];
    }),
  );
}

const envelope = (apiVersion: string, kind: string, raw: Buffer): Buffer =>
  Buffer.concat([Buffer.from('k8s\0'), message([1, message([1, apiVersion], [2, kind])], [2, raw], [3, ''], [4, ''])]);

const meta = message(
  [1, 'web'],
  [2, ''],
  [7, 0],
  [8, message()],
  [11, message([1, 'app'], [2, 'web'])],
  [11, message([1, '__proto__'], [2, 'x'])],
);

test('a Deployment is read: pointers keep their zero, empty fields are left out, inlined parts are lifted', () => {
  const container = message([1, 'c'], [2, 'nginx'], [6, message([3, 8080], [4, 'TCP'])]);
  const volume = message([1, 'v'], [2, message([19, message([1, message([1, 'cm'])])])]);
  const template = message([1, message([1, ''])], [2, message([1, volume], [2, container], [4, 30])]);
  const strategy = message([1, 'RollingUpdate'], [2, message([1, message([1, 1], [2, 0], [3, '25%'])])]);
  const spec = message(
    [1, 0],
    [2, message([1, message([1, 'app'], [2, 'web'])])],
    [3, template],
    [4, strategy],
    [5, 0],
    [7, 0],
  );
  const read = protobufToJson(envelope('apps/v1', 'Deployment', message([1, meta], [2, spec], [3, message()])));
  assert.deepEqual(JSON.parse(JSON.stringify(read)), {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: JSON.parse('{"name":"web","labels":{"app":"web","__proto__":"x"}}'),
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'web' } },
      template: {
        spec: {
          volumes: [{ name: 'v', configMap: { name: 'cm' } }],
          containers: [{ name: 'c', image: 'nginx', ports: [{ containerPort: 8080, protocol: 'TCP' }] }],
          terminationGracePeriodSeconds: 30,
        },
      },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%' } },
    },
  });
});

test('quantities, bytes, times, negative numbers and named lists are read', () => {
  const limits = message([1, 'cpu'], [2, message([1, '100m'])]);
  const pod = message(
    [1, message([1, 'p'])],
    [2, message([2, message([1, 'c'], [8, message([1, limits])])], [25, -5])],
  );
  const { spec } = protobufToJson(envelope('v1', 'Pod', pod)) as { spec: { containers: unknown; priority: unknown } };
  assert.deepEqual(spec.containers, [{ name: 'c', resources: { limits: { cpu: '100m' } } }]);
  assert.equal(spec.priority, -5);
  const secret = protobufToJson(envelope('v1', 'Secret', message([2, message([1, 'k'], [2, Buffer.from([0, 255])])])));
  assert.deepEqual(secret['data'], { k: 'AP8=' });
  const extra = message([1, 'team'], [2, message([1, 'red'], [1, 'blue'])]);
  const review = protobufToJson(
    envelope('authorization.k8s.io/v1', 'SubjectAccessReview', message([2, message([3, 'jane'], [5, extra])])),
  );
  assert.deepEqual(review['spec'], { user: 'jane', extra: { team: ['red', 'blue'] } });
  const lease = message([2, message([1, 'me'], [3, message([1, 1_700_000_000], [2, 5_000])])]);
  const { spec: held } = protobufToJson(envelope('coordination.k8s.io/v1', 'Lease', lease));
  assert.deepEqual(held, { holderIdentity: 'me', acquireTime: '2023-11-14T22:13:20.000005Z' });
});

test('an unknown kind, and a body that is none, are refused', () => {
  assert.throws(() => protobufToJson(envelope('example.org/v1', 'Thing', message())), /no kind "Thing"/);
  assert.throws(() => protobufToJson(Buffer.from('{"kind":"Pod"}')), /does not appear to be a protobuf message/);
  assert.equal(isProtobuf('application/vnd.kubernetes.protobuf;type=x'), true);
  assert.equal(isProtobuf('application/json'), false);
});

test('whatever the bytes, the answer is an object or a refusal', () => {
  const good = envelope('v1', 'Pod', message([1, meta], [2, message([2, message([1, 'c'])])]));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(good.length), (noise, cut) => {
      for (const body of [Buffer.concat([good.subarray(0, cut), noise]), envelope('v1', 'Pod', Buffer.from(noise))])
        try {
          protobufToJson(body);
        } catch (error) {
          assert.ok(error instanceof StatusError, String(error));
          assert.equal(error.status.code, 400);
        }
    }),
    { numRuns: 2000 },
  );
});
