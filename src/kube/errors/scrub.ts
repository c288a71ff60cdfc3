const maxMessage = 2048;

/** What looks like a credential, wherever it stands: bearer tokens, JWTs, keys in PEM, user info in URLs. */
const secretShapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(-----END [A-Z ]+-----|$)/g, '[redacted]'],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]+/gi, '$1 [redacted]'],
  [/\beyJ[\w-]{5,}\.[\w-]{5,}(\.[\w-]*)?/g, '[redacted]'],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, '$1[redacted]@'],
];

/** A foreign text made fit for a message: no secret, no control character, never longer than 2 KB. */
export function scrub(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  // Before anything is cut off: half a secret would not be recognised.
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '[redacted]');
  if (clean.length > maxMessage * 4) clean = clean.slice(0, maxMessage * 4);
  for (const [shape, instead] of secretShapes) clean = clean.replace(shape, instead);
  clean = printable(clean).trim();
  return clean.length > maxMessage ? `${clean.slice(0, maxMessage - 1)}…` : clean;
}

/** Whether a text holds control characters, tabs and line ends among them. */
export function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (isControl(text.charCodeAt(at))) return true;
  return false;
}

/** The text with blanks for control characters; line ends and tabs stay. */
function printable(text: string): string {
  if (!hasControl(text)) return text;
  return Array.from(text, (char) =>
    isControl(char.charCodeAt(0)) && char !== '\n' && char !== '\t' ? ' ' : char,
  ).join('');
}

function isControl(code: number): boolean {
  return code < 0x20 || code === 0x7f;
}
