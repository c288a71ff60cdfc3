import type { Json } from '../json/index.ts';

/** A program as a tree. */
export type Node =
  | { readonly is: 'identity' }
  | { readonly is: 'recurse' }
  | { readonly is: 'literal'; readonly value: Json }
  | { readonly is: 'variable'; readonly name: string }
  | { readonly is: 'index'; readonly of: Node; readonly key: Node }
  | { readonly is: 'slice'; readonly of: Node; readonly from: Node | undefined; readonly to: Node | undefined }
  | { readonly is: 'iterate'; readonly of: Node }
  | { readonly is: 'try'; readonly body: Node }
  | { readonly is: 'pipe'; readonly first: Node; readonly next: Node }
  | { readonly is: 'both'; readonly left: Node; readonly right: Node }
  | { readonly is: 'binary'; readonly sign: string; readonly left: Node; readonly right: Node }
  | { readonly is: 'bind'; readonly value: Node; readonly name: string; readonly body: Node }
  | { readonly is: 'if'; readonly test: Node; readonly yes: Node; readonly no: Node }
  | { readonly is: 'list'; readonly items: Node | undefined }
  | { readonly is: 'object'; readonly entries: readonly { readonly key: Node; readonly value: Node }[] }
  | { readonly is: 'call'; readonly name: string; readonly args: readonly Node[] };
