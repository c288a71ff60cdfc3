import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellStory } from '../../src/main/demo/story.ts';
import { startDemo } from '../../src/main/demo/world.ts';
import { silentLogger } from '../../src/telemetry/index.ts';

test('the demo walks the four proposals, and every chapter comes true', async () => {
  const demo = await startDemo(silentLogger, 'test');
  try {
    const chapters = await tellStory(demo, () => undefined);
    assert.deepEqual(
      chapters.filter(({ ok }) => !ok),
      [],
    );
    assert.equal(chapters.length, 5);
  } finally {
    await demo.stop();
  }
});
