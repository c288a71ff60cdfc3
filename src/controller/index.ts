/**
 * The program that makes clusters match Git: it gathers, lets the core decide, acts as the tenant, and reports.
 *
 * Rules are in `core`, systems outside in the edges; here is only the order of calls. Begin with `controller.ts`, which puts
 * the parts together, then `application/reconcile.ts`, the one pass that everything leads to.
 */
export { kubeConfigOf } from './clusters/index.ts';
export { type Controller, type ControllerOptions, startController } from './controller.ts';
export type { RenderSource, SourceInput } from './sources/index.ts';
