let last = { second: Number.NaN, text: '' };

/** An instant as Kubernetes writes it: RFC 3339 in UTC, with seconds. */
export function timeText(ms: number): string {
  const second = Math.floor(ms / 1000);
  // Thousands of passes in a second ask for the same text.
  if (second !== last.second) last = { second, text: new Date(second * 1000).toISOString().replace('.000Z', 'Z') };
  return last.text;
}
