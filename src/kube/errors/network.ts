import { ArgosyError, type ErrorCode, isArgosyError } from '../../core/errors/index.ts';
import { scrub } from './scrub.ts';

/** Errors of requests the server cannot have acted on: these may be sent again whatever the verb. */
const unprocessed = new WeakSet<Error>();

/** Marks an error: the request it ended never reached the server, or was refused before it was looked at. */
export function markUnprocessed<E extends Error>(error: E): E {
  unprocessed.add(error);
  return error;
}

/** Whether the server surely did nothing for the request this error ended. */
export function isUnprocessed(error: Error): boolean {
  return unprocessed.has(error);
}

const tlsCodes = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO$|INVALID_CA)/;

/** Bytes that are no HTTP, no gzip: somebody else's protocol. */
const strangeCodes = /^(HPE_|Z_|ERR_HTTP2_ERROR$|ERR_INVALID_)/;

/** The error for what Node says about a socket, a name or a certificate. */
export function fromNetwork(error: unknown, subject: string, secrets: readonly string[] = []): ArgosyError {
  if (isArgosyError(error)) return error;
  const code = codeText(error);
  const said = error instanceof Error ? error.message : String(error);
  const text = scrub(said.split('; if the root CA')[0] ?? said, secrets).slice(0, 512); // Node's advice is about Node
  const ours = codeOf(code);
  const mine = new ArgosyError(ours, `${subject}: ${text}${code === '' ? '' : ` (${code})`}`, { subject });
  // nghttp2 names this in words only; the peer promises that it did nothing for such a stream.
  return /REFUSED_STREAM/.test(text) ? markUnprocessed(mine) : mine;
}

function codeOf(code: string): ErrorCode {
  if (tlsCodes.test(code)) return 'kube-tls';
  if (strangeCodes.test(code)) return 'kube-malformed';
  return code === 'ETIMEDOUT' ? 'kube-timeout' : 'kube-unreachable';
}

function codeText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
