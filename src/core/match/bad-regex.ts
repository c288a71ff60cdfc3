/** What makes a regex unusable, with the reason as its message; never leaves this room. */
export class BadRegex extends Error {}
