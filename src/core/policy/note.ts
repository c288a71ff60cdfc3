import type { Recorder } from './fact.ts';
import { fieldOf, type Origin } from './origin.ts';

/** What to say about a rule that was looked at. */
interface Remark {
  readonly step: string;
  readonly compared: string;
  readonly decides?: boolean;
  /** Appended to the path of the rule: `.namespace`. */
  readonly part?: string;
  readonly change?: string;
}

/** Records a fact about a written rule. */
export function noteRule(recorder: Recorder | undefined, origin: Origin, remark: Remark): void {
  if (recorder === undefined) return;
  note(
    recorder,
    { object: origin.object, revision: origin.revision, field: `${fieldOf(origin)}${remark.part ?? ''}` },
    remark,
  );
}

/** Records a fact about any field of any object. */
export function note(
  recorder: Recorder | undefined,
  place: { readonly object: string; readonly revision: string; readonly field: string },
  remark: Remark,
): void {
  recorder?.note({
    step: remark.step,
    object: place.object,
    revision: place.revision,
    field: place.field,
    compared: remark.compared,
    decides: remark.decides ?? false,
    ...(remark.change === undefined ? {} : { change: remark.change }),
  });
}

/** Longest piece of foreign text inside a sentence. */
const shown = 200;

/** Foreign text inside a sentence: quoted, control characters escaped, cut. */
export function quote(text: string): string {
  return `'${clean(text)}'`;
}

/** The same without quotes, for sentences that have their own. */
export function clean(text: string): string {
  const cut = text.length > shown ? `${text.slice(0, shown)}…` : text;
  return cut.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16) ?? ''}}`);
}
