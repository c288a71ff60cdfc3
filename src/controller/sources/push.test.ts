import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTestRepository } from '../../../test/support/git-repository.ts';
import { plainSnapshot } from '../../../test/support/plain-snapshot.ts';
import { configMap, openRenderHouse } from '../../../test/support/render-house.ts';
import { type Application, parseApplication } from '../../core/api/index.ts';
import { createGit } from '../../git/index.ts';
import { createSpawner, type Spawner } from '../../spawn/index.ts';
import { createSources } from './sources.ts';

const directory = mkdtempSync(join(tmpdir(), 'argosy-push-'));
const spawner = createSpawner({ temporaryRoot: join(directory, 'scratch') });
const git = createGit({ spawner: counted(spawner), cacheDir: join(directory, 'mirrors'), allowedHosts: ['file:'] });
const rendering = openRenderHouse();
const count = 60;
const folders = Array.from({ length: count }, (_, at) => `app-${at}`);
const origin = createTestRepository(contents(folders, 'first'));
after(async () => {
  git.close();
  await rendering.close();
  await spawner.close();
  origin.remove();
  rmSync(directory, { recursive: true, force: true });
});

let writes = 0;
let questions = 0;

/** The same, counting what is said to children that stay open. */
function counted(real: Spawner): Spawner {
  return {
    ...real,
    session: (request) => {
      const session = real.session(request);
      const write = (bytes: Buffer | string): boolean => {
        writes++;
        questions += bytes.toString().match(/^(?:info|contents) /gm)?.length ?? 0;
        return session.write(bytes);
      };
      return { ...session, write };
    },
  };
}

function contents(of: readonly string[], turn: string): Record<string, string> {
  return Object.fromEntries(of.map((folder) => [`${folder}/map.yaml`, configMap(`${folder}-${turn}`)]));
}

function application(path: string): Application {
  const parsed = parseApplication({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: path, namespace: 'team' },
    spec: { project: 'default', source: { repoURL: origin.url, targetRevision: 'main', path }, destination: {} },
  });
  assert.ok(parsed.ok);
  return parsed.value;
}

test('git is asked for what a push has touched, once for all and in a few writes', async () => {
  let touched: readonly string[] = [];
  const sources = createSources({
    git,
    snapshot: () => plainSnapshot,
    render: (app, { source }, { own }) =>
      rendering.render({ tree: own, source, context: { appName: app.metadata.name } }),
    served: () => ({ known: false, reason: 'nobody asks' }) as never, // nothing is asked of it
    pollMs: () => 0,
    random: () => 0,
    onChange: (keys) => {
      touched = keys;
    },
  });
  const apps = new Map(folders.map((folder) => [`team/${folder}`, application(folder)]));
  const look = async (keys: Iterable<string>): Promise<unknown> =>
    Promise.all(
      [...keys].map(async (key) => {
        const app = apps.get(key);
        assert.ok(app);
        const { manifests } = await sources.manifests(key, app, { refresh: undefined, override: {} });
        return manifests?.rendered.map(({ object }) => object.metadata.name);
      }),
    );
  for (const [key, app] of apps) sources.track(key, app);
  await look(apps.keys());
  for (const number of [1, 10, count]) {
    origin.commit(contents(folders.slice(0, number), `turn-${number}`));
    [writes, questions] = [0, 0];
    await sources.poll(origin.url);
    assert.equal(touched.length, number);
    assert.deepEqual(
      await look(touched),
      folders.slice(0, number).map((folder) => [`${folder}-turn-${number}`]),
    );
    // The commit, its root (also as a tree, with its content), and of each folder the tree and its file: size and content.
    assert.equal(questions, 4 + 4 * number);
    // One write for each step, and a few more where an answer comes in pieces.
    assert.ok(writes <= 8 + number, `${writes} writes for ${questions} questions`);
  }
  await sources.stop();
});
