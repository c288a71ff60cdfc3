/** Whether an entry of `Live.unknown` is a kind that may not be listed, `<kind>:*`; a role named `x:*` is one object. */
export function isUnlisted(what: string): boolean {
  return what.endsWith(':*') && what.indexOf(':') === what.length - 2;
}
