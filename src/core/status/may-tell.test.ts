import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { afterHealth, afterOtherNews, isTellingOver, mayTell, type Telling } from './may-tell.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** An Application whose health is looked at when it changes and when it was asked for, as the queue does. */
class Watched {
  now = 0;
  health = 'Healthy';
  written = 'Healthy';
  readonly writes: number[] = [];
  others = 0;
  #telling: Telling | undefined;
  #againAt = Number.POSITIVE_INFINITY;

  /** Lets time go by, with every look that was asked for meanwhile. */
  wait(ms: number): void {
    const end = this.now + ms;
    while (this.#againAt <= end) {
      this.now = Math.max(this.now, this.#againAt);
      this.#look();
    }
    this.now = end;
  }

  turn(health: string): void {
    this.health = health;
    this.#look();
  }

  otherNews(): void {
    this.written = this.health;
    this.others++;
    this.#telling = afterOtherNews(this.#telling, this.now);
    this.#look();
  }

  get isHeld(): boolean {
    return this.#againAt !== Number.POSITIVE_INFINITY;
  }

  get isForgotten(): boolean {
    return this.#telling === undefined || isTellingOver(this.#telling, this.now);
  }

  #look(): void {
    this.#againAt = Number.POSITIVE_INFINITY;
    if (this.health === this.written) {
      if (this.#telling !== undefined) this.#telling = { spent: this.#telling.spent, at: this.#telling.at };
      return;
    }
    const answer = mayTell(this.#telling, this.health, this.now);
    if (answer.tell) {
      this.written = this.health;
      this.writes.push(this.now);
      this.#telling = afterHealth(this.#telling, this.now);
      return;
    }
    assert.ok(this.#telling, 'who was never told is told at once');
    this.#telling = { ...this.#telling, held: answer.held };
    this.#againAt = this.now + answer.againInMs;
  }
}

const other = (health: string): string => (health === 'Healthy' ? 'Degraded' : 'Healthy');

/** The most writes that fall into any one hour. */
function mostInAnHour(writes: readonly number[]): number {
  return Math.max(0, ...writes.map((from) => writes.filter((at) => at >= from && at < from + hour).length));
}

test('the first changes are told at once, the end of a rollout among them', () => {
  const app = new Watched();
  for (const health of ['Progressing', 'Degraded', 'Progressing', 'Healthy', 'Progressing', 'Healthy']) {
    app.turn(health);
    assert.equal(app.written, health);
    app.wait(second);
  }
});

test('what flaps ten times a second for hours is told rarely, and its last state ten seconds after the end', () => {
  const app = new Watched();
  for (let flip = 0; flip < (3 * hour) / 100; flip++) {
    app.turn(other(app.health));
    app.wait(100);
  }
  assert.ok(mostInAnHour(app.writes) <= 12, `${mostInAnHour(app.writes)} in an hour`);
  assert.ok(app.writes.length >= 10, 'it is not forgotten either');
  app.turn('Missing');
  app.wait(10 * second);
  assert.equal(app.written, 'Missing');
});

test('a flap that comes back to what stands written writes nothing and leaves no timer', () => {
  const app = new Watched();
  for (let flip = 0; flip < 6; flip++) app.turn(other(app.health));
  assert.equal(app.writes.length, 6);
  app.turn('Degraded');
  assert.ok(app.isHeld);
  app.wait(9 * second);
  app.turn('Healthy');
  assert.ok(!app.isHeld);
  app.wait(hour);
  assert.equal(app.writes.length, 6);
});

test('whoever turns as soon as the last turn was told gets no more than twelve writes in an hour', () => {
  const app = new Watched();
  for (let step = 0; step < 5 * 3600; step++) {
    if (app.written === app.health) app.turn(other(app.health));
    app.wait(second);
  }
  assert.ok(mostInAnHour(app.writes) <= 12, `${mostInAnHour(app.writes)} in an hour`);
});

test('every other write makes up for one: rollout after rollout is told at once', () => {
  const app = new Watched();
  for (let rollout = 0; rollout < 50; rollout++) {
    app.health = 'Progressing';
    app.otherNews();
    app.wait(20 * second);
    app.turn('Healthy');
    assert.equal(app.written, 'Healthy', `rollout ${rollout}`);
    app.wait(10 * second);
  }
});

test('what was told is forgotten in time', () => {
  const app = new Watched();
  for (let flip = 0; flip < 20; flip++) app.turn(other(app.health));
  assert.ok(!app.isForgotten);
  app.wait(3 * hour);
  assert.ok(app.isForgotten);
  assert.ok(!app.isHeld);
});

test('a clock that was set back holds nothing back for longer', () => {
  const telling: Telling = { spent: 6, at: 10 * hour, held: { health: 'Degraded', since: 10 * hour } };
  const answer = mayTell(telling, 'Degraded', hour);
  assert.ok(!answer.tell && answer.againInMs <= 10 * second);
});

test('law: however health turns, the newest is told when it has settled, and at most twelve times in an hour', () => {
  const step = fc.record({
    health: fc.constantFrom('Healthy', 'Progressing', 'Degraded', 'Missing'),
    waitMs: fc.oneof(
      fc.integer({ min: 0, max: 200 }),
      fc.integer({ min: 0, max: 15 * second }),
      fc.integer({ min: 0, max: 20 * minute }),
    ),
    news: fc.constantFrom(false, false, false, false, true),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const app = new Watched();
      for (const { health, waitMs, news } of steps) {
        app.turn(health);
        if (news) app.otherNews();
        app.wait(waitMs);
        assert.equal(app.isHeld, app.written !== app.health, 'there is a timer exactly while something is held');
      }
      assert.ok(mostInAnHour(app.writes) <= 12 + app.others);
      app.wait(15 * minute);
      assert.equal(app.written, app.health);
    }),
    { numRuns: 300 },
  );
});

test('law: after flips that never rest, the last state is told ten seconds after it at the latest', () => {
  const flips = fc.array(fc.integer({ min: 0, max: 9 * second }), { minLength: 1, maxLength: 500 });
  fc.assert(
    fc.property(flips, (waits) => {
      const app = new Watched();
      for (const waitMs of waits) {
        app.turn(other(app.health));
        app.wait(waitMs);
      }
      app.turn('Missing');
      app.wait(10 * second);
      assert.equal(app.written, 'Missing');
      assert.ok(mostInAnHour(app.writes) <= 12);
    }),
    { numRuns: 200 },
  );
});
