import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A key that signs: its fingerprint, its public part, and what git needs to be told. */
export interface SigningKey {
  readonly id: string;
  readonly armour: string;
  readonly git: readonly string[];
}

/** The real gpg with a home of its own. */
export interface SigningHouse {
  makeKey(name: string): SigningKey;
  /** Ends the agent that gpg has started, and removes the home. */
  close(): void;
}

/** Opens it. */
export function openSigningHouse(): SigningHouse {
  const home = mkdtempSync(join(tmpdir(), 'argosy-gpg-'));
  const program = join(home, 'sign');
  writeFileSync(program, `#!/bin/sh\nexec env GNUPGHOME=${home} gpg --batch --quiet "$@"\n`, { mode: 0o755 });
  const gpg = (...args: string[]): string =>
    execFileSync('gpg', ['--batch', '--quiet', '--pinentry-mode', 'loopback', '--passphrase', '', ...args], {
      env: { GNUPGHOME: home, PATH: process.env['PATH'] ?? '' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  return {
    makeKey(name) {
      gpg('--quick-generate-key', `${name} <${name}@example.com>`, 'ed25519', 'sign', 'never');
      const listed = gpg('--with-colons', '--list-keys', `${name}@example.com`);
      const id = /^fpr:+([0-9A-F]+):$/m.exec(listed)?.[1] ?? '';
      const git = ['-c', `gpg.program=${program}`, '-c', `user.signingkey=${id}`];
      return { id, armour: gpg('--armor', '--export', id), git };
    },
    close() {
      execFileSync('gpgconf', ['--homedir', home, '--kill', 'all']);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
