import { ArgosyError, type ErrorCode } from '../core/errors/index.ts';

interface Rule {
  readonly when: RegExp;
  readonly code: ErrorCode;
  readonly text: string;
  readonly hint?: string;
}

/**
 * What git's complaints mean. Only these sentences reach a tenant: git quotes what the server said, and the server may
 * be the tenant's. The first rule that matches answers, so the more telling ones come first.
 */
const rules: readonly Rule[] = [
  {
    when: /No space left on device|disk quota exceeded|unable to write file|write error/i,
    code: 'git-failed',
    text: 'the disk for repository mirrors is full',
    hint: 'make room in the repository cache directory',
  },
  {
    when: /cannot run ssh/i,
    code: 'tool-missing',
    text: 'the ssh program is not installed',
    hint: 'install an OpenSSH client',
  },
  {
    when: /Out of memory/i,
    code: 'git-limit',
    text: 'the repository, or what its server sends, is larger than permitted',
  },
  {
    when: /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED|No .* host key is known/i,
    code: 'git-unreachable',
    text: 'the host key of the server is not among the known hosts, or has changed',
    hint: 'add the key to the ConfigMap argocd-ssh-known-hosts-cm',
  },
  {
    when: /Authentication failed|could not read (Username|Password)|terminal prompts disabled|Permission denied|returned error: 40[13]|HTTP Basic: Access denied|invalid credentials|Load key/i,
    code: 'git-auth',
    text: 'the server refuses the credential, or wants one and there is none',
  },
  {
    when: /returned error: 404|repository .* not found|does not appear to be a git repository|Repository not found/i,
    code: 'git-auth',
    text: 'there is no such repository, or this credential may not see it',
  },
  {
    when: /SSL|certificate|schannel|gnutls/i,
    code: 'git-unreachable',
    text: 'the certificate of the server is not trusted, or ours is not accepted',
    hint: "add the server's CA to the ConfigMap argocd-tls-certs-cm",
  },
  {
    when: /returned error: 3\d\d|unable to update url base from redirection/i,
    code: 'git-unreachable',
    text: 'the server answers with a redirect, which is not followed',
    hint: 'use the address it points to',
  },
  { when: /returned error: 429/i, code: 'git-unreachable', text: 'the server asks to come back later (429)' },
  {
    when: /returned error: 5\d\d/i,
    code: 'git-unreachable',
    text: 'the server answers with an error of its own (5xx)',
  },
  { when: /transport '.*' not allowed/i, code: 'git-refused', text: 'the transport is not permitted' },
  { when: /Operation too slow|timed out|Timeout/i, code: 'git-unreachable', text: 'the server did not answer in time' },
  {
    when: /Could not resolve host|Connection refused|Failed to connect|Network is unreachable|No route to host|Connection reset|unable to access|Could not read from remote repository/i,
    code: 'git-unreachable',
    text: 'the server cannot be reached',
  },
  {
    when: /early EOF|unexpected disconnect|remote end hung up|RPC failed|unexpected end of|bad pack header|invalid \S+ response|bad line length|pack signature mismatch|pack has bad object|inflate returned|error reading section header|unpack-objects failed|index-pack failed|write stream object|expected '|bad packet|protocol error|expected flush|invalid index-pack|pack-objects died/i,
    code: 'git-unreachable',
    text: 'the server broke off in the middle of its answer',
  },
  {
    when: /couldn't find remote ref|not our ref|unadvertised object/i,
    code: 'git-revision',
    text: 'the revision does not exist in the repository',
  },
];

const corruption =
  /is corrupt|object file .* is empty|bad object|missing (blob|tree|commit)|inflate: data stream error|packfile .* (is too small|cannot be (accessed|mapped)|index unavailable)|not a git repository|bad (tree|signature|config|ref)|broken|unable to (parse|read|unpack)|did not send all necessary|loose object|sha1 mismatch|fatal: .*corrupt|unresolved deltas?|invalid sha1 pointer|unable to find/i;

/** Says what a failed git call means, in words of ours. */
export function explainFailure(subject: string, stderr: string): ArgosyError {
  const rule = rules.find(({ when }) => when.test(stderr));
  if (rule === undefined) return new ArgosyError('git-failed', 'git failed on the repository', { subject });
  return new ArgosyError(rule.code, rule.text, { subject, hint: rule.hint });
}

/** Whether git complains about the mirror itself, so that a new one helps. */
export function looksCorrupt(stderr: string): boolean {
  return (
    corruption.test(stderr) &&
    !/returned error|unable to access|early EOF|hung up|RPC failed|No space left/i.test(stderr)
  );
}
