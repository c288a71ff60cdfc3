import type { RespectRbac } from '../../core/api/index.ts';
import { type ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { CacheDoor, Following, FollowOptions, FollowSink, Resource } from '../../kube/index.ts';
import type { Intake, Store } from '../store.ts';
import { Absence } from './absence.ts';
import { isRefusal, type Judgement, refusedVerb } from './judge.ts';
import { type Clock, jittered, type Rhythm } from './rhythm.ts';
import type { Slots } from './slots.ts';

/** What all cells of a cluster share. */
export interface CellHouse {
  readonly door: CacheDoor;
  readonly store: Store;
  readonly slots: Slots;
  /** For access reviews, apart from lists: a thousand kinds that wait to be read must not keep one from being judged. */
  readonly reviewSlots: Slots;
  readonly clock: Clock;
  readonly random: () => number;
  readonly rhythm: Rhythm;
  readonly mode: RespectRbac;
  /** Whose fields to keep of whole objects. */
  readonly manager: string | undefined;
  /** What is known of the cell has changed: these asked for it while it was not known. */
  readonly known: (waiting: Iterable<string>) => void;
  /** A role or a binding has changed: rights in this namespace (empty: everywhere) may be others now. */
  readonly rightsChanged: (namespace: string) => void;
  /** The server does not know the kind any more: ask what it serves. */
  readonly lost: () => void;
  readonly log: (message: string, fields: { readonly [name: string]: string }) => void;
}

/** What can be said about a cell just now. */
export type CellState =
  | { readonly state: 'known' }
  /** It is being read for the first time, or anew. */
  | { readonly state: 'reading' }
  /** It was whole, and its last sign of life is too long ago. */
  | { readonly state: 'old' }
  /** The credential may not read it: single objects may still be asked for by name. */
  | { readonly state: 'dropped'; readonly reason: string }
  | { readonly state: 'unknown'; readonly reason: string };

type Phase = 'reading' | 'whole' | 'failing' | 'unknown' | 'dropped';

const triesInDoubt = 4;
/** So many are told at a probe in vain to look again at what is read one by one; the others at the next. */
const mostToLook = 100;

/** One kind in one namespace (or everywhere), kept up by a list and a watch. It degrades by itself and alone. */
export class Cell implements FollowSink {
  readonly resource: Resource;
  /** Undefined: the whole cluster. */
  readonly namespace: string | undefined;
  readonly kind: number;
  readonly lean: boolean;
  readonly #house: CellHouse;
  /** Instances that were told that this is not known. */
  readonly #waiting = new Set<string>();
  /** Instances that read objects of a dropped kind one by one: nothing tells them of changes. */
  readonly #byName = new Set<string>();
  readonly #readers = new Set<() => void>();
  #following: Following | undefined;
  #giveBack: () => void = () => undefined;
  #cancel: () => void = () => undefined;
  #phase: Phase = 'reading';
  #reason = '';
  /** What the last refusal was found to mean; undefined while it may be read. */
  #judged: string | undefined;
  readonly #absence: Absence;
  /** The right was refused just now, and is tried again before that counts. */
  #doubted = false;
  /** Lists are granted and watches were refused: only a watch that is accepted shows that the right is back. */
  #unwatched = false;
  #listing = true;
  #epoch = 1;
  /** How objects come to the store now: one value for all of a list. */
  #intake: Intake;
  #evidenceAt = Number.NEGATIVE_INFINITY;
  #inVain = 0;
  #stopped = false;
  #refreshing: Promise<void> | undefined;
  /** The reason why the whole cluster is in error, if this cell is it. */
  clusterError: string | undefined;

  constructor(
    what: { readonly resource: Resource; readonly namespace: string | undefined; readonly kind: number; lean: boolean },
    house: CellHouse,
  ) {
    this.resource = what.resource;
    this.namespace = what.namespace;
    this.kind = what.kind;
    this.lean = what.lean;
    this.#house = house;
    const { group, kind, plural: resource } = what.resource;
    this.#absence = new Absence({ group, kind, resource, namespace: what.namespace ?? '' }, house);
    this.#intake = this.#intakeNow();
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Whether a watch is kept up. */
  get following(): boolean {
    return this.#following !== undefined;
  }

  /** Whether a list is under way. */
  get listing(): boolean {
    return this.#listing && this.#following !== undefined;
  }

  start(): void {
    if (this.#stopped || this.#following !== undefined) return;
    const { door, slots, clock, rhythm } = this.#house;
    this.#giveBack();
    let cancel = (): void => undefined;
    const giveBack = slots.take((done) => {
      cancel = clock.after(rhythm.turnMs, done);
      this.#following = door.follow(this.resource, this.#select(), this);
    });
    this.#giveBack = () => {
      cancel();
      giveBack();
    };
  }

  stop(): void {
    this.#stopped = true;
    this.#end();
    this.#settle();
  }

  state(): CellState {
    const { clock, rhythm } = this.#house;
    const fresh = clock.now() - this.#evidenceAt <= rhythm.freshMs;
    switch (this.#phase) {
      case 'dropped':
        return { state: 'dropped', reason: this.#reason };
      case 'unknown':
        return { state: 'unknown', reason: this.#reason };
      case 'failing':
        // A passing fault takes nothing away before the evidence is too old.
        if (fresh && !this.#listing) return { state: 'known' };
        return this.#doubted ? { state: 'reading' } : { state: 'unknown', reason: this.#reason };
      case 'reading':
        return { state: 'reading' };
      case 'whole':
        if (this.#listing) return { state: 'reading' };
        return fresh ? { state: 'known' } : { state: 'old' };
    }
  }

  /** When the view was last known to be whole, in milliseconds since 1970. */
  get evidenceAt(): number {
    return this.#evidenceAt;
  }

  /** Resolves at the next change of what can be said. */
  async settled(): Promise<void> {
    if (this.#stopped) return;
    await new Promise<void>((resolve) => {
      this.#readers.add(resolve);
    });
  }

  /** Whom to tell when it is known (again). */
  tellLater(instance: string): void {
    this.#waiting.add(instance);
  }

  /** Who reads objects of this kind one by one is told now and then to look again. */
  lookAgain(instance: string): void {
    this.#byName.add(instance);
  }

  /** Rights have changed somewhere: asks anew for what is watched, and at once for what was refused. */
  recheck(): void {
    if (this.#stopped) return;
    if (this.#phase === 'dropped' || this.clusterError !== undefined) {
      this.#cancel();
      this.start();
    } else if (!this.#listing) this.#following?.renew?.();
  }

  /** Reads a new list beside the running watch, one for all who ask; the newest there is, not what a server's cache holds. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#readAnew().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #readAnew(): Promise<void> {
    const { door, store } = this.#house;
    let epoch = this.#nextEpoch();
    // What a list has named before it began again may be gone by now.
    const onRestart = (): void => {
      epoch = this.#nextEpoch();
    };
    try {
      const end = await door.list(this.resource, { ...this.#select(), onRestart }, (object) => {
        store.take(object, { ...this.#intake, epoch });
      });
      if (epoch === this.#epoch) this.#sweep(Number(end.resourceVersion));
      this.#evidence();
    } catch (error) {
      if (!isArgosyError(error)) throw error;
      // Who wants a new list wants to be sure: a refusal counts at once.
      if (isRefusal(error)) this.#refused(error);
      else this.broken(error);
    }
  }

  restart(): void {
    this.#listing = true;
    this.#nextEpoch();
  }

  upsert(object: KubeObject): void {
    this.#house.store.take(object, this.#intake);
    if (!this.#listing) this.#noteRights(object);
  }

  remove(object: KubeObject): void {
    this.#house.store.wentAway(this.kind, object);
    this.#noteRights(object);
  }

  complete(resourceVersion: string): void {
    if (this.#stopped) return;
    if (this.#listing) this.#sweep(Number(resourceVersion));
    this.#listing = false;
    this.#giveBack();
    if (!this.#unwatched) this.#evidence();
  }

  opened(): void {
    if (!this.#unwatched || this.#stopped) return;
    this.#unwatched = false;
    this.#evidence();
  }

  broken(error: Error): 'retry' | 'stop' {
    this.#giveBack();
    if (this.#stopped) return 'stop';
    if (isRefusal(error)) {
      const wasThere = this.#phase === 'whole' || this.#doubted;
      if (wasThere && this.#absence.isShort && error.code === 'kube-forbidden') this.#doubt(error);
      else this.#refused(error);
      return 'stop';
    }
    this.#doubted = false;
    // Who asked before the first answer was told that it is being read, and would be for as long as it fails.
    const isNews = this.#phase === 'reading';
    this.#say('failing', error.message);
    if (isNews) this.#tell();
    if (!isArgosyError(error) || error.code !== 'kube-not-found') return 'retry';
    // The kind may have gone: discovery decides that, not this answer alone.
    this.#unfollow();
    this.#house.lost();
    this.#startAgain(this.#house.rhythm.againMs, this.#house.rhythm.longestAgainMs);
    return 'stop';
  }

  /** A right that is back in a moment was never away; one that comes and goes must be met while it is there. */
  #doubt(error: ArgosyError): void {
    this.#unfollow();
    this.#absence.begin();
    this.#unwatched = refusedVerb(error) === 'watch';
    this.#doubted = true;
    this.#say('failing', error.message);
    this.#startIn(this.#house.rhythm.graceMs / triesInDoubt);
  }

  #refused(error: ArgosyError): void {
    if (this.#stopped) return;
    this.#unfollow();
    this.#absence.begin();
    this.#unwatched = refusedVerb(error) === 'watch';
    this.#doubted = false;
    // The same refusal once more means what it meant: nobody is told less meanwhile.
    this.#say(this.#phase === 'dropped' ? 'dropped' : 'unknown', this.#judged ?? error.message);
    void this.#absence.judge(error).then((meaning) => this.#obey(meaning));
  }

  #select(): FollowOptions {
    const { manager } = this.#house;
    return { namespace: this.namespace, metadataOnly: this.lean, keepFieldsOf: this.lean ? undefined : manager };
  }

  #obey(meaning: Judgement): void {
    if (this.#stopped) return;
    const { rhythm, store, log } = this.#house;
    const reason = meaning.means === 'readable' ? '' : meaning.message;
    this.clusterError = meaning.means === 'cluster-error' ? reason : undefined;
    const news = this.#judged !== reason;
    this.#judged = reason;
    if (meaning.means === 'no-access') {
      if (this.#phase !== 'dropped') log('a kind may not be read and is left out', { reason });
      // What was known may be anything by now: it is forgotten, and those it belonged to are told.
      this.#say('dropped', reason);
      store.sweep(this.kind, this.namespace, () => false);
      this.#evidenceAt = Number.NEGATIVE_INFINITY;
      this.#startIn(this.#absence.probeMs);
    } else {
      this.#say('unknown', reason);
      this.#startAgain(rhythm.againMs, rhythm.longestAgainMs);
    }
    this.#settle();
    // Who asked while the refusal was being judged was told less than is known now.
    if (news) this.#tell();
    else if (meaning.means === 'no-access') this.#letLook();
  }

  #startAgain(first: number, longest: number): void {
    const ms = Math.min(longest, first * 2 ** Math.min(this.#inVain, 16));
    this.#inVain++;
    this.#startIn(ms);
  }

  #startIn(ms: number): void {
    const { clock, random } = this.#house;
    this.#cancel();
    this.#cancel = clock.after(jittered(ms, random), () => this.start());
  }

  /** The longest unheard first. */
  #letLook(): void {
    const some = [...this.#byName].slice(0, mostToLook);
    for (const instance of some) this.#byName.delete(instance);
    if (some.length > 0) this.#house.known(some);
  }

  #noteRights({ metadata }: KubeObject): void {
    if (this.resource.group === 'rbac.authorization.k8s.io') this.#house.rightsChanged(metadata.namespace ?? '');
  }

  #evidence(): void {
    this.#evidenceAt = this.#house.clock.now();
    this.#inVain = 0;
    this.clusterError = undefined;
    this.#phase = 'whole';
    this.#reason = '';
    this.#judged = undefined;
    this.#absence.end();
    this.#doubted = false;
    this.#byName.clear();
    this.#settle();
    this.#tell();
  }

  #tell(): void {
    if (this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    this.#house.known(waiting);
  }

  /** What the list did not name is gone, unless it is newer than the list. */
  #sweep(version: number): void {
    const { store } = this.#house;
    const { epoch, version: versions } = store.table.columns;
    store.sweep(this.kind, this.namespace, (row) => epoch[row] === this.#epoch || (versions[row] ?? 0) > version);
  }

  #nextEpoch(): number {
    this.#epoch = (this.#epoch % 255) + 1;
    this.#intake = this.#intakeNow();
    return this.#epoch;
  }

  #intakeNow(): Intake {
    return { kind: this.kind, epoch: this.#epoch, whole: !this.lean, lean: this.lean };
  }

  #say(phase: Phase, reason: string): void {
    this.#phase = phase;
    this.#reason = reason;
    this.#settle();
  }

  #settle(): void {
    const readers = [...this.#readers];
    this.#readers.clear();
    for (const reader of readers) reader();
  }

  #end(): void {
    this.#cancel();
    this.#giveBack();
    this.#unfollow();
  }

  #unfollow(): void {
    this.#following?.stop();
    this.#following = undefined;
  }
}
