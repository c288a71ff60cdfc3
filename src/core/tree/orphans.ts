import { type Compiled, compileGlob } from '../match/index.ts';
import { type ObjectKey, printKey } from '../objects/index.ts';
import { canOwn, type TreeIndex, type TreeNode } from './node.ts';

/** A project's settings for objects that nobody manages. */
export interface OrphanSettings {
  readonly warn?: boolean | undefined;
  readonly ignore?: readonly OrphanPattern[] | undefined;
}

/** Globs; an empty kind or name matches all, an empty group only the core group. */
interface OrphanPattern {
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
}

/** What tells an orphan from other objects that nothing owns. */
export interface OrphanRules<N> {
  readonly managed: (key: ObjectKey) => boolean;
  /** Whether another Application that is there manages it. */
  readonly managedByOther: (node: N) => boolean;
  readonly permits: (key: ObjectKey) => boolean;
  readonly settings: OrphanSettings;
}

export interface OrphanInput<N extends TreeNode> extends OrphanRules<N> {
  /** Everything in the destination namespace of the Application. */
  readonly candidates: Iterable<N>;
  readonly index: TreeIndex<N>;
}

/** The top-level objects of a namespace that belong to nobody. */
export function orphansOf<N extends TreeNode>(input: OrphanInput<N>): N[] {
  const isOrphan = orphanTest(input);
  return [...input.candidates]
    .filter((node) => isRoot(node, input.index) && isOrphan(node))
    .toSorted((a, b) => (printKey(a.key) < printKey(b.key) ? -1 : 1));
}

/** Tells of an object that nothing owns whether it belongs to nobody. */
export function orphanTest<N extends { readonly key: ObjectKey }>(rules: OrphanRules<N>): (node: N) => boolean {
  const ignored = compileIgnore(rules.settings.ignore ?? []);
  return (node) =>
    !isBuiltIn(node.key) &&
    !rules.managed(node.key) &&
    !rules.managedByOther(node) &&
    rules.permits(node.key) &&
    !ignored(node.key);
}

/** The text of the `OrphanedResourceWarning`; undefined where the project does not want one. */
export function orphanWarning(count: number, settings: OrphanSettings): string | undefined {
  return settings.warn === true && count > 0 ? `Application has ${count} orphaned resources` : undefined;
}

/** An object whose owners are all gone is a root again: it belongs to nobody. */
function isRoot<N extends TreeNode>(node: N, index: TreeIndex<N>): boolean {
  return ![...index.ownersOf(node)].some((owner) => owner.uid !== node.uid && canOwn(owner.key, node.key));
}

/** What every namespace has of itself. */
function isBuiltIn({ group, kind, namespace, name }: ObjectKey): boolean {
  if (group !== '') return false;
  if (kind === 'Service') return name === 'kubernetes' && namespace === 'default';
  if (kind === 'ServiceAccount') return name === 'default';
  return kind === 'ConfigMap' && name === 'kube-root-ca.crt';
}

function compileIgnore(patterns: readonly OrphanPattern[]): (key: ObjectKey) => boolean {
  const rules = patterns.map(({ group = '', kind = '', name = '' }) => ({
    group: matcher(group),
    kind: kind === '' ? undefined : matcher(kind),
    name: name === '' ? undefined : matcher(name),
  }));
  return (key) =>
    rules.some(
      ({ group, kind, name }) =>
        group(key.group) && (kind === undefined || kind(key.kind)) && (name === undefined || name(key.name)),
    );
}

/** A pattern that cannot be read ignores nothing: rather a warning too many than one too few. */
function matcher(pattern: string): Compiled['matches'] {
  const glob = compileGlob(pattern);
  return glob.ok ? glob.matches : () => false;
}
