import { hash } from 'node:crypto';
import type { Settings } from '../../core/api/index.ts';
import {
  type DryRunVerdict,
  Judge,
  type JudgeOptions,
  type Live,
  type LiveObject,
  type Prediction,
  type Target,
} from '../../core/diff/index.ts';
import { ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import { own } from '../../core/json/index.ts';
import { gvkOf, type KubeObject, kindText, type ObjectKey, printKey, roleOf } from '../../core/objects/index.ts';
import type { Identity } from '../../core/policy/index.ts';
import type { Resource } from '../../kube/index.ts';
import { type Door, fieldManager } from './carry-out.ts';
import type { Closeup } from './closeup.ts';
import { Turns } from './turns.ts';

/** Whose objects are looked at, by which rules, and through which door. */
export interface Question {
  readonly targets: readonly Target[];
  readonly live: Live;
  readonly rules: JudgeOptions & { readonly settings: Settings };
  /** Whether the API server is asked what it would make of each target. */
  readonly serverSide: boolean;
  readonly permits: ((key: ObjectKey) => boolean) | undefined;
  readonly resource: (key: ObjectKey) => Resource | undefined;
  readonly identity: Identity;
  readonly door: Door;
  readonly closeup: Closeup;
}

/** What the cache does not keep and a comparison needs. */
export interface CloseLook {
  readonly live: Live;
  /** By `printKey`; undefined where the API server is not asked. */
  readonly predicted: ReadonlyMap<string, Prediction> | undefined;
  /** Something could not be found out: nobody will tell when it can be. */
  readonly failed: boolean;
}

const stage = 'Failed to compare desired state to live state';
const looksAtOnce = 8;
const callMs = 15_000;

/** Whether anything of an Application needs a closer look; nothing does where all is plain. */
export function needsCloserLook({
  targets,
  live,
  rules,
  serverSide,
}: Pick<Question, 'targets' | 'live' | 'rules' | 'serverSide'>): boolean {
  if (serverSide || asksForManagers(rules)) return true;
  return targets.some(({ key, object }) => {
    const there = live.objects.get(printKey(key));
    return there !== undefined && there.object.apiVersion !== object.apiVersion;
  });
}

function asksForManagers({ ignoreDifferences = [], settings }: Question['rules']): boolean {
  const named = (managers: readonly string[] | undefined): boolean => (managers ?? []).length > 0;
  if (ignoreDifferences.some(({ managedFieldsManagers }) => named(managedFieldsManagers))) return true;
  return [...settings.resourceOverrides.values()].some(({ ignoreDifferences: rule }) =>
    named(rule?.managedFieldsManagers),
  );
}

/**
 * Looks closer, in the Application's name, at those objects of which the cache knows too little: served in another version
 * than they are written in, ignored by the managers of their fields, or compared on the server. What was found out is good
 * until the object, its target or the rules change, so an Application at rest asks nothing.
 */
export async function lookCloser(question: Question): Promise<CloseLook> {
  const look = new Look(question);
  const pairs = look.pairs();
  const turns = new Turns();
  const worker = async (): Promise<void> => {
    for (const pair of pairs) {
      await look.at(pair);
      await turns.over();
    }
  };
  await Promise.all(Array.from({ length: looksAtOnce }, worker));
  question.closeup.keepOnly(question.targets.map(({ key }) => printKey(key)));
  return look.found();
}

interface Pair {
  readonly target: Target;
  readonly there: LiveObject;
}

class Look {
  readonly #question: Question;
  readonly #judge: Judge;
  readonly #objects: Map<string, LiveObject>;
  readonly #unknown: Map<string, string>;
  readonly #predicted = new Map<string, Prediction>();
  #changed = false;
  #failed = false;

  constructor(question: Question) {
    this.#question = question;
    this.#judge = new Judge(question.rules);
    this.#objects = new Map(question.live.objects);
    this.#unknown = new Map(question.live.unknown);
  }

  /** What can be compared at all: a target with its live object, permitted, and no hook. */
  *pairs(): Generator<Pair> {
    const { targets, live, permits } = this.#question;
    if (this.#judge.problems.length > 0) return;
    for (const target of targets) {
      const there = live.objects.get(printKey(target.key));
      if (there === undefined || roleOf(target.object).role !== 'managed') continue;
      if (permits?.(target.key) !== false) yield { target, there };
    }
  }

  found(): CloseLook {
    const { live, serverSide } = this.#question;
    return {
      live: this.#changed ? { objects: this.#objects, unknown: this.#unknown } : live,
      predicted: serverSide ? this.#predicted : undefined,
      failed: this.#failed,
    };
  }

  async at(pair: Pair): Promise<void> {
    const text = printKey(pair.target.key);
    try {
      const there = await this.#withManagers(pair.target, await this.#inVersion(pair));
      if (there !== pair.there) {
        this.#changed = true;
        this.#objects.set(text, there);
      }
      if (this.#question.serverSide) this.#predicted.set(text, await this.#predict(pair.target, there));
    } catch (error) {
      if (!isArgosyError(error)) throw error;
      this.#changed = true;
      this.#failed = true;
      this.#objects.delete(text);
      this.#unknown.set(text, `${stage}: ${error.message}${this.#otherVersion(pair.target, error)}`);
    }
  }

  /** The live object in the version of its target: only there do the same fields have the same names. */
  async #inVersion({ target, there }: Pair): Promise<LiveObject> {
    const { apiVersion } = target.object;
    if (there.object.apiVersion === apiVersion) return there;
    const token = this.#token(there, apiVersion);
    const object = await this.#question.closeup.versions.recall(printKey(target.key), token, async () => ({
      value: await this.#read(target),
      good: true,
    }));
    return { key: there.key, object };
  }

  /** The live object with everybody's fields, where a rule is about them; the cache keeps our own only. */
  async #withManagers(target: Target, there: LiveObject): Promise<LiveObject> {
    if (isComplete(there.object) || !this.#judge.asksForManagers(target, there)) return there;
    let fresh: KubeObject | undefined;
    const { resourceVersion } = there.object.metadata;
    const fields = await this.#question.closeup.fields.recall(
      printKey(target.key),
      this.#token(there, target.object.apiVersion),
      async () => {
        fresh = await this.#read(target);
        // Fields of a newer object say nothing about this one: good for now, and not to be remembered.
        const good = fresh.metadata.resourceVersion === resourceVersion;
        return { value: fresh.metadata.managedFields ?? [], good };
      },
    );
    const { metadata } = there.object;
    const object = fresh ?? { ...there.object, metadata: { ...metadata, managedFields: fields } };
    return { key: there.key, object };
  }

  async #predict(target: Target, there: LiveObject): Promise<Prediction> {
    const { rules, closeup } = this.#question;
    const { ignoreDifferences, syncOptions, includeMutations, settings } = rules;
    const by = JSON.stringify([ignoreDifferences, syncOptions, includeMutations, settings.compareOptions]);
    const wanted = hash('sha1', `${JSON.stringify(target.object)}\n${by}`);
    const token = `${this.#token(there, wanted)} ${identityOf(settings.resourceOverrides)}`;
    const verdict = await closeup.verdicts.recall(printKey(target.key), token, async () => {
      const value = this.#judge.ofDryRun(await this.#tryOut(target), target, there);
      return { value, good: true };
    });
    return { verdict: withStage(verdict, target) };
  }

  #tryOut(target: Target): Promise<KubeObject> {
    const { door } = this.#question;
    return door.apply(this.#resource(target), target.object, {
      fieldManager,
      force: true,
      dryRun: true,
      fieldValidation: 'Ignore',
      deadlineMs: callMs,
    });
  }

  #read(target: Target): Promise<KubeObject> {
    const { namespace, name } = target.key;
    return this.#question.door.get(this.#resource(target), namespace, name, { deadlineMs: callMs });
  }

  /** The kind in the version the target is written in, whichever the cluster prefers. */
  #resource({ key, object }: Target): Resource {
    const resource = this.#question.resource(key);
    if (resource === undefined) throw new ArgosyError('unknown', `the cluster does not serve ${kindText(key)}`);
    return { ...resource, version: gvkOf(object).version };
  }

  /** It is there, and not to be found in this version: most likely the cluster does not serve that. */
  #otherVersion({ key, object }: Target, { code }: ArgosyError): string {
    const served = this.#question.resource(key)?.version;
    if (code !== 'kube-not-found' || served === undefined || served === gvkOf(object).version) return '';
    return `; the cluster serves ${kindText(key)} as ${served}, write the manifest in that version`;
  }

  /** What an answer was made from: this very state of the object, asked for as this identity. */
  #token({ object }: LiveObject, more: string): string {
    const { identity } = this.#question;
    const who = identity.as === 'impersonate' ? identity.user : '';
    return `${object.metadata.uid} ${object.metadata.resourceVersion} ${who} ${more}`;
  }
}

/** Where others' entries are kept, all are: the cache leaves either our own or everything. */
function isComplete({ metadata }: KubeObject): boolean {
  return (metadata.managedFields ?? []).some((entry) => own(entry, 'manager') !== fieldManager);
}

function withStage(verdict: DryRunVerdict, { key }: Target): DryRunVerdict {
  if (verdict.known) return verdict;
  return { known: false, reason: `${stage}: ${kindText(key)} ${key.name}: ${verdict.reason}` };
}

const identities = new WeakMap<object, number>();
let given = 0;

/** A number for a value that is replaced, never changed: as good as its content, and cheap. */
function identityOf(value: object): number {
  const known = identities.get(value) ?? ++given;
  identities.set(value, known);
  return known;
}
