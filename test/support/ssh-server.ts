import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePorts } from './real-processes.ts';

/** The real server of OpenSSH on a loopback port, which lets the current user in by one key. */
export interface SshServer {
  readonly port: number;
  readonly user: string;
  /** The key that opens it, and one that does not. */
  readonly key: string;
  readonly wrongKey: string;
  /** The line for a `known_hosts` file, and that of another server under the same name. */
  readonly knownHost: string;
  readonly otherHost: string;
  close(): Promise<void>;
}

/** Where OpenSSH's server is, if it is installed. */
export function findSshd(): string | undefined {
  const places = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];
  return places.map((place) => join(place, 'sshd')).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts it and waits until it listens. */
export async function startSshServer(program: string): Promise<SshServer> {
  const directory = mkdtempSync(join(tmpdir(), 'argosy-sshd-'));
  const [port = 0] = await freePorts(1);
  const made = (name: string): { secret: string; open: string } => {
    const file = join(directory, name);
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
    const [kind, open] = readFileSync(`${file}.pub`, 'utf8').split(' ');
    return { secret: readFileSync(file, 'utf8'), open: `${kind} ${open}` };
  };
  const [host, other, key, wrong] = [made('host'), made('other'), made('key'), made('wrong')];
  writeFileSync(join(directory, 'authorized'), `${key.open}\n`);
  const lines = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${join(directory, 'host')}`,
    `AuthorizedKeysFile ${join(directory, 'authorized')}`,
    'PidFile none',
    'StrictModes no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'LogLevel ERROR',
  ];
  writeFileSync(join(directory, 'sshd_config'), `${lines.join('\n')}\n`);
  // As root it wants this directory to be there; as anybody else it does not look.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const server = spawn(program, ['-D', '-e', '-f', join(directory, 'sshd_config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  server.stderr.on('data', (bytes: Buffer) => {
    complaints += bytes.toString();
  });
  await untilOpen(port, server, () => complaints);
  const name = `[127.0.0.1]:${port}`;
  return {
    port,
    user: userInfo().username,
    key: key.secret,
    wrongKey: wrong.secret,
    knownHost: `${name} ${host.open}\n`,
    otherHost: `${name} ${other.open}\n`,
    async close() {
      const over = new Promise<void>((resolve) => server.once('exit', () => resolve()));
      if (server.exitCode === null && server.signalCode === null) {
        server.kill('SIGTERM');
        await over;
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function untilOpen(port: number, server: ChildProcess, complaints: () => string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (server.exitCode !== null) throw new Error(`sshd ended: ${complaints()}`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await wait(50);
  }
  throw new Error(`sshd does not listen: ${complaints()}`);
}
