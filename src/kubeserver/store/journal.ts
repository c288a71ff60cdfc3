import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ArgosyError } from '../../core/errors/index.ts';

/** One write: the object's text, or null for a deletion. */
export interface Line {
  readonly key: string;
  readonly revision: number;
  readonly json: string | null;
}

/**
 * What survives a restart: the newest text of every object, the revision, and a few named values (CA, keys).
 * Writes of one turn of the loop share one transaction and one fsync; none is acknowledged before it.
 */
export class Journal {
  readonly #db: DatabaseSync;
  #pending: { lines: Line[]; done: () => void; failed: (error: Error) => void }[] = [];
  #scheduled = false;
  #closed = false;

  constructor(dataDir: string) {
    try {
      this.#db = openDatabase(dataDir);
    } catch (error) {
      throw unusable(dataDir, error);
    }
  }

  *objects(): Iterable<Line> {
    for (const row of this.#db.prepare('SELECT key, revision, json FROM objects').iterate())
      yield { key: String(row['key']), revision: Number(row['revision']), json: String(row['json']) };
  }

  fact(name: string): string | undefined {
    const row = this.#db.prepare('SELECT value FROM facts WHERE name = ?').get(name);
    return row === undefined ? undefined : String(row['value']);
  }

  setFact(name: string, value: string): void {
    this.#db.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)').run(name, value);
  }

  /** Resolves once the line is on disk. */
  append(line: Line): Promise<void> {
    return new Promise((done, failed) => {
      this.#pending.push({ lines: [line], done, failed });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => this.#commit());
    });
  }

  #commit(): void {
    this.#scheduled = false;
    const batch = this.#pending;
    this.#pending = [];
    if (batch.length === 0) return;
    try {
      this.#write(batch.flatMap(({ lines }) => lines));
    } catch (error) {
      for (const { failed } of batch) failed(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    for (const { done } of batch) done();
  }

  #write(lines: readonly Line[]): void {
    if (this.#closed) throw new Error('the store is closed');
    const put = this.#db.prepare('INSERT OR REPLACE INTO objects (key, revision, json) VALUES (?, ?, ?)');
    const remove = this.#db.prepare('DELETE FROM objects WHERE key = ?');
    this.#db.exec('BEGIN');
    try {
      for (const { key, revision, json } of lines) {
        if (json === null) remove.run(key);
        else put.run(key, revision, json);
      }
      this.setFact('revision', String(lines.at(-1)?.revision ?? 0));
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#commit();
    this.#closed = true;
    this.#db.close();
  }
}

function openDatabase(dataDir: string): DatabaseSync {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'cluster.db');
  const db = new DatabaseSync(file);
  try {
    chmodSync(file, 0o600); // it holds Secrets and the CA's key
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA locking_mode = EXCLUSIVE;');
    db.exec(
      'CREATE TABLE IF NOT EXISTS objects (key TEXT PRIMARY KEY, revision INTEGER NOT NULL, json TEXT NOT NULL) WITHOUT ROWID',
    );
    db.exec('CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** What the user of a data directory can do something about, said so. */
function unusable(dataDir: string, error: unknown): ArgosyError {
  const said = error instanceof Error ? error.message : String(error);
  const busy = /database is locked/.test(said);
  return new ArgosyError(
    'config-invalid',
    `the data directory ${dataDir} cannot be used: ${busy ? 'another cluster runs on it' : said}`,
    {
      subject: dataDir,
      cause: error,
      hint: busy ? 'stop the other one, or name another directory' : 'name a directory this user may write to',
    },
  );
}
