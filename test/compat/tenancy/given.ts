import assert from 'node:assert/strict';
import { CORE_SCHEMA, loadAll } from 'js-yaml';
import type { Application, Cluster, Snapshot } from '../../../src/core/api/index.ts';
import type { JsonObject } from '../../../src/core/json/index.ts';
import {
  type Admission,
  type Assembled,
  admitApplication,
  assembleSnapshot,
  type EffectiveProject,
  effectiveProject,
  FactList,
  type IdentityDecision,
  type Installation,
  permitsObject,
  type Subject,
  type Verdict,
} from '../../../src/core/policy/index.ts';

/** What an installation holds: flags, and YAML as its users write it. */
export class Given {
  readonly assembled: Assembled;

  constructor(yaml: string, flags: Partial<Installation> = {}) {
    const objects = loadAll(yaml, { schema: CORE_SCHEMA }).filter(
      (each) => each !== null && each !== undefined,
    ) as JsonObject[];
    this.assembled = assembleSnapshot(objects, { controlPlane: 'argocd', ...flags });
  }

  get snapshot(): Snapshot {
    return this.assembled.snapshot;
  }

  app(key: string): Application {
    const app = this.assembled.applications.get(key.includes('/') ? key : `argocd/${key}`);
    assert.ok(app, `${key} was not read: ${JSON.stringify(this.assembled.unreadable)}`);
    return app;
  }

  /** The admission of an Application; also proves that the explained decision is the same. */
  admit(key: string): Admission {
    const app = this.app(key);
    const admission = admitApplication(this.snapshot, app);
    const facts = new FactList();
    assert.deepEqual(shape(admitApplication(this.snapshot, app, facts)), shape(admission), 'why disagrees');
    assert.ok(
      facts.facts.some(({ decides }) => decides),
      'why names no deciding fact',
    );
    return admission;
  }

  admitted(key: string): Extract<Admission, { ok: true }> {
    const admission = this.admit(key);
    assert.ok(admission.ok, admission.ok ? '' : admission.refusals[0].message);
    return admission;
  }

  /** `Condition: message` of the first refusal. */
  refusal(key: string): string {
    const admission = this.admit(key);
    assert.ok(!admission.ok, 'was admitted');
    const [first] = admission.refusals;
    return `${first.condition}: ${first.message}`;
  }

  /** The user impersonated, `cluster: <why>`, or `refused: <text>`. */
  identity(key: string): string {
    return printIdentity(this.admitted(key).identity);
  }

  project(name: string): EffectiveProject {
    const project = effectiveProject(this.snapshot, name);
    assert.ok(project);
    return project;
  }

  cluster(key: string): Cluster {
    const cluster = this.snapshot.clusters.find(({ namespace, secret }) => `${namespace}/${secret}` === key);
    assert.ok(cluster, `no cluster ${key}: ${JSON.stringify(this.assembled.unreadable)}`);
    return cluster;
  }

  /** `accepted`, or the reason of the rejection. */
  acceptance(key: string): string {
    const { acceptance } = this.cluster(key);
    return acceptance.accepted ? 'accepted' : acceptance.reason;
  }

  /** What an Application may do with an object: `allowed`, or the text. */
  object(key: string, subject: Partial<Subject> & { readonly kind: string }): string {
    const { project, cluster } = this.admitted(key);
    const whole: Subject = { group: '', name: 'x', namespace: '', namespaced: true, ...subject };
    const place = { project, cluster, applicationNamespace: this.app(key).metadata.namespace ?? 'argocd' };
    const verdict = permitsObject(place, whole);
    const facts = new FactList();
    assert.deepEqual(permitsObject(place, whole, facts), verdict, 'why disagrees');
    assert.ok(facts.facts.some(({ decides }) => decides));
    return text(verdict);
  }
}

function shape(admission: Admission): unknown {
  if (!admission.ok) return admission.refusals;
  return [
    admission.project.name,
    admission.cluster.server,
    admission.cluster.secret,
    admission.identity,
    admission.warnings,
  ];
}

export function printIdentity(decision: IdentityDecision): string {
  if (!decision.ok) return `refused: ${decision.verdict.message}`;
  const { identity } = decision;
  return identity.as === 'impersonate' ? identity.user : `cluster: ${identity.because}`;
}

export function text(verdict: Verdict): string {
  return verdict.answer === 'allowed' ? 'allowed' : verdict.message;
}

/** An Application as users write it; `more` is put into its spec. */
export function application(name: string, namespace: string, spec: string): string {
  return `
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ${namespace}}
spec:
${indent(spec)}
`;
}

/** A project in the control-plane namespace. */
export function project(name: string, spec: string, metadata = ''): string {
  return `
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: ${name}, namespace: argocd, resourceVersion: '7'${metadata === '' ? '' : `, ${metadata}`}}
spec:
${indent(spec)}
`;
}

/** The settings of `argocd-cm`. */
export function settings(data: string): string {
  return `
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data:
${indent(data)}
`;
}

/** A cluster Secret. */
export function clusterSecret(name: string, namespace: string, data: string, created = '2026-01-01T00:00:00Z'): string {
  return `
---
apiVersion: v1
kind: Secret
metadata:
  name: ${name}
  namespace: ${namespace}
  creationTimestamp: '${created}'
  labels: {argocd.argoproj.io/secret-type: cluster}
stringData:
${indent(data)}
`;
}

/** The one object of a text. */
export function yamlOf(text: string): JsonObject {
  const [object] = loadAll(text, { schema: CORE_SCHEMA }).filter((each) => each !== null && each !== undefined);
  return object as JsonObject; // the core schema makes JSON values only
}

function indent(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

export const local = 'https://kubernetes.default.svc';
