import { type Access, createByUpdateAdmission, escalationAdmission } from '../access/index.ts';
import type { Admission, Inside } from '../ports.ts';
import { namespaceLifecycle } from './namespaces.ts';
import { prepareNew } from './prepare.ts';
import { serviceAddresses } from './service-addresses.ts';
import { validateObjects } from './validate.ts';

export interface AdmissionOptions {
  readonly inside: Inside;
  readonly authorizer: Access['authorizer'];
}

/**
 * Every admission step of the embedded cluster, in the order they run. As in the real server the mutating ones come
 * after an object's managed fields were computed, so that nobody owns what they fill in.
 */
export function standardAdmission({ inside, authorizer }: AdmissionOptions): Admission[] {
  return [
    namespaceLifecycle(inside),
    prepareNew(inside),
    validateObjects(),
    serviceAddresses(inside),
    createByUpdateAdmission(authorizer),
    escalationAdmission(authorizer),
  ];
}
