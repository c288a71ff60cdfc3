import { type Attributes, StatusError } from '../ports.ts';
import { forbidden } from '../status.ts';
import { quoted } from './go-text.ts';

/** 401, the same for every reason: a caller without a credential learns nothing. */
export function unauthorized(): StatusError {
  return new StatusError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}

/** The 403 for a request that no rule allows, in the words of Kubernetes' authorization filter. */
export function notAllowed(attributes: Attributes, reason: string): StatusError {
  const denial = escaped(denialText(attributes));
  const why = reason === '' ? denial : `${denial}: ${reason}`;
  if (!attributes.isResource)
    return new StatusError({ code: 403, reason: 'Forbidden', message: `forbidden: ${why}`, details: {} });
  return forbidden({ group: attributes.group, plural: attributes.resource }, attributes.name, why);
}

function denialText({ user, verb, isResource, path, resource, subresource, group, namespace }: Attributes): string {
  if (!isResource) return `User ${quoted(user.name)} cannot ${verb} path ${quoted(path)}`;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${quoted(namespace)}`;
  return `User ${quoted(user.name)} cannot ${verb} resource ${quoted(full)} in API group ${quoted(group)} ${scope}`;
}

/** A refusal must not read as HTML in a browser that ignores its content type. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
