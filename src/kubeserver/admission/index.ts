/**
 * What stands between a request and the store beyond its schema: namespaces, allocation, immutability and the rules of
 * the common kinds, in the words of Kubernetes 1.36.
 *
 * Rights are `access`'s, schemas the registry's. Begin with `standard.ts`, the list in its order.
 */
export { type AdmissionOptions, standardAdmission } from './standard.ts';
export { selects } from './validate-workload.ts';
