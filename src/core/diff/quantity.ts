const shape = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?\d{1,3})?$/;
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const longest = 100;

/** Tells whether two texts or numbers are the same amount, however it is written: `0.5` and `500m`, `1024Mi` and `1Gi`. */
export function sameQuantity(a: string | number, b: string | number): boolean {
  const [one, other] = [amountOf(a), amountOf(b)];
  return one !== undefined && one === other;
}

/** In billionths; undefined where it is no quantity. */
function amountOf(given: string | number): bigint | undefined {
  const text = String(given);
  const parts = text.length > longest ? null : shape.exec(text);
  const [, sign = '', whole = '', fraction = '', suffix = ''] = parts ?? [];
  if (parts === null || whole + fraction === '') return undefined;
  const [up, down] = scale(suffix);
  const product = BigInt(whole + fraction) * up * 1_000_000_000n;
  const divisor = 10n ** BigInt(fraction.length) * down;
  // Kubernetes rounds what is finer than a billionth up.
  const amount = product % divisor === 0n ? product / divisor : product / divisor + 1n;
  return sign === '-' ? -amount : amount;
}

/** What a suffix multiplies with, and divides by. */
function scale(suffix: string): [bigint, bigint] {
  if (suffix.endsWith('i')) return [1n << BigInt(10 * binary.indexOf(suffix)), 1n];
  const isPower = suffix.length > 1 && /^[eE]/.test(suffix);
  const exponent = isPower ? Number(suffix.slice(1)) : 3 * (decimal.indexOf(suffix) - 3);
  return exponent >= 0 ? [10n ** BigInt(exponent), 1n] : [1n, 10n ** BigInt(-exponent)];
}
