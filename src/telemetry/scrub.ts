// What looks like a credential wherever it stands: bearer tokens, JWTs, user:password@ in addresses, PEM keys.
const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 [redacted]'],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/g, '[redacted]'],
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@:]*:[^\s/@]*@/gi, '$1[redacted]@'],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, '[redacted key]'],
  [/\b(password|passwd|token|secret|authorization)(["']?\s*[:=]\s*["']?)[^\s"',;&]{4,}/gi, '$1$2[redacted]'],
];

/** A text without anything that looks like a credential, and not longer than `max` characters. */
export function scrub(text: string, max = 2048): string {
  // Cut first: the patterns must not run over a text whose length a stranger chose.
  let clean = text.length > max * 2 ? text.slice(0, max * 2) : text;
  for (const [pattern, by] of patterns) clean = clean.replace(pattern, by);
  return clean.length > max ? `${clean.slice(0, max)}…` : clean;
}
