import {
  type AppProject,
  type ClusterSecret,
  configMapData,
  type Parsed,
  type Problem,
  parseAppProject,
  parseClusterSecret,
  parseRepositorySecret,
  printProblems,
  type Repository,
  secretTypeLabel,
} from '../core/api/index.ts';
import { asJson, type KubeObject, nameOf, namespaceOf, uidOf } from '../core/objects/index.ts';
import { appProjects, configMaps, type Following, type Reader, secrets } from '../kube/index.ts';
import type { ObjectReference, SettingsReport } from './report.ts';
import { View, type ViewOptions } from './view.ts';

/** The ConfigMaps that are read, each by its own watch: no right to read any other is needed. */
export const configMapNames = [
  'argocd-cm',
  'argocd-cmd-params-cm',
  'argocd-rbac-cm',
  'argocd-tls-certs-cm',
  'argocd-ssh-known-hosts-cm',
  'argocd-gpg-keys-cm',
] as const;

export type ConfigMapName = (typeof configMapNames)[number];

/** A project as last read: the good one, or why there never was any. */
export type ProjectEntry = { readonly project: AppProject } | { readonly broken: string };

export interface ControlPlaneOptions {
  readonly reader: Pick<Reader, 'follow'>;
  readonly namespace: string;
  readonly report: SettingsReport;
  readonly onChange: () => void;
}

/** A ConfigMap as last read. */
export interface ConfigMapEntry {
  readonly about: ObjectReference;
  readonly data: ReadonlyMap<string, string>;
}

type SecretEntry = { readonly cluster: ClusterSecret } | { readonly repository: Repository };

/** What stands in the control-plane namespace: settings, projects, clusters, repositories, kept up by watches. */
export class ControlPlane {
  readonly #options: ControlPlaneOptions;
  readonly #maps = new Map<ConfigMapName, View<ConfigMapEntry>>();
  readonly #projects: View<ProjectEntry>;
  readonly #secrets: View<SecretEntry>;
  readonly #named = new Map<string, Pick<View<unknown>, 'isWhole' | 'error'>>();
  readonly #followings: Following[] = [];

  constructor(options: ControlPlaneOptions) {
    this.#options = options;
    for (const name of configMapNames) this.#maps.set(name, this.#followMap(name));
    this.#projects = this.#view('AppProjects', (object, before) => this.#keepProject(object, before));
    this.#follow(this.#projects, appProjects, {});
    this.#secrets = this.#view('Secrets', (object, before) => this.#keepSecret(object, before));
    const labelSelector = `${secretTypeLabel} in (cluster,repository,repo-creds)`;
    this.#follow(this.#secrets, secrets, { labelSelector });
  }

  /** True once everything was read to its end. */
  get isWhole(): boolean {
    return [...this.#maps.values(), this.#projects, this.#secrets].every((view) => view.isWhole);
  }

  /** What was not read to its end yet, with the reason where one is known. */
  *unread(): Iterable<string> {
    for (const [what, view] of this.#named) {
      if (!view.isWhole) yield `${what} cannot be read: ${view.error?.message ?? 'there was no answer yet'}`;
    }
  }

  /** Grows with every change of a Secret. */
  get secretsVersion(): number {
    return this.#secrets.version;
  }

  configMap(name: ConfigMapName): ConfigMapEntry | undefined {
    return this.#maps.get(name)?.get(`${this.#options.namespace}/${name}`);
  }

  *projects(): Iterable<[string, ProjectEntry]> {
    for (const [key, entry] of this.#projects.entries()) yield [key.slice(key.indexOf('/') + 1), entry];
  }

  *clusters(): Iterable<ClusterSecret> {
    for (const [, entry] of this.#secrets.entries()) if ('cluster' in entry) yield entry.cluster;
  }

  *repositories(): Iterable<Repository> {
    for (const [, entry] of this.#secrets.entries()) if ('repository' in entry) yield entry.repository;
  }

  async stop(): Promise<void> {
    for (const each of this.#followings) each.stop();
    await Promise.all(this.#followings.map((each) => each.done));
  }

  #followMap(name: ConfigMapName): View<ConfigMapEntry> {
    const keep = (object: KubeObject): ConfigMapEntry => ({
      about: referenceTo(object, 'v1', 'ConfigMap'),
      data: configMapData(asJson(object)),
    });
    const onDrop = ({ about }: ConfigMapEntry): void => {
      if (name === 'argocd-cm') this.#options.report.invalid(about, [{ path: '', message: 'was deleted' }], true);
    };
    const view = this.#view<ConfigMapEntry>(`ConfigMap ${name}`, keep, onDrop);
    this.#follow(view, configMaps, { fieldSelector: `metadata.name=${name}` });
    return view;
  }

  #view<T>(what: string, keep: ViewOptions<T>['keep'], onDrop: (value: T) => void = () => undefined): View<T> {
    const { report, onChange, namespace } = this.#options;
    const onBroken = (error: Error): void => report.unreadable(`${what} of ${namespace}`, error);
    const view = new View({ keep, onDrop, onChange, onBroken });
    this.#named.set(`${what} of namespace ${namespace}`, view);
    return view;
  }

  #follow<T>(view: View<T>, resource: Parameters<Reader['follow']>[0], select: Parameters<Reader['follow']>[1]): void {
    const { reader, namespace } = this.#options;
    this.#followings.push(reader.follow(resource, { ...select, namespace }, view));
  }

  #keepProject(object: KubeObject, before: ProjectEntry | undefined): ProjectEntry {
    const about = referenceTo(object, 'argoproj.io/v1alpha1', 'AppProject');
    const parsed = parseAppProject(asJson(object));
    if (parsed.ok) {
      this.#options.report.invalid(about, parsed.warnings ?? [], false);
      return { project: parsed.value };
    }
    const last = sameObject(before, about);
    this.#options.report.invalid(about, parsed.problems, last !== undefined);
    return last ?? { broken: printProblems(parsed.problems) };
  }

  #keepSecret(object: KubeObject, before: SecretEntry | undefined): SecretEntry | undefined {
    const isCluster = object.metadata.labels?.[secretTypeLabel] === 'cluster';
    const about = referenceTo(object, 'v1', 'Secret');
    const parsed: Parsed<SecretEntry> = isCluster
      ? wrapped(parseClusterSecret(asJson(object)), (cluster) => ({ cluster }))
      : wrapped(parseRepositorySecret(asJson(object)), (repository) => ({ repository }));
    const problems: readonly Problem[] = parsed.ok ? (parsed.warnings ?? []) : parsed.problems;
    // A Secret that turned from one type into another is another thing: nothing of the first stays.
    const last = before !== undefined && 'cluster' in before === isCluster ? before : undefined;
    this.#options.report.invalid(about, problems, !parsed.ok && last !== undefined);
    return parsed.ok ? parsed.value : last;
  }
}

/** A project that was deleted and made anew under its name does not inherit what the old one said. */
function sameObject(before: ProjectEntry | undefined, about: ObjectReference): ProjectEntry | undefined {
  if (before === undefined || !('project' in before)) return undefined;
  return before.project.metadata.uid === about.uid ? before : undefined;
}

function wrapped<A, B>(parsed: Parsed<A>, wrap: (value: A) => B): Parsed<B> {
  if (!parsed.ok) return parsed;
  return { ...parsed, value: wrap(parsed.value) };
}

function referenceTo(object: KubeObject, apiVersion: string, kind: string): ObjectReference {
  return { apiVersion, kind, namespace: namespaceOf(object), name: nameOf(object), uid: uidOf(object) };
}
