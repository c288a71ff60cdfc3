import type { StoreEvent } from '../ports.ts';
import { type Cluster, timestamp } from './cluster.ts';

const group = 'apiregistration.k8s.io';
const kind = 'APIService';

/** Keeps one APIService per served group and version, as the real server does for what it serves itself. */
export async function keepApiServices(cluster: Cluster): Promise<{ stop(): void }> {
  const keeper = new ApiServiceKeeper(cluster);
  await keeper.reconcile();
  // Custom groups come and go with their CRDs.
  return cluster.inside.watch('apiextensions.k8s.io', 'CustomResourceDefinition', (event) => keeper.onEvent(event));
}

class ApiServiceKeeper {
  readonly #cluster: Cluster;
  #running = false;
  #again = false;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  onEvent(_event: StoreEvent): void {
    this.#again = true;
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#again) {
      this.#again = false;
      // A store that is closing refuses; the next start puts it right.
      await this.reconcile().catch(() => undefined);
    }
    this.#running = false;
  }

  async reconcile(): Promise<void> {
    const { inside, registry } = this.#cluster;
    const wanted = new Map(registry.all().map(({ info }) => [`${info.version}.${info.group}`, info]));
    const there = new Set<string>();
    for (const service of inside.list(group, kind)) {
      const name = service.metadata.name ?? '';
      there.add(name);
      if (isLocal(service['spec']) && !wanted.has(name)) await inside.delete(group, kind, '', name);
    }
    for (const [name, info] of wanted) if (!there.has(name)) await this.#create(name, info.group, info.version);
  }

  async #create(name: string, served: string, version: string): Promise<void> {
    const { inside, now } = this.#cluster;
    const spec = {
      ...(served === '' ? {} : { group: served }),
      version,
      groupPriorityMinimum: 1000,
      versionPriority: 100,
    };
    const labels = {
      'kube-aggregator.kubernetes.io/automanaged':
        served.includes('.') && !served.endsWith('.k8s.io') ? 'true' : 'onstart',
    };
    await inside.create({ apiVersion: `${group}/v1`, kind, metadata: { name, labels }, spec });
    const condition = {
      type: 'Available',
      status: 'True',
      lastTransitionTime: timestamp(now()),
      reason: 'Local',
      message: 'Local APIServices are always available',
    };
    await inside.update(group, kind, '', name, (object) => ({ ...object, status: { conditions: [condition] } }), {
      subresource: 'status',
    });
  }
}

function isLocal(spec: unknown): boolean {
  return (spec as { service?: unknown } | undefined)?.service === undefined; // checked by its type
}
