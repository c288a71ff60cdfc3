import type { Transport } from './url.ts';

/** Settings of git for one call; they travel in the environment, so none shows among the arguments of a process. */
export type GitConfig = readonly (readonly [key: string, value: string])[];

/** Settings that hold for every call: nothing of the machine or of a repository may make git run or read something else. */
const hardened: GitConfig = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['fetch.recurseSubmodules', 'false'],
  // What a push brings stays the one pack it came as: a file for each of its objects takes longer to write and to read.
  ['fetch.unpackLimit', '1'],
  ['submodule.recurse', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['http.followRedirects', 'false'],
  ['http.sslVerify', 'true'],
  // Silence for this long ends the call; the deadline ends the others.
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '15'],
  ['http.userAgent', 'argosy-git'],
  ['safe.directory', '*'],
  ['advice.detachedHead', 'false'],
];

/** The whole environment of a git process: what is not here, git does not see. */
export function gitEnvironment(transport: Transport | undefined, config: GitConfig = []): Record<string, string> {
  const settings = [
    ...hardened,
    ...(transport === undefined ? [] : [[`protocol.${transport}.allow`, 'always'] as const]),
    ...config,
  ];
  const env: Record<string, string> = {
    LC_ALL: 'C',
    HOME: '/dev/null',
    XDG_CONFIG_HOME: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_ALLOW_PROTOCOL: transport ?? 'none',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_COUNT: String(settings.length),
  };
  for (const [index, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return env;
}
