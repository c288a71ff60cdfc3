const shape = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?\d{1,3})?$/;
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const nano = 1_000_000_000n;
const most = (1n << 63n) - 1n;

/**
 * A quantity as Kubernetes stores it: `0.5` is `500m`, `1024Mi` is `1Gi`, `2000` is `2k`; undefined where it is none.
 * Finer than a billionth is rounded up, as there.
 */
export function canonicalQuantity(given: string | number): string | undefined {
  const text = String(given);
  const parts = shape.exec(text);
  const [, sign = '', whole = '', fraction = '', suffix = ''] = parts ?? [];
  if (parts === null || text === '') return undefined;
  const amount = limit(toNano(whole, fraction, suffix));
  const minus = sign === '-' && amount !== 0n ? '-' : '';
  if (amount === 0n) return '0';
  return minus + print(amount, suffix);
}

function toNano(whole: string, fraction: string, suffix: string): bigint {
  const digits = BigInt(`0${whole}${fraction}`);
  const [up, down] = scale(suffix);
  const divisor = 10n ** BigInt(fraction.length) * down;
  const product = digits * up * nano;
  return product % divisor === 0n ? product / divisor : product / divisor + 1n;
}

/** What a suffix multiplies with, and divides by. */
function scale(suffix: string): [bigint, bigint] {
  if (suffix.endsWith('i')) return [1n << BigInt(10 * binary.indexOf(suffix)), 1n];
  const exponent =
    /^[eE]/.test(suffix) && suffix.length > 1 ? Number(suffix.slice(1)) : 3 * (decimal.indexOf(suffix) - 3);
  return exponent >= 0 ? [10n ** BigInt(exponent), 1n] : [1n, 10n ** BigInt(-exponent)];
}

function limit(amount: bigint): bigint {
  return amount > most * nano ? most * nano : amount;
}

function print(amount: bigint, suffix: string): string {
  const isWhole = amount % nano === 0n;
  // Small numbers of bytes and fractions of them read better in decimal notation.
  if (suffix.endsWith('i') && isWhole && amount / nano >= 1024n) return shorten(amount / nano, 1024n, binary, 0);
  if (/^[eE]/.test(suffix) && suffix.length > 1) return exponential(amount);
  return shorten(amount, 1000n, decimal, 0);
}

function shorten(amount: bigint, base: bigint, suffixes: readonly string[], start: number): string {
  let [value, index] = [amount, start];
  while (value % base === 0n && index < suffixes.length - 1) {
    value /= base;
    index++;
  }
  return `${value}${suffixes[index] ?? ''}`;
}

function exponential(amount: bigint): string {
  let [value, exponent] = [amount, -9];
  while (value % 1000n === 0n) {
    value /= 1000n;
    exponent += 3;
  }
  return exponent === 0 ? String(value) : `${value}e${exponent}`;
}
