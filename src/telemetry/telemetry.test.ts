import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, createMetrics, scrub } from './index.ts';

test('credentials are scrubbed wherever they stand', () => {
  const rows: [string, string][] = [
    ['Authorization: Bearer abcdefghijkl', 'Authorization: [redacted] [redacted]'],
    ['got bearer abcdefgh12345', 'got bearer [redacted]'],
    ['https://user:hunter2@git.example.com/x', 'https://[redacted]@git.example.com/x'],
    ['token=s3cr3tvalue&x=1', 'token=[redacted]&x=1'],
    ['eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln', '[redacted]'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----', '[redacted key]'],
  ];
  for (const [text, clean] of rows) {
    assert.equal(scrub(text), clean);
  }
});

test('a scrubbed text is bounded', () => {
  assert.equal(scrub('x'.repeat(10_000_000)).length, 2049);
});

test('log lines are JSON with the fields of the child on each', () => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', write: (line) => void lines.push(line) }).with({
    application: 'team-a/shop',
  });
  logger.info('synced', { revision: 'abc', password: 'token=hunter2hunter2' });
  logger.debug('not at this level');
  assert.equal(lines.length, 1);
  const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  assert.equal(line['application'], 'team-a/shop');
  assert.equal(line['msg'], 'synced');
  assert.equal(line['level'], 'info');
  assert.ok(!lines[0]?.includes('hunter2'));
});

test('log lines for people are one line each, whatever a tenant wrote into them', () => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', format: 'text', write: (line) => void lines.push(line) });
  logger.warn('refused', { application: 'team-a/shop', objects: 3, why: 'a "b"\nERROR \u001b[31m forged' });
  assert.equal(lines.length, 1);
  assert.match(
    lines[0] ?? '',
    /^\d{4}-\S+Z warn {2}refused application=team-a\/shop objects=3 why="a \\"b\\"\\nERROR \\u001b\[31m forged"\n$/,
  );
});

test('metrics print in Prometheus form', () => {
  const metrics = createMetrics();
  metrics.counter('syncs_total', 'Syncs.', ['phase']).add(['Succeeded']);
  metrics.gauge('apps', 'Applications.', []).set([], 3);
  metrics.histogram('seconds', 'Time.', [], [1, 2]).observe([], 1.5);
  const text = [...metrics.print()].join('');
  assert.match(text, /^syncs_total\{phase="Succeeded"\} 1$/m);
  assert.match(text, /^apps 3$/m);
  assert.match(
    text,
    /^seconds_bucket\{le="1"\} 0\nseconds_bucket\{le="2"\} 1\nseconds_bucket\{le="\+Inf"\} 1\nseconds_sum 1.5\nseconds_count 1$/m,
  );
});
