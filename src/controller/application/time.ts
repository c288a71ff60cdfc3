/** An instant as Kubernetes writes it: RFC 3339 in UTC, with seconds. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
