import {
  type Application,
  type Cluster,
  type DestinationServiceAccount,
  namespaceOfApplication,
  type Settings,
  type Snapshot,
} from '../api/index.ts';
import type { AccountMatch } from './accounts.ts';
import { matchDestination } from './destination.ts';
import type { EffectiveProject } from './effective.ts';
import type { Recorder } from './fact.ts';
import { note, noteRule, quote } from './note.ts';
import type { Written } from './origin.ts';
import { type Denied, denied } from './verdict.ts';
import { type ClusterReason, type Identity, serviceAccountUser } from './who.ts';

/** As whom the requests of an Application are made, or why none may be made. */
export type IdentityDecision =
  | { readonly ok: true; readonly identity: Identity; readonly warning?: string }
  | { readonly ok: false; readonly verdict: Denied };

/** A decision and the setting it holds under. */
export interface IdentityAnswer {
  readonly impersonation: Settings['impersonation'];
  readonly decision: IdentityDecision;
}

interface Question {
  readonly project: EffectiveProject;
  readonly cluster: Cluster;
  readonly impersonation: Settings['impersonation'];
  /** As written in the Application; may be empty. */
  readonly namespace: string;
  readonly applicationNamespace: string;
  readonly revision: string;
}

/**
 * The identity of every request made on behalf of an Application: one for all its objects, phases and purposes. Off: the
 * cluster's credential. On: the first matching entry of the project; without one the `default` account of the
 * destination namespace, or what `enforced` says; on a tenant's own cluster the tenant's credential.
 */
export function identityFor(
  snapshot: Snapshot,
  app: Application,
  where: { readonly project: EffectiveProject; readonly cluster: Cluster },
  recorder?: Recorder,
): IdentityDecision {
  const { project, cluster } = where;
  const { impersonation } = snapshot.settings;
  const namespace = app.spec.destination.namespace ?? '';
  const applicationNamespace = namespaceOfApplication(app, snapshot.controlPlane);
  // Without a destination namespace the answer depends on the Application's own; `/` keeps the two apart.
  const key = namespace === '' ? `/${applicationNamespace}` : namespace;
  const known = recorder === undefined ? project.memory.identity.get(cluster, key) : undefined;
  if (known !== undefined && known.impersonation === impersonation) return known.decision;
  const revision = `snapshot ${snapshot.revision}`;
  const decision = decide({ project, cluster, impersonation, namespace, applicationNamespace, revision }, recorder);
  project.memory.identity.offer(cluster, key, { impersonation, decision });
  return decision;
}

const step = 'identity';

function decide(question: Question, recorder: Recorder | undefined): IdentityDecision {
  const { project, impersonation, revision } = question;
  const place = {
    object: `ConfigMap ${project.controlPlane}/argocd-cm`,
    revision,
    field: 'data["application.sync.impersonation.enabled"]',
  };
  if (!impersonation.enabled) {
    note(recorder, place, {
      step,
      compared: "impersonation is off: requests carry the cluster's credential",
      decides: true,
      change: 'set application.sync.impersonation.enabled to "true"',
    });
    return ofCluster('impersonation-off');
  }
  note(recorder, place, { step, compared: 'impersonation is on' });
  const match = matchAccount(question);
  explainMatch(recorder, project, match);
  switch (match.outcome) {
    case 'entry':
      return accountOf(question, match.rule);
    case 'broken':
      return refuse(
        'account-invalid',
        `failed to derive service account to impersonate: invalid glob pattern for destination ${match.part}: ${quote(match.rule.value[match.part] ?? '')}`,
      );
    case 'none':
      return withoutEntry(question, recorder);
  }
}

function matchAccount(question: Question): AccountMatch {
  const { project, cluster, namespace } = question;
  if (namespace !== '') return project.accounts.match(cluster.server, namespace);
  return project.accounts.matchWithoutNamespace(cluster.server, (pattern) => permitsText(question, pattern));
}

/** Whether an entry's namespace, taken as text, is a destination of the project; none at all stands for the cluster alone. */
function permitsText({ project, cluster }: Question, namespace: string): boolean {
  return matchDestination(project, cluster, namespace === '' ? undefined : namespace).outcome === 'permitted';
}

function accountOf(question: Question, rule: Written<DestinationServiceAccount>): IdentityDecision {
  const written = rule.value.defaultServiceAccount;
  const colon = written.indexOf(':');
  const [namespace, name] =
    colon < 0 ? [homeOf(question), written] : [written.slice(0, colon), written.slice(colon + 1)];
  const user = serviceAccountUser(namespace, name);
  if (user !== undefined) return { ok: true, identity: { as: 'impersonate', user } };
  return refuse(
    'account-invalid',
    `failed to derive service account to impersonate: default service account contains invalid chars ${quote(written)}`,
  );
}

/** Where an account without a namespace of its own lives. */
function homeOf({ namespace, applicationNamespace }: Question): string {
  return namespace === '' ? applicationNamespace : namespace;
}

/** Nothing matched: the tenant's own credential, a refusal, the cluster's credential, or the `default` account. */
function withoutEntry(question: Question, recorder: Recorder | undefined): IdentityDecision {
  const { cluster, impersonation, namespace, project, revision } = question;
  const missing = `no matching service account found for destination server ${cluster.server} and namespace ${namespace}`;
  if (cluster.tenant) {
    note(
      recorder,
      {
        object: `Secret ${cluster.namespace}/${cluster.secret}`,
        revision: cluster.resourceVersion,
        field: 'data.config',
      },
      {
        step,
        compared: "a tenant's own cluster: its credential is the identity",
        decides: true,
        change: `add an entry for ${cluster.server} to spec.destinationServiceAccounts of ${project.object}`,
      },
    );
    return ofCluster('tenant-credential');
  }
  const enforced = {
    object: `ConfigMap ${project.controlPlane}/argocd-cm`,
    revision,
    field: 'data["application.sync.impersonation.enforced"]',
  };
  const add = `add an entry to spec.destinationServiceAccounts of ${project.object}`;
  if (impersonation.enforced === true) {
    note(recorder, enforced, {
      step,
      compared: '"true": without a matching entry nothing may be done',
      decides: true,
      change: add,
    });
    return refuse('account-missing', missing);
  }
  if (impersonation.enforced === false) {
    note(recorder, enforced, {
      step,
      compared: '"false": without a matching entry the cluster\'s credential is used',
      decides: true,
      change: add,
    });
    return {
      ...ofCluster('not-enforced'),
      warning: `${missing}; the cluster's credential is used because application.sync.impersonation.enforced is "false"`,
    };
  }
  note(recorder, enforced, {
    step,
    compared: `absent: the account 'default' of ${quote(homeOf(question))} stands in`,
    decides: true,
    change: add,
  });
  const user = serviceAccountUser(homeOf(question), 'default');
  return user === undefined ? refuse('account-invalid', missing) : { ok: true, identity: { as: 'impersonate', user } };
}

function ofCluster(because: ClusterReason): { readonly ok: true; readonly identity: Identity } {
  return { ok: true, identity: { as: 'cluster', because } };
}

function refuse(refusal: 'account-invalid' | 'account-missing', message: string): IdentityDecision {
  return { ok: false, verdict: denied(refusal, message, 'SyncError') };
}

function explainMatch(recorder: Recorder | undefined, project: EffectiveProject, match: AccountMatch): void {
  if (recorder === undefined) return;
  for (const rule of project.accounts.rules) {
    const decides = match.outcome !== 'none' && rule === match.rule;
    const { server, namespace = '', defaultServiceAccount } = rule.value;
    const entry = `{server: ${quote(server)}, namespace: ${quote(namespace)}} → ${quote(defaultServiceAccount)}`;
    if (!decides) noteRule(recorder, rule.origin, { step, compared: `${entry} does not match` });
    else {
      const compared =
        match.outcome === 'broken'
          ? `${entry}: its ${match.part} is no valid pattern`
          : `${entry} is the first that matches`;
      noteRule(recorder, rule.origin, {
        step,
        compared,
        decides: true,
        change: match.outcome === 'broken' ? 'correct the pattern' : 'put another entry before it, or take it out',
      });
      return;
    }
  }
}
