import { application, local } from './given.ts';

// One Application `shop` of the control plane in one project `p`.

/** The Application, from this repository. */
export const app = (source: string, destination = `server: '${local}', namespace: shop`): string =>
  application('shop', 'argocd', `project: p\nsource: {repoURL: '${source}', path: .}\ndestination: {${destination}}`);

/** What a project says that permits every destination. */
export const anywhere = "destinations: [{server: '*', namespace: '*'}]";

/** What the Application is told about a kind its project does not permit. */
export const kindRefused = (kind: string): string => `resource ${kind} is not permitted in project p`;
