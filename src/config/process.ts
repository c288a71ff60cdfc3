import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** What was typed behind the program's name. */
export function argumentsOf(): readonly string[] {
  return process.argv.slice(2);
}

/** The environment as it was at the start. */
export function environment(): { readonly [name: string]: string | undefined } {
  return Object.freeze({ ...process.env });
}

export function homeDirectory(): string {
  return process.env['HOME'] ?? homedir();
}

/** Where `npm run tools` puts the programs it builds. */
export function toolsDirectory(): string {
  return join(process.env['ARGOSY_TOOLS'] ?? join(homeDirectory(), '.cache', 'argosy', 'tools'), 'bin');
}

/** Tells whether a person watches: colours and progress are for them only. */
export function isInteractive(): boolean {
  return process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined && process.env['CI'] === undefined;
}

/** The version in package.json, which is beside `src` in a checkout and beside `dist` in a package. */
export function packageVersion(): string {
  for (const up of ['../../package.json', '../package.json']) {
    try {
      const parsed: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8'));
      if (typeof parsed === 'object' && parsed !== null && 'version' in parsed) return String(parsed.version);
    } catch {
      // The other place.
    }
  }
  return 'unknown';
}
