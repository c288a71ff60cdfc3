import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { isArgosyError } from '../../src/core/errors/index.ts';
import { configMap, type Files, openRenderHouse, type RenderHouse, type Wanted } from './render-house.ts';

/** A place to render what a hostile tenant writes, with a secret outside of it that must never be told. */
export interface HostileHouse {
  readonly house: RenderHouse;
  /** What the secret holds, and nothing else does. */
  readonly canary: string;
  /** A directory outside the tree; it holds a kustomization and the secret. */
  readonly planted: string;
  /** The file with the secret. */
  readonly secret: string;
  /** From a directory two levels below the root, the way up to a planted file, which is the secret unless told. */
  up(file?: string): string;
  /** Expects an error with one of the codes that tells nothing of the secret or of this machine. */
  refused(wanted: Wanted, codes?: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** A small chart that prints its values. */
export const chart: Files = {
  'app/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
  'app/templates/x.yaml': configMap('x', 'v: {{ .Values | toJson | quote }}'),
};

/** Opens the house and plants the secret. */
export function openHostileHouse(): HostileHouse {
  const house = openRenderHouse();
  const canary = 'canary-7f3a91';
  const planted = mkdtempSync(join(tmpdir(), 'argosy-planted-'));
  const secret = join(planted, 'secret.yaml');
  writeFileSync(secret, `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stolen}\ndata: {secret: ${canary}}\n`);
  writeFileSync(join(planted, 'kustomization.yaml'), 'resources: [secret.yaml]\n');
  return {
    house,
    canary,
    planted,
    secret,
    up: (file = secret) => `${'../'.repeat(30)}${relative('/', file)}`,
    async refused(wanted, codes = ['render-refused']) {
      const error = await house.render(wanted).then(
        ({ objects }) => assert.fail(`rendered ${JSON.stringify(objects).slice(0, 200)}`),
        (reason: unknown) => reason,
      );
      if (!isArgosyError(error)) throw error;
      assert.ok(codes.includes(error.code), `${error.code}: ${error.message}`);
      const told = JSON.stringify([error.message, error.subject, error.hint, String(error.cause)]);
      assert.ok(!told.includes(canary), 'the planted secret is in the error');
      assert.ok(!told.includes(house.scratch), 'a path of this machine is in the error');
    },
    async close() {
      await house.close();
      rmSync(planted, { recursive: true, force: true });
    },
  };
}
