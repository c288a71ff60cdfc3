/** Texts as Go's `fmt` prints them, because clients compare Kubernetes' messages word by word. */

/** `%q`: a text in double quotes with Go's escapes. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\x7f');
}

/** `%q` of a list: `["a" "b"]`. */
export function quotedList(items: readonly string[]): string {
  return `[${items.map(quoted).join(' ')}]`;
}

/** `%#v` of a `[]string`. */
export function goStrings(items: readonly string[]): string {
  return items.length === 0 ? '[]string(nil)' : `[]string{${items.map(quoted).join(', ')}}`;
}
