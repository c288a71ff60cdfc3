import { ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import { stringAt } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { applications, type Connection, configMaps, type Resource } from '../../kube/index.ts';
import { application, controllerAccount, homeOf, prodOf, tenants } from './objects.ts';
import type { Demo, Write } from './world.ts';

/** One thing the demo shows: what was tried, what happened, and as whom. */
export interface Chapter {
  readonly proposal: string;
  readonly shows: string;
  readonly ok: boolean;
  readonly facts: readonly string[];
  readonly writes: readonly Write[];
}

/** How long any one thing may take; an embedded cluster needs a second or two. */
const patienceMs = 60_000;

/** Walks the four proposals on a running demo. Each chapter says for itself whether it came true. */
export async function tellStory(demo: Demo, say: (line: string) => void): Promise<Chapter[]> {
  const chapters: Chapter[] = [];
  for (const chapter of [tenantNamespaces, tenantClusters, impersonation, limitedRights, refusal]) {
    const told = await chapter(demo).catch((error: unknown) => failed(chapter.name, error));
    say(`${told.ok ? '✔' : '✘'} ${told.proposal}: ${told.shows}`);
    for (const fact of told.facts) say(`    ${fact}`);
    chapters.push(told);
  }
  return chapters;
}

function failed(name: string, error: unknown): Chapter {
  const text = error instanceof Error ? error.message : String(error);
  return { proposal: name, shows: 'did not come true', ok: false, facts: [text], writes: [] };
}

/** Writes of Applications' objects so far: those the controller made in a tenant's name. */
const deployed = (demo: Demo): readonly Write[] => demo.writes().filter(({ as }) => as !== controllerAccount);

/** Applications in any namespace: each tenant's root Application makes its others, in the tenant's own namespace. */
async function tenantNamespaces(demo: Demo): Promise<Chapter> {
  const facts: string[] = [];
  for (const tenant of tenants) {
    const shop = await synced(demo.control, homeOf(tenant), 'shop');
    facts.push(`${homeOf(tenant)}/shop came from Git through ${homeOf(tenant)}/root and is ${statusText(shop)}`);
  }
  const writes = deployed(demo).filter(({ cluster }) => cluster === 'control-plane');
  const own = tenants.every((tenant) =>
    writes.some(({ as }) => as === `system:serviceaccount:${homeOf(tenant)}:deployer`),
  );
  return {
    proposal: 'Applications in any namespace',
    shows: 'every tenant declares Applications in its own namespace',
    ok: own,
    facts,
    writes,
  };
}

/** Cluster Secrets in any namespace: both tenants reach the same address, each with its own credential. */
async function tenantClusters(demo: Demo): Promise<Chapter> {
  const facts: string[] = [];
  for (const tenant of tenants) {
    const map = await present(demo.workloads, prodOf(tenant), 'shop');
    facts.push(`${prodOf(tenant)}/shop says "${stringAt(asJson(map), 'data', 'greeting') ?? ''}"`);
  }
  const writes = deployed(demo).filter(
    ({ cluster, object }) => cluster === 'workloads' && /^(configmaps|deployments) /.test(object),
  );
  const ok = writes.length > 0 && writes.every(isOwnWrite);
  facts.push('each write carries the credential of the tenant it belongs to');
  return {
    proposal: 'cluster Secrets in any namespace',
    shows: 'two Secrets for one address never share a credential',
    ok,
    facts,
    writes,
  };
}

function isOwnWrite({ object, as }: Write): boolean {
  const tenant = tenants.find((each) => object.includes(` ${prodOf(each)}/`));
  return tenant !== undefined && as === `system:serviceaccount:${prodOf(tenant)}:deployer`;
}

/** Impersonation: on the control plane's own cluster requests are made as the account the project names. */
async function impersonation(demo: Demo): Promise<Chapter> {
  const before = deployed(demo).length;
  const [tenant] = tenants;
  const extra = application(
    'extra',
    tenant,
    // Its own folder: two Applications of one folder would take each other's objects.
    { repoURL: demo.repository.url, path: `${tenant}/extra` },
    { name: `${tenant}-workloads`, namespace: prodOf(tenant) },
  );
  const files = {
    [`${tenant}/apps/extra.json`]: JSON.stringify(extra),
    [`${tenant}/extra/config.yaml`]:
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: extra\ndata:\n  greeting: one more\n',
  };
  await demo.repository.commit(files, 'one more Application');
  await demo.controller.poll(demo.repository.url);
  await synced(
    demo.control,
    homeOf(tenant),
    'root',
    (app) => stringAt(asJson(app), 'status', 'sync', 'status') === 'Synced',
  );
  await eventually(
    () => find(demo.control, applications, homeOf(tenant), 'extra'),
    (app) => app !== undefined,
    'the new Application',
  );
  const writes = deployed(demo)
    .slice(before)
    .filter(({ object }) => object === `applications ${homeOf(tenant)}/extra`);
  const own = demo.writes().filter(({ as }) => as === controllerAccount);
  const ownKinds = [...new Set(own.map(({ object }) => object.split(' ')[0] ?? ''))].sort();
  const ok =
    writes.some(({ as }) => as === `system:serviceaccount:${homeOf(tenant)}:deployer`) &&
    ownKinds.every((kind) => ['applications', 'events'].includes(kind));
  return {
    proposal: 'sync under the tenant’s identity',
    shows: 'a commit is applied as the tenant’s service account',
    ok,
    facts: [
      ...writes.map(({ verb, object, as }) => `${verb} ${object} as ${as}`),
      `in its own name, as ${controllerAccount}, the controller wrote only ${ownKinds.join(' and ')}: status and news`,
    ],
    writes,
  };
}

/** A cache that respects RBAC: the tenants' accounts see their own namespace only, and everything works. */
async function limitedRights(demo: Demo): Promise<Chapter> {
  const facts: string[] = [];
  let ok = true;
  for (const tenant of tenants) {
    const account = { user: `system:serviceaccount:${prodOf(tenant)}:deployer` };
    const everywhere = await demo.workloads.as(account).mayI({ group: '', resource: 'configmaps', verb: 'list' });
    const shop = await synced(demo.control, homeOf(tenant), 'shop');
    ok &&= !everywhere && statusText(shop).startsWith('Synced');
    facts.push(
      `${account.user} may ${everywhere ? '' : 'not '}list ConfigMaps cluster-wide; ${homeOf(tenant)}/shop is ${statusText(shop)}`,
    );
  }
  return {
    proposal: 'a cache that respects RBAC',
    shows: 'a credential with few rights is enough',
    ok,
    facts,
    writes: [],
  };
}

/** And never more than that: a tenant that reaches for another's namespace is told why not. */
async function refusal(demo: Demo): Promise<Chapter> {
  const [blue, green] = tenants;
  const greedy = application(
    'greedy',
    blue,
    { repoURL: demo.repository.url, path: `${blue}/shop` },
    { name: `${blue}-workloads`, namespace: prodOf(green) },
  );
  await demo.control.apply(applications, greedy, { fieldManager: 'argosy-demo', force: true });
  const app = await eventually(
    () => find(demo.control, applications, homeOf(blue), 'greedy'),
    (found) => conditionOf(found) !== undefined,
    'the refusal',
  );
  const message = conditionOf(app) ?? '';
  const writes = demo
    .writes()
    .filter(({ object, as }) => object.includes(` ${prodOf(green)}/`) && as.includes(prodOf(blue)));
  return {
    proposal: 'and never more than that',
    shows: 'a tenant that reaches into another’s namespace is refused',
    ok: writes.length === 0 && message !== '',
    facts: [message],
    writes,
  };
}

function conditionOf(app: KubeObject | undefined): string | undefined {
  const status = app?.['status'] as { conditions?: { message?: string }[] } | undefined; // read with care
  return status?.conditions?.[0]?.message;
}

function statusText(app: KubeObject): string {
  const json = asJson(app);
  return `${stringAt(json, 'status', 'sync', 'status') ?? 'Unknown'} and ${stringAt(json, 'status', 'health', 'status') ?? 'Unknown'}`;
}

async function synced(
  connection: Connection,
  namespace: string,
  name: string,
  good = (app: KubeObject): boolean => statusText(app).startsWith('Synced'),
): Promise<KubeObject> {
  const app = await eventually(
    () => find(connection, applications, namespace, name),
    (found) => found !== undefined && good(found),
    `${namespace}/${name} to be synced`,
  );
  if (app === undefined) throw new ArgosyError('internal', `${namespace}/${name} vanished`);
  return app;
}

async function present(connection: Connection, namespace: string, name: string): Promise<KubeObject> {
  const object = await eventually(
    () => find(connection, configMaps, namespace, name),
    (found) => found !== undefined,
    `ConfigMap ${namespace}/${name}`,
  );
  if (object === undefined) throw new ArgosyError('internal', `${namespace}/${name} vanished`);
  return object;
}

async function find(
  connection: Connection,
  resource: Resource,
  namespace: string,
  name: string,
): Promise<KubeObject | undefined> {
  return connection.get(resource, namespace, name).catch((error: unknown) => {
    if (isArgosyError(error) && error.code === 'kube-not-found') return undefined;
    throw error;
  });
}

async function eventually<T>(read: () => Promise<T>, good: (value: T) => boolean, what: string): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const value = await read();
    if (good(value)) return value;
    if (Date.now() > deadline) throw new ArgosyError('unknown', `waited ${patienceMs / 1000} s in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
