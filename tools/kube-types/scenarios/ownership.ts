import { map, of, type Scenario, type Step, scenario } from './scenario.ts';

/** Who owns what is applied, updated and taken away. */
export const ownership: readonly Scenario[] = [
  scenario('one applier owns what it applies and removes what it applies no more', 'configmaps', 'own', [
    {
      verb: 'apply',
      manager: 'a',
      body: map('own', { one: '1', two: '2' }, { labels: { x: '1' }, annotations: { n: 'm' } }),
    },
    {
      verb: 'apply',
      manager: 'a',
      body: map('own', { one: '1', two: '2' }, { labels: { x: '1' }, annotations: { n: 'm' } }),
    },
    { verb: 'apply', manager: 'a', body: map('own', { one: '1' }) },
    { verb: 'apply', manager: 'a', body: of('configmaps', 'own', {}) },
  ]),
  scenario('two appliers share what they agree on and conflict on the rest', 'configmaps', 'share', [
    { verb: 'apply', manager: 'a', body: map('share', { one: '1', two: '2' }) },
    { verb: 'apply', manager: 'b', body: map('share', { one: '1', three: '3' }) },
    { verb: 'apply', manager: 'b', body: map('share', { one: '9', two: '8', three: '3' }) },
    { verb: 'apply', manager: 'a', body: map('share', { two: '2' }) },
    { verb: 'apply', manager: 'b', force: true, body: map('share', { one: '9', two: '8', three: '3' }) },
    { verb: 'apply', manager: 'a', body: map('share', {}) },
    { verb: 'apply', manager: 'b', body: of('configmaps', 'share', {}) },
  ]),
  scenario('updaters own what they change', 'configmaps', 'update', [
    { verb: 'create', manager: 'u', body: map('update', { one: '1', two: '2' }, { labels: { x: '1' } }) },
    { verb: 'update', manager: 'v', body: { data: { two: '3', four: '4' }, metadata: { labels: { y: '2' } } } },
    { verb: 'merge', manager: 'u', body: { data: { four: null, five: '5' } } },
    { verb: 'merge', manager: 'u', body: { data: { five: '5' } } },
    { verb: 'apply', manager: 'a', body: map('update', { one: '7', two: '3' }) },
    { verb: 'apply', manager: 'a', force: true, body: map('update', { one: '7', two: '3' }) },
    { verb: 'json', manager: 'w', body: [{ op: 'remove', path: '/data' }] },
    { verb: 'merge', manager: 'w', body: { metadata: { managedFields: [{}] } } },
    { verb: 'merge', manager: 'w', body: { data: { q: '1' } } },
    { verb: 'apply', manager: 'a', body: map('update', { q: '2', r: '1' }) },
    { verb: 'apply', manager: 'a', body: map('update', { r: '1' }) },
  ]),
  scenario('more than ten updaters are folded', 'configmaps', 'many', [
    { verb: 'create', manager: 'm0', body: map('many', { k0: '0' }) },
    ...Array.from(
      { length: 12 },
      (_, i): Step => ({ verb: 'merge', manager: `m${i + 1}`, body: { data: { [`k${i + 1}`]: '1' } } }),
    ),
  ]),
  scenario('kubectl takes over what its client-side apply set', 'configmaps', 'csa', [
    {
      verb: 'create',
      manager: 'kubectl-client-side-apply',
      body: map(
        'csa',
        { one: '1', two: '2' },
        {
          annotations: {
            'kubectl.kubernetes.io/last-applied-configuration':
              '{"apiVersion":"v1","data":{"one":"1","two":"2"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"csa","namespace":"default"}}\n',
          },
        },
      ),
    },
    { verb: 'apply', manager: 'kubectl', body: map('csa', { one: '5', two: '2' }) },
    { verb: 'apply', manager: 'other', body: map('csa', { one: '6' }) },
  ]),
];
