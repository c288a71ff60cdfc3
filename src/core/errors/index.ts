/**
 * What stops a pass, in one shape: a code for machines and metrics, a sentence for people, whose fault it is.
 *
 * Expected outcomes (a verdict, parse problems, the outcome of one object) are values elsewhere, not errors.
 * Edges translate foreign errors into these at their door. Begin with `fault.ts`; `docs/errors.md` lists the codes.
 */
export { catalogue, type ErrorCode } from './catalogue.ts';
export type { Fault } from './fault.ts';
export { ArgosyError, type ErrorDetails, isArgosyError, type StatusCause } from './fault.ts';
