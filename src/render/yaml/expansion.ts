import { ArgosyError } from '../../core/errors/index.ts';

const maxNodes = 2_000_000;
const maxCharacters = 100 * 1024 * 1024;

interface Weight {
  readonly nodes: number;
  readonly characters: number;
}

/**
 * Refuses a document that aliases would blow up once it is written out: what is shared is weighed once and counted as
 * often as it is referred to.
 */
export function boundExpansion(value: unknown, line: number): void {
  const known = new Map<object, Weight | undefined>();
  const weigh = (node: unknown): Weight => {
    if (typeof node === 'string') return { nodes: 1, characters: node.length };
    if (typeof node !== 'object' || node === null) return { nodes: 1, characters: 8 };
    const before = known.get(node);
    if (before !== undefined) return before;
    if (known.has(node)) throw new ArgosyError('render-limit', `:${line}: an alias refers to what it stands in`);
    known.set(node, undefined);
    let [nodes, characters] = [1, 2];
    for (const [key, each] of Array.isArray(node) ? node.entries() : Object.entries(node)) {
      const weight = weigh(each);
      nodes += weight.nodes;
      characters += weight.characters + (typeof key === 'string' ? key.length + 4 : 1);
      if (nodes > maxNodes || characters > maxCharacters)
        throw new ArgosyError(
          'render-limit',
          `:${line}: the document grows too large when its aliases are written out`,
        );
    }
    const weight = { nodes, characters };
    known.set(node, weight);
    return weight;
  };
  weigh(value);
}
