import type { Acceptance, AppProject, Cluster, ClusterSecret } from '../core/api/index.ts';
import { equal } from '../core/json/index.ts';
import { type AcceptanceInputs, acceptClusters, clusterJudge } from '../core/policy/index.ts';

/** Secrets that are judged together, because one quota counts them: those of one project. */
interface Group {
  readonly project: AppProject | undefined;
  readonly secrets: readonly ClusterSecret[];
}

/**
 * Which cluster Secrets are accepted, kept from one snapshot to the next: only the groups whose project, Secrets or common
 * rules changed are judged again. The answers are the policy's; here is only the memory.
 */
export class Acceptances {
  #rules: AcceptanceInputs | undefined;
  #secrets: readonly ClusterSecret[] = [];
  #byProject: ReadonlyMap<string, readonly ClusterSecret[]> = new Map();
  #groups = new Map<string, Group>();
  #judged = new WeakMap<ClusterSecret, Cluster>();
  #clusters: readonly Cluster[] = [];
  /** What the judge said of a Secret by itself, quotas aside, under the common rules and this project. */
  #verdicts = new WeakMap<
    ClusterSecret,
    { readonly project: AppProject | undefined; readonly acceptance: Acceptance }
  >();

  /**
   * Judges, one at a time, what `accept` with the same arguments is going to ask for. Thousands of new Secrets are more than
   * one stretch of work; whoever runs this can let others have their turn in between.
   */
  *ahead(inputs: AcceptanceInputs, secrets: readonly ClusterSecret[]): Generator<void> {
    this.#follow(inputs);
    const judge = clusterJudge(inputs);
    for (const secret of secrets) {
      if (this.#verdictOf(inputs, secret) !== undefined) continue;
      this.#verdicts.set(secret, { project: inputs.projects.get(secret.project), acceptance: judge(secret) });
      yield;
    }
  }

  /** All Secrets with their acceptance, in the order given; the same list as before where nothing changed. */
  accept(inputs: AcceptanceInputs, secrets: readonly ClusterSecret[]): readonly Cluster[] {
    this.#follow(inputs);
    const moved = this.#regroup(inputs, secrets);
    const judged = this.#judge(inputs);
    if (moved || judged)
      this.#clusters = secrets.map((each) => this.#judged.get(each)).filter((each) => each !== undefined);
    return this.#clusters;
  }

  /** Forgets what other common rules led to. */
  #follow(inputs: AcceptanceInputs): void {
    if (this.#rules === undefined || !sameRules(this.#rules, inputs)) {
      this.#groups = new Map();
      this.#verdicts = new WeakMap();
    }
    this.#rules = inputs;
  }

  #verdictOf(inputs: AcceptanceInputs, secret: ClusterSecret): Acceptance | undefined {
    const known = this.#verdicts.get(secret);
    return known !== undefined && known.project === inputs.projects.get(secret.project) ? known.acceptance : undefined;
  }

  #regroup({ controlPlane }: AcceptanceInputs, secrets: readonly ClusterSecret[]): boolean {
    if (secrets === this.#secrets) return false;
    this.#secrets = secrets;
    // The control plane's own are accepted whatever their project says, and count in no quota.
    this.#byProject = Map.groupBy(secrets, ({ namespace, project }) => (namespace === controlPlane ? '' : project));
    for (const name of this.#groups.keys()) if (!this.#byProject.has(name)) this.#groups.delete(name);
    return true;
  }

  #judge(inputs: AcceptanceInputs): boolean {
    let any = false;
    for (const [name, secrets] of this.#byProject) {
      const project = inputs.projects.get(name);
      const before = this.#groups.get(name);
      if (before !== undefined && before.project === project && sameItems(before.secrets, secrets)) continue;
      any = true;
      this.#groups.set(name, { project, secrets });
      const clusters = acceptClusters(inputs, secrets, (secret) => this.#verdictOf(inputs, secret));
      for (const [index, secret] of secrets.entries()) {
        const cluster = clusters[index];
        if (cluster !== undefined) this.#judged.set(secret, cluster);
      }
    }
    return any;
  }
}

/** Whether everything that bears on all Secrets alike is as before; a group's own project is looked at by itself. */
function sameRules(a: AcceptanceInputs, b: AcceptanceInputs): boolean {
  return (
    a.controlPlane === b.controlPlane &&
    a.tenantClusters === b.tenantClusters &&
    a.settings === b.settings &&
    equal(a.appNamespaces, b.appNamespaces) &&
    // A global project may lend its lists to any other.
    a.settings.globalProjects.every(({ projectName }) => a.projects.get(projectName) === b.projects.get(projectName))
  );
}

function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a === b || (a.length === b.length && a.every((each, index) => each === b[index]));
}
