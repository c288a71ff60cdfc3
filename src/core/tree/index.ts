/**
 * Who owns whom among live objects: the tree below an Application's managed objects, what belongs to nobody, and what a
 * tree shows at a glance.
 *
 * Pure functions on an index of objects; keeping such an index up is for `cache`, what a member may see for
 * `core/policy`. Begin with `resource-tree.ts`.
 */
export { indexNodes } from './index-nodes.ts';
export { claimPrefixes, type Inferred, inferOwners, isClaimOf } from './infer-owners.ts';
export { type InfoItem, infoOf } from './info.ts';
export { canOwn, type NamedOwner, type TreeIndex, type TreeNode } from './node.ts';
export {
  type OrphanInput,
  type OrphanRules,
  type OrphanSettings,
  orphansOf,
  orphanTest,
  orphanWarning,
} from './orphans.ts';
export { resourceTree, type TreeInput, type TreeItem } from './resource-tree.ts';
export { imagesOf, summarize, type TreeSummary, urlsOf } from './summary.ts';
