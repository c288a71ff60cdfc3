import { messageOf } from './messages.ts';

const known = new Map<string, ReadonlySet<string>>();

/** Whether Go leaves a field of a type (by its name in OpenAPI) out when it is zero: no pointer, and `omitempty`. */
export function leavesOutZero(type: string, field: string): boolean {
  let fields = known.get(type);
  if (fields === undefined) {
    fields = fieldsOf(type);
    known.set(type, fields);
  }
  return fields.has(field);
}

function fieldsOf(type: string): ReadonlySet<string> {
  const message = messageOf(messageName(type));
  const plain = [...(message?.values() ?? [])].filter((field) => !field.always && /^[a-z]$/.test(field.type));
  return new Set(plain.map(({ key }) => key));
}

/** `io.k8s.api.apps.v1.DeploymentSpec` is `apps/v1.DeploymentSpec` in the table of messages. */
function messageName(type: string): string {
  const api = /^io\.k8s\.api\.(\w+)\.(\w+)\.(\w+)$/.exec(type);
  if (api !== null) return `${api[1]}/${api[2]}.${api[3]}`;
  return type.replace('io.k8s.apimachinery.pkg.apis.meta.v1.', 'meta.');
}
