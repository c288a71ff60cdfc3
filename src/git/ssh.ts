import { ArgosyError } from '../core/errors/index.ts';
import type { GitConfig } from './environment.ts';
import type { Login } from './login.ts';
import type { Files } from './transport.ts';
import type { RepositoryUrl } from './url.ts';

/** What an ssh connection is made from. */
export interface SshParts {
  readonly login: Login;
  /** The checked address to connect to. */
  readonly address: string | undefined;
  readonly knownHosts: string;
  readonly files: Files;
}

/**
 * Prepares ssh through a configuration file of our own: nothing of the repository's address stands in a command line
 * that a shell reads, and nothing of the machine's ssh configuration, agents or keys takes part.
 */
export async function sshSettings(
  url: RepositoryUrl,
  parts: SshParts,
): Promise<{ config: GitConfig; env: Record<string, string> }> {
  const { files, login } = parts;
  if (parts.address === undefined)
    throw new ArgosyError('git-unreachable', 'the host name has no address', { subject: url.host });
  const known = await files.write('known_hosts', `${parts.knownHosts.trimEnd()}\n`);
  const key = login.sshKey === undefined ? undefined : await files.write('key', login.sshKey.reveal());
  const lines = [
    'Host *',
    // The address that was checked, known by the name that was asked for.
    `HostName ${parts.address}`,
    `HostKeyAlias ${url.port === 22 ? url.host : `[${url.host}]:${url.port}`}`,
    `UserKnownHostsFile ${quote(known)}`,
    'GlobalKnownHostsFile /dev/null',
    `StrictHostKeyChecking ${login.insecure ? 'no' : 'yes'}`,
    'UpdateHostKeys no',
    'CheckHostIP no',
    'BatchMode yes',
    'IdentitiesOnly yes',
    `IdentityFile ${key === undefined ? 'none' : quote(key)}`,
    'IdentityAgent none',
    'ForwardAgent no',
    'ForwardX11 no',
    'PreferredAuthentications publickey',
    'ProxyCommand none',
    'ProxyJump none',
    'PermitLocalCommand no',
    'ControlMaster no',
    'ControlPath none',
    'CanonicalizeHostname no',
    'ConnectTimeout 10',
    'ServerAliveInterval 5',
    'ServerAliveCountMax 3',
    'LogLevel ERROR',
  ];
  const config = await files.write('ssh_config', `${lines.join('\n')}\n`);
  return { config: [], env: { GIT_SSH_COMMAND: `ssh -F ${quoteShell(config)}`, GIT_SSH_VARIANT: 'ssh' } };
}

function quote(path: string): string {
  return `"${path}"`;
}

function quoteShell(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
