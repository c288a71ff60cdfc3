import table from './messages.generated.json' with { type: 'json' };

/** One field of a message: its JSON name (`^`: its fields are the message's own) and the code of its type. */
export interface Field {
  readonly key: string;
  /** Written even when it is zero, as Go does for fields without `omitempty`. */
  readonly always: boolean;
  /** `*` pointer, `[]` list, `{}` map, `L` a message that is a list; then a letter or the name of a message. */
  readonly type: string;
}

export type Message = ReadonlyMap<number, Field>;

const rows: { readonly [name: string]: readonly string[] } = table;
const parsed = new Map<string, Message>();

/** The fields of a message by number; undefined for a message that is not known. */
export function messageOf(name: string): Message | undefined {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const lines = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (lines === undefined) return undefined;
  const message = new Map(lines.map(parseField));
  parsed.set(name, message);
  return message;
}

function parseField(line: string): [number, Field] {
  const [number = '', key = '', type = ''] = line.split(' ');
  const always = type.startsWith('!');
  return [Number(number), { key, always, type: always ? type.slice(1) : type }];
}
