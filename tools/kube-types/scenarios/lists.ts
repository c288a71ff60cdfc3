import { of, type Scenario, scenario, widget } from './scenario.ts';

/** Lists by key, as sets and as wholes. */
export const lists: readonly Scenario[] = [
  scenario('keyed lists merge by item', 'widgets', 'keyed', [
    {
      verb: 'apply',
      manager: 'a',
      body: widget('keyed', {
        items: [
          { name: 'a', value: 1 },
          { name: 'b', value: 2 },
        ],
        tags: ['x', 'y'],
        args: ['1', '2'],
      }),
    },
    {
      verb: 'apply',
      manager: 'b',
      body: widget('keyed', {
        items: [
          { name: 'c', value: 3 },
          { name: 'b', note: 'n' },
        ],
        tags: ['z', 'y'],
      }),
    },
    { verb: 'apply', manager: 'b', body: widget('keyed', { items: [{ name: 'b', value: 9 }], args: ['3'] }) },
    { verb: 'apply', manager: 'a', body: widget('keyed', { items: [{ name: 'b', value: 2 }], tags: ['x'] }) },
    {
      verb: 'apply',
      manager: 'b',
      body: widget('keyed', {
        items: [
          { name: 'd', value: 1 },
          { name: 'c', value: 3 },
        ],
      }),
    },
    { verb: 'apply', manager: 'a', body: widget('keyed', {}) },
  ]),
  scenario('keys have defaults', 'widgets', 'ports', [
    { verb: 'apply', manager: 'a', body: widget('ports', { ports: [{ port: 80, name: 'http' }] }) },
    {
      verb: 'apply',
      manager: 'b',
      body: widget('ports', {
        ports: [
          { port: 80, protocol: 'TCP', name: 'web' },
          { port: 80, protocol: 'UDP' },
        ],
      }),
    },
    {
      verb: 'apply',
      manager: 'b',
      force: true,
      body: widget('ports', {
        ports: [
          { port: 80, protocol: 'UDP' },
          { port: 80, protocol: 'TCP', name: 'web' },
        ],
      }),
    },
    { verb: 'apply', manager: 'a', body: widget('ports', {}) },
  ]),
  scenario('maps, whole and in parts', 'widgets', 'maps', [
    {
      verb: 'apply',
      manager: 'a',
      body: widget('maps', {
        labels: { a: '1' },
        whole: { a: '1', b: '2' },
        anything: { p: { q: 1 }, l: [1, 2] },
        nested: {},
      }),
    },
    {
      verb: 'apply',
      manager: 'b',
      body: widget('maps', { labels: { b: '2' }, whole: { a: '1' }, anything: { p: { r: 2 } } }),
    },
    {
      verb: 'apply',
      manager: 'b',
      force: true,
      body: widget('maps', { labels: { b: '2' }, whole: { a: '1' }, anything: { p: { r: 2 } } }),
    },
    { verb: 'apply', manager: 'a', body: widget('maps', { labels: { c: '1' }, anything: { l: [1] } }) },
    { verb: 'merge', manager: 'u', body: { spec: { anything: { p: null, z: { y: 1 } }, nested: { deep: 7 } } } },
    { verb: 'apply', manager: 'b', body: widget('maps', {}) },
  ]),
  scenario('what one manager empties another may still own', 'widgets', 'emptied', [
    {
      verb: 'apply',
      manager: 'a',
      body: widget('emptied', { counts: {}, items: [], nested: {}, anything: { p: {} } }),
    },
    {
      verb: 'apply',
      manager: 'b',
      body: widget('emptied', {
        counts: { x: 1 },
        items: [{ name: 'i' }],
        nested: { other: 'o' },
        anything: { p: { q: 1 }, n: null },
      }),
    },
    { verb: 'apply', manager: 'b', body: widget('emptied', {}) },
    { verb: 'apply', manager: 'a', body: widget('emptied', {}) },
  ]),
  scenario('duplicates and unknown fields are no configuration', 'widgets', 'bad', [
    { verb: 'apply', manager: 'a', body: widget('bad', { items: [{ name: 'a' }, { name: 'a' }] }) },
    { verb: 'apply', manager: 'a', body: widget('bad', { items: [{ value: 1 }] }) },
    { verb: 'apply', manager: 'a', body: widget('bad', { foo: 1 }) },
    { verb: 'apply', manager: 'a', body: widget('bad', { tags: ['x', 'x'] }) },
    { verb: 'apply', manager: 'a', body: widget('bad', { items: 'x' }) },
  ]),
  scenario('status has its own managers', 'widgets', 'status', [
    { verb: 'create', manager: 'u', body: widget('status', { mode: 'x' }) },
    {
      verb: 'merge',
      manager: 's',
      subresource: 'status',
      body: { status: { ready: 1, conditions: [{ type: 'A', status: 'True' }] } },
    },
    {
      verb: 'apply',
      manager: 's2',
      subresource: 'status',
      body: of('widgets', 'status', {
        status: {
          conditions: [
            { type: 'B', status: 'True' },
            { type: 'A', status: 'False' },
          ],
        },
      }),
    },
    {
      verb: 'apply',
      manager: 's2',
      subresource: 'status',
      force: true,
      body: of('widgets', 'status', {
        status: {
          conditions: [
            { type: 'B', status: 'True' },
            { type: 'A', status: 'False' },
          ],
        },
      }),
    },
    { verb: 'apply', manager: 'a', body: widget('status', { mode: 'x' }) },
  ]),
];
