import type { IgnoreDifference, Settings } from '../api/index.ts';
import { asJson, type KubeObject, printKey, words } from '../objects/index.ts';
import { type DiffersOptions, differenceOf } from './differs.ts';
import { type DryRunVerdict, judgeDryRun, type Prediction } from './dry-run.ts';
import { Effort } from './effort.ts';
import { type Ignored, type IgnoreTable, ignoreTable } from './ignore.ts';
import { respecting, withoutIgnored } from './ignored-paths.ts';
import { alikeFor } from './known-types.ts';
import type { NormalOptions } from './normal.ts';
import { defaultTracking, isOfFormerMethod, markPaths, type Tracking } from './tracking.ts';
import type { LiveObject, Target } from './types.ts';

/** What the settings say about comparing. */
export type DiffSettings = Pick<
  Settings,
  'trackingMethod' | 'instanceLabelKey' | 'installationID' | 'resourceOverrides' | 'compareOptions'
>;

export interface JudgeOptions {
  /** The Application's name in marks. */
  readonly instance: string;
  /** From `argocd-cm`; Argo CD's defaults unless given. */
  readonly settings?: DiffSettings | undefined;
  /** The Application's `spec.ignoreDifferences`. */
  readonly ignoreDifferences?: readonly IgnoreDifference[] | undefined;
  /** The Application's `spec.syncPolicy.syncOptions`. */
  readonly syncOptions?: readonly string[] | undefined;
  /** Answers of dry runs by `printKey`, for those objects that are compared on the server. */
  readonly predicted?: ReadonlyMap<string, Prediction> | undefined;
  /** With `predicted`: what admission changes counts, too. */
  readonly includeMutations?: boolean | undefined;
}

/** What one pair came to. */
export type Judgement =
  | { readonly known: true; readonly difference: readonly string[] | undefined; readonly target: Target }
  | { readonly known: false; readonly reason: string };

/** So many rules are asked about an object in the time of one step of a program. */
const rulesPerStep = 4;
/** Each object brings its share: a few rules are no trouble, however many objects there are. */
const stepsOfEach = 50;

const tooMuch = {
  known: false,
  reason: 'the ignoreDifferences of this Application cost too much for its objects: write fewer or simpler rules',
} as const;

/** Compares pairs under the rules of one Application. */
export class Judge {
  readonly tracking: Tracking;
  readonly #options: JudgeOptions;
  readonly #normal: NormalOptions;
  readonly #ignored: IgnoreTable;
  readonly #effort = new Effort();

  constructor(options: JudgeOptions) {
    const { settings, ignoreDifferences = [] } = options;
    this.tracking = settings ?? defaultTracking;
    this.#options = options;
    this.#normal = normalOptions(settings);
    this.#ignored = ignoreTable(ignoreDifferences, settings?.resourceOverrides);
  }

  /** Why nothing can be compared; empty where it can. */
  get problems(): readonly string[] {
    return this.#ignored.problems;
  }

  /** Tells what applying the target would change first, and the target as it is to be applied. */
  of(target: Target, live: LiveObject): Judgement {
    const judgement = this.#effort.isSpent ? tooMuch : this.#judged(target, live);
    return this.#effort.isSpent ? tooMuch : judgement;
  }

  #judged(target: Target, live: LiveObject): Judgement {
    const prediction = this.#options.predicted?.get(printKey(target.key));
    if (prediction !== undefined) return this.#fromDryRun(prediction, target, live);
    const ignored = this.#ignoredOf(target);
    const former = isOfFormerMethod(live, this.#options.instance, this.tracking);
    const options = this.#differsOptions(target, ignored, former);
    const difference = differenceOf(target.object, live.object, options);
    return { known: true, difference, target: this.#respected(target, live, ignored) };
  }

  /** Whether it matters who else owns fields of the live object: a rule asks for it, and something differs. */
  asksForManagers(target: Target, live: LiveObject): boolean {
    const ignored = this.#ignoredOf(target);
    if (ignored === undefined || ignored.managers.size === 0) return false;
    const judgement = this.of(target, live);
    return judgement.known && judgement.difference !== undefined;
  }

  /** What a dry run comes to under these rules. */
  ofDryRun(predicted: KubeObject, target: Target, live: LiveObject): DryRunVerdict {
    const former = isOfFormerMethod(live, this.#options.instance, this.tracking);
    const options = this.#differsOptions(target, this.#ignoredOf(target), former);
    const { includeMutations } = this.#options;
    const verdict = judgeDryRun(predicted, live.object, { ...options, includeMutations });
    return this.#effort.isSpent ? tooMuch : verdict;
  }

  #fromDryRun(prediction: Prediction, target: Target, live: LiveObject): Judgement {
    if ('error' in prediction) return { known: false, reason: prediction.error };
    const verdict = 'verdict' in prediction ? prediction.verdict : this.ofDryRun(prediction.object, target, live);
    if (!verdict.known) return verdict;
    const ignored = this.#ignoredOf(target);
    return { known: true, difference: verdict.difference, target: this.#respected(target, live, ignored) };
  }

  #ignoredOf({ key }: Target): Ignored | undefined {
    this.#effort.nextObject(stepsOfEach);
    this.#effort.spend(this.#ignored.size / rulesPerStep);
    return this.#ignored.of(key);
  }

  #differsOptions(target: Target, ignored: Ignored | undefined, former: boolean): DiffersOptions {
    const marks = former ? markRule(this.tracking) : undefined;
    const rules = [ignored, marks].filter((rule) => rule !== undefined);
    return {
      ...this.#normal,
      clientSide: isClientSide(target.object, this.#options.syncOptions ?? []),
      alike: alikeFor(target.key, this.#options.settings?.resourceOverrides),
      without:
        rules.length === 0
          ? undefined
          : (pair, whole) => rules.reduce((now, rule) => withoutIgnored(now, whole, rule, this.#effort), pair),
    };
  }

  #respected(target: Target, live: LiveObject, ignored: Ignored | undefined): Target {
    if (ignored === undefined || !(this.#options.syncOptions ?? []).includes('RespectIgnoreDifferences=true')) {
      return target;
    }
    const json = respecting(asJson(target.object), asJson(live.object), ignored, {
      always: markPaths(this.tracking),
      effort: this.#effort,
    });
    return { ...target, object: json as unknown as KubeObject }; // kind, version and name are the target's
  }
}

/** The marks do not count: neither the one that is due nor the one it replaces. */
function markRule(tracking: Tracking): Ignored {
  const label = ['metadata', 'labels', tracking.instanceLabelKey];
  return { pointers: [...markPaths(tracking), label], programs: [], managers: new Set() };
}

function normalOptions(settings: DiffSettings | undefined): NormalOptions {
  const { ignoreAggregatedRoles = false, ignoreResourceStatusField = 'all' } = settings?.compareOptions ?? {};
  return { ignoreAggregatedRoles, ignoreStatus: statusWord(ignoreResourceStatusField) };
}

/** Any word we do not know means all, as in Argo CD. */
export function statusWord(written: string): NonNullable<NormalOptions['ignoreStatus']> {
  if (written === 'none' || written === 'off' || written === 'false') return 'none';
  return written === 'crd' ? 'crd' : 'all';
}

/** The object's own word wins over the Application's; without any it is applied server-side. */
function isClientSide(object: KubeObject, options: readonly string[]): boolean {
  const own = words(object, 'argocd.argoproj.io/sync-options') ?? [];
  if (own.includes('ServerSideApply=false')) return true;
  return !own.includes('ServerSideApply=true') && options.includes('ServerSideApply=false');
}
