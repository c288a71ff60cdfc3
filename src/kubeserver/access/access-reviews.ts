import { isArray, isObject, type Json, type JsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import { type Attributes, type Authorizer, StatusError, type User } from '../ports.ts';
import { badRequest, type Cause, invalid } from '../status.ts';

const path = 'spec.nonResourceAttributes';

/** May I? Answers for the user who asks. */
export function selfSubjectAccessReview(authorizer: Authorizer, body: JsonObject, user: User): JsonObject {
  const spec = objectAt(body, 'spec') ?? {};
  refuse(attributeCauses(spec));
  return reviewed(body, spec, verdict(authorizer, spec, user));
}

/** May they? Answers for the user named in the body. */
export function subjectAccessReview(authorizer: Authorizer, body: JsonObject): JsonObject {
  const spec = objectAt(body, 'spec') ?? {};
  refuse([...attributeCauses(spec), ...subjectCauses(spec)]);
  return reviewed(body, spec, verdict(authorizer, spec, subject(spec)));
}

/** As `subjectAccessReview`, for one namespace only, so that its administrators may ask. */
export function localSubjectAccessReview(authorizer: Authorizer, body: JsonObject, namespace: string): JsonObject {
  const spec = objectAt(body, 'spec') ?? {};
  const resource = objectAt(spec, 'resourceAttributes');
  const asked = stringAt(resource, 'namespace') ?? '';
  const causes = [...attributeCauses(spec), ...subjectCauses(spec)];
  if (resource !== undefined && asked !== namespace)
    causes.push(wrong('spec.resourceAttributes.namespace', JSON.stringify(asked), 'must match metadata.namespace'));
  const other = objectAt(spec, 'nonResourceAttributes');
  if (other !== undefined) causes.push(wrong(path, goPath(other), 'disallowed on this kind of request'));
  refuse(causes);
  return reviewed({ ...body, metadata: { namespace } }, spec, verdict(authorizer, spec, subject(spec)));
}

/** What may I? The rules that apply to the user in a namespace. */
export function selfSubjectRulesReview(authorizer: Authorizer, body: JsonObject, user: User): JsonObject {
  const namespace = stringAt(body, 'spec', 'namespace') ?? '';
  if (namespace === '') throw badRequest('no namespace on request');
  const { resourceRules, nonResourceRules } = authorizer.rulesFor(user, namespace);
  return reviewed(body, {}, { resourceRules, nonResourceRules, incomplete: false });
}

function reviewed(body: JsonObject, spec: JsonObject, status: JsonObject): JsonObject {
  const metadata = objectAt(body, 'metadata') ?? {};
  return { kind: body['kind'] ?? '', apiVersion: body['apiVersion'] ?? '', metadata, spec, status };
}

function verdict(authorizer: Authorizer, spec: JsonObject, user: User): JsonObject {
  const { allowed, reason } = authorizer.authorize(asked(spec, user));
  return reason === '' ? { allowed } : { allowed, reason };
}

function asked(spec: JsonObject, user: User): Attributes {
  const resource = objectAt(spec, 'resourceAttributes');
  const other = objectAt(spec, 'nonResourceAttributes');
  const read = (key: string): string => stringAt(resource ?? other, key) ?? '';
  return {
    user,
    verb: read('verb'),
    isResource: resource !== undefined,
    group: read('group'),
    version: read('version'),
    resource: read('resource'),
    subresource: read('subresource'),
    namespace: read('namespace'),
    name: read('name'),
    path: read('path'),
  };
}

function subject(spec: JsonObject): User {
  const given = Object.entries(objectAt(spec, 'extra') ?? {});
  const extra = Object.fromEntries(given.map(([key, values]) => [key.toLowerCase(), texts(values)]));
  const name = stringAt(spec, 'user') ?? '';
  return { name, uid: stringAt(spec, 'uid') ?? '', groups: texts(spec['groups']), extra };
}

function texts(value: Json | undefined): string[] {
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function wrong(field: string, value: string, why: string): Cause {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${value}: ${why}` };
}

function goPath(value: JsonObject): string {
  return JSON.stringify({ Path: stringAt(value, 'path') ?? '', Verb: stringAt(value, 'verb') ?? '' });
}

function attributeCauses(spec: JsonObject): Cause[] {
  const [resource, other] = [spec['resourceAttributes'], spec['nonResourceAttributes']];
  if (isObject(resource) && isObject(other))
    return [wrong(path, goPath(other), 'cannot be specified in combination with resourceAttributes')];
  if (isObject(resource) || isObject(other)) return [];
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [wrong('spec.resourceAttributes', 'null', why)];
}

function subjectCauses(spec: JsonObject): Cause[] {
  if ((stringAt(spec, 'user') ?? '') !== '' || texts(spec['groups']).length > 0) return [];
  return [wrong('spec.user', '""', 'at least one of user or group must be specified')];
}

/** Kubernetes names no kind in these refusals, only the group. */
function refuse(causes: readonly Cause[]): void {
  if (causes.length === 0) return;
  const { status } = invalid({ group: 'authorization.k8s.io', kind: '' }, '', causes);
  const { kind: _none, ...details } = status.details ?? {};
  throw new StatusError({ ...status, details });
}
