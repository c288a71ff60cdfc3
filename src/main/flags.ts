import { ArgosyError } from '../core/errors/index.ts';

/** A flag that must be a whole number from 0 to `max`. */
export function wholeNumber(flag: string, written: string, max: number): number {
  const value = Number(written);
  if (!/^\d+$/.test(written) || value > max) {
    throw new ArgosyError('usage', `${flag} must be a whole number from 0 to ${max}`);
  }
  return value;
}
