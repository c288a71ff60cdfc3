/**
 * Who asks, as whom, and may they: authentication, impersonation, RBAC, access reviews and the audit log, in the words
 * of Kubernetes 1.36.
 *
 * It reads the cluster through `Inside` and leaves HTTP to the chain of handlers and storing to the store.
 * Begin with `access.ts`: `createAccess` puts the parts together.
 */
export { type Access, type AccessOptions, createAccess } from './access.ts';
export { type AuditLevel, auditEvent, openAudit } from './audit.ts';
export type { StaticToken } from './authenticate.ts';
export { bootstrapPolicy } from './bootstrap-policy.ts';
export { createByUpdateAdmission } from './create-by-update.ts';
export { escalationAdmission } from './escalation.ts';
export type { Headers, Impersonation } from './impersonate.ts';
export { notAllowed, unauthorized } from './refusal.ts';
export { parseRequest } from './request-info.ts';
export { generateTokenKey } from './token-key.ts';
export { anonymous, masters } from './users.ts';
