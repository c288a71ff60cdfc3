import type { Arguments } from './arguments.ts';
import { toText } from './base.ts';

/** Flags, width, precision and conversion, as in C; Lua takes two digits for either number. */
const directive = /%([-+ #0]{0,5})(\d{0,2})(?:\.(\d{0,2}))?(.?)/gs;

interface Directive {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
}

/** `string.format`. */
export function format(args: Arguments): string {
  const template = args.text(1);
  args.machine.allocate(template.length);
  let position = 1;
  return template.replaceAll(directive, (all: string, ...parts: (string | undefined)[]) => {
    const [flags = '', width = '', precision, kind = ''] = parts;
    if (all === '%%') return '%';
    position += 1;
    const text = convert(args, position, kind, {
      flags,
      width: Number(width),
      precision: precision === undefined ? undefined : Number(precision),
    });
    args.machine.allocate(text.length);
    return text;
  });
}

function convert(args: Arguments, position: number, kind: string, directive: Directive): string {
  switch (kind) {
    case 's':
      return padded(toText(args.machine, args.any(position)).slice(0, directive.precision), {
        ...directive,
        zero: false,
      });
    case 'q':
      return quoted(args.text(position));
    case 'c':
      return padded(String.fromCharCode(args.whole(position) & 0xff), { ...directive, zero: false });
    case 'd':
    case 'i':
    case 'u':
      return whole(args.whole(position), directive);
    case 'x':
    case 'X':
    case 'o':
      return based(args.whole(position), kind, directive);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return real(args.number(position), kind, directive);
    default:
      throw args.machine.fault(`invalid option '%${kind}' to 'format'`);
  }
}

function whole(value: number, { flags, width, precision }: Directive): string {
  if (!Number.isFinite(value))
    return padded(signed(value, String(Math.abs(value)), flags), { flags, width, zero: false });
  const digits = BigInt(Math.abs(value))
    .toString()
    .padStart(precision ?? 1, '0');
  return padded(signed(value, digits, flags), { flags, width, zero: precision === undefined });
}

function based(value: number, kind: string, { flags, width, precision }: Directive): string {
  const bits = Number.isFinite(value) ? BigInt.asUintN(64, BigInt(value)) : 0n;
  const digits = bits.toString(kind === 'o' ? 8 : 16).padStart(precision ?? 1, '0');
  const text = flags.includes('#') && kind !== 'o' ? `0x${digits}` : digits;
  return padded(kind === 'X' ? text.toUpperCase() : text, { flags, width, zero: precision === undefined });
}

function real(value: number, kind: string, { flags, width, precision = 6 }: Directive): string {
  const small = kind.toLowerCase();
  const size = Math.abs(value);
  const digits = Number.isFinite(value) ? finite(size, small, precision) : Number.isNaN(value) ? 'nan' : 'inf';
  const text = signed(value, small === kind ? digits : digits.toUpperCase(), flags);
  return padded(text, { flags, width, zero: Number.isFinite(value) });
}

function finite(size: number, kind: string, precision: number): string {
  if (kind === 'e') return exponent(size.toExponential(precision));
  // JavaScript writes large numbers with an exponent here; C does not.
  if (kind === 'f')
    return size < 1e21 ? size.toFixed(precision) : `${BigInt(size)}${precision > 0 ? `.${'0'.repeat(precision)}` : ''}`;
  return general(size, precision === 0 ? 1 : precision);
}

/** `%g`: whichever is shorter, without zeros at the end. */
function general(size: number, precision: number): string {
  const scientific = size.toExponential(precision - 1);
  const power = Number(scientific.slice(scientific.indexOf('e') + 1));
  const plain = power >= -4 && power < precision;
  const text = plain ? size.toFixed(Math.max(0, precision - 1 - power)) : scientific;
  const [digits = '', tail] = text.split('e');
  const short = digits.includes('.') ? digits.replace(/0{1,100}$/, '').replace(/\.$/, '') : digits;
  return tail === undefined ? short : exponent(`${short}e${tail}`);
}

/** C writes at least two digits. */
function exponent(text: string): string {
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

function signed(value: number, digits: string, flags: string): string {
  if (value < 0 || Object.is(value, -0)) return `-${digits}`;
  if (flags.includes('+')) return `+${digits}`;
  return flags.includes(' ') ? ` ${digits}` : digits;
}

function padded(text: string, { flags, width, zero }: { flags: string; width: number; zero: boolean }): string {
  if (flags.includes('-')) return text.padEnd(width);
  if (!zero || !flags.includes('0')) return text.padStart(width);
  const sign = /^[-+ ]/.exec(text)?.[0] ?? '';
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}

function quoted(text: string): string {
  const escaped = text.replaceAll(/["\\\n\r\0]/g, (character) => {
    switch (character) {
      case '\n':
        return '\\n';
      case '\r':
        return '\\r';
      case '\0':
        return '\\0';
      default:
        return `\\${character}`;
    }
  });
  return `"${escaped}"`;
}
