import { type Application, clusterKey, parseApplication, type Snapshot } from '../../../../core/api/index.ts';
import type { JsonObject } from '../../../../core/json/index.ts';
import { type Admission, admitApplication, assembleSnapshot } from '../../../../core/policy/index.ts';
import type { Plan } from './plan.ts';

/** What will be different for what moved, found by asking the policy before and after. */
export function consequencesOf(objects: readonly JsonObject[], before: Snapshot, plan: Plan): string[] {
  const { controlPlane, settings } = before;
  const moved = [...plan.secrets, ...plan.applications].map(({ object }) => object);
  const installation = { controlPlane, appNamespaces: [], impersonation: settings.impersonation.enabled };
  const after = assembleSnapshot([...objects, ...moved], installation).snapshot;
  const notes: string[] = [];
  for (const { from, namespace, name, object } of plan.applications) {
    const parsed = parseApplication(object);
    if (!parsed.ok) throw new Error(`the moved Application ${name} cannot be read`); // it is the old one, renamed
    const said = difference(admitApplication(before, from), admitApplication(after, parsed.value), plan);
    const key = `${namespace}/${from.metadata.name}`;
    for (const text of [...said, ...trackedBy(from)]) notes.push(`Application ${key} -> ${name}: ${text}`);
  }
  return [...notes, ...sharedAddresses(plan), ...ownDestinations(plan)];
}

function difference(before: Admission, after: Admission, plan: Plan): string[] {
  if (!before.ok) return [];
  if (!after.ok) return [`will be refused: ${after.refusals[0].message}`];
  const secret = plan.secrets.find(({ from }) => clusterKey(from) === clusterKey(before.cluster));
  const expected = secret === undefined ? clusterKey(before.cluster) : `${after.cluster.namespace}/${secret.name}`;
  const notes: string[] = [];
  if (clusterKey(after.cluster) !== expected) {
    notes.push(`will use the cluster of Secret ${clusterKey(after.cluster)} instead of ${clusterKey(before.cluster)}`);
  }
  const [was, is] = [identityText(before), identityText(after)];
  if (was !== is) notes.push(`its requests will be made as ${is} instead of ${was}`);
  return notes;
}

function identityText({ identity }: Admission & { ok: true }): string {
  if (!identity.ok) return `nobody (${identity.verdict.message})`;
  return identity.identity.as === 'impersonate' ? identity.identity.user : "the cluster Secret's own credential";
}

function trackedBy({ metadata }: Application): string[] {
  const [parent] = (metadata.annotations?.['argocd.argoproj.io/tracking-id'] ?? '').split(':');
  if (parent === undefined || parent === '') return [];
  return [`was deployed by Application ${parent.replace('_', '/')}: move it in that one's repository, too`];
}

/** Released Argo CD finds a cluster by its address, also when asked by name. */
function sharedAddresses({ secrets }: Plan): string[] {
  const byAddress = Map.groupBy(secrets, ({ from }) => from.server);
  return [...byAddress]
    .filter(([, same]) => same.length > 1)
    .map(
      ([server, same]) =>
        `Secrets ${same.map(({ name }) => name).join(', ')} share the address ${server}: Argo CD would use any one of ` +
        'them for all; Argosy tells them apart by name',
    );
}

/** Scoped clusters of the control plane are destinations of their project without being listed. */
function ownDestinations({ secrets }: Plan): string[] {
  return secrets.map(({ from, name }) => {
    const where = from.namespaces.length === 0 ? 'all namespaces' : `namespaces ${from.namespaces.join(', ')}`;
    return `Secret ${clusterKey(from)} -> ${name}: project ${from.project} gets ${where} of ${from.server} as destinations`;
  });
}
