/** A JSON log line as a person reads it: time, level, message, then the facts as `key=value`; always one line. */
export function textLine(line: string): string {
  const { time, level, msg, ...facts } = JSON.parse(line) as Record<string, string | number | boolean>; // written by us
  const rest = Object.entries(facts).map(([key, value]) => ` ${key}=${printed(value)}`);
  return `${time} ${String(level).padEnd(5)} ${plain(String(msg))}${rest.join('')}\n`;
}

/** Quoted where it would not be one word. */
function printed(value: string | number | boolean): string {
  const text = String(value);
  return /^[^\s"=\p{C}]+$/u.test(text) ? text : plain(JSON.stringify(text));
}

/** What a tenant wrote must neither begin a line of its own nor steer a terminal. */
function plain(text: string): string {
  return text.replaceAll(/\p{C}/gu, (found) => `\\u${(found.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
