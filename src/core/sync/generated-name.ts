/** What a generated name is made of besides its beginning. */
export interface NameParts {
  readonly revision: string;
  readonly phase: string;
  /** Seconds since 1970. */
  readonly startedAt: number;
}

/** The name of a hook that leaves it to us: the same as long as the operation or the deletion lasts. */
export function generatedName(begins: string, { revision, phase, startedAt }: NameParts): string {
  const short = revision.length >= 8 ? revision.slice(0, 7) : revision;
  return `${begins}${short}-${phase.toLowerCase()}-${startedAt}`;
}
