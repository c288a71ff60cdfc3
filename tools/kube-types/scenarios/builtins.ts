import { deployment, of, type Scenario, scenario } from './scenario.ts';

/** Built-in kinds with schemas of their own. */
export const builtins: readonly Scenario[] = [
  scenario('a deployment: containers merge by name, defaults belong to nobody', 'deployments', 'web', [
    {
      verb: 'apply',
      manager: 'a',
      body: deployment('web', { replicas: 1 }, [
        { name: 'main', image: 'nginx', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: '1' }] },
      ]),
    },
    { verb: 'merge', manager: 'scaler', body: { spec: { replicas: 3 } } },
    { verb: 'apply', manager: 'a', body: deployment('web', { replicas: 1 }) },
    { verb: 'apply', manager: 'a', body: deployment('web', {}) },
    {
      verb: 'strategic',
      manager: 's',
      body: {
        spec: {
          template: {
            spec: {
              containers: [
                { name: 'side', image: 'busybox' },
                { name: 'main', env: [{ name: 'B', value: '2' }] },
              ],
            },
          },
        },
      },
    },
    {
      verb: 'apply',
      manager: 'a',
      body: deployment('web', {}, [{ name: 'main', image: 'nginx:2', env: [{ name: 'B', value: '3' }] }]),
    },
    {
      verb: 'apply',
      manager: 'a',
      force: true,
      body: deployment('web', { strategy: { type: 'Recreate' } }, [
        { name: 'main', image: 'nginx:2', env: [{ name: 'B', value: '3' }] },
      ]),
    },
    {
      verb: 'strategic',
      manager: 's',
      body: {
        spec: {
          strategy: { $retainKeys: ['type'], type: 'Recreate' },
          template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } },
        },
      },
    },
  ]),
  scenario('a service: ports by number and protocol', 'services', 'svc', [
    {
      verb: 'apply',
      manager: 'a',
      body: of('services', 'svc', { spec: { selector: { app: 'a' }, ports: [{ port: 80, name: 'a' }] } }),
    },
    {
      verb: 'apply',
      manager: 'b',
      body: of('services', 'svc', {
        spec: {
          ports: [
            { port: 80, name: 'a', targetPort: 8080 },
            { port: 81, name: 'b' },
          ],
        },
      }),
    },
    {
      verb: 'apply',
      manager: 'b',
      force: true,
      body: of('services', 'svc', {
        spec: {
          ports: [
            { port: 80, name: 'a', targetPort: 8080 },
            { port: 81, name: 'b' },
          ],
        },
      }),
    },
    {
      verb: 'apply',
      manager: 'a',
      body: of('services', 'svc', { spec: { selector: { app: 'b' }, ports: [{ port: 81, name: 'b' }] } }),
    },
  ]),
];
