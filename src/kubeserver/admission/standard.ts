import { type Access, escalationAdmission } from '../access/index.ts';
import type { Admission, Inside } from '../ports.ts';

export interface AdmissionOptions {
  readonly inside: Inside;
  readonly authorizer: Access['authorizer'];
}

/** Every admission step of the embedded cluster, in the order they run. */
export function standardAdmission({ authorizer }: AdmissionOptions): Admission[] {
  return [escalationAdmission(authorizer)];
}
