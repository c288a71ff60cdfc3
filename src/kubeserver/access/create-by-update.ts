import type { Admission, Authorizer } from '../ports.ts';
import { notAllowed } from './refusal.ts';
import { attributesOf } from './users.ts';

/** A patch or update that creates its object needs the right to create as well. */
export function createByUpdateAdmission(authorizer: Authorizer): Admission {
  return {
    validate: ({ operation, info, user }) => {
      if (operation !== 'CREATE' || (info.verb !== 'patch' && info.verb !== 'update')) return;
      const asked = { ...attributesOf(user, info), verb: 'create' };
      const { allowed, reason } = authorizer.authorize(asked);
      if (!allowed) throw notAllowed(asked, reason);
    },
  };
}
