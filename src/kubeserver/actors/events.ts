import { type KubeObject, nameOf, namespaceOf, uidOf, versionOf } from '../../core/objects/index.ts';
import { type Inside, StatusError } from '../ports.ts';
import { ensure, timeText } from './objects.ts';

export interface Happening {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Who tells, as `deployment-controller`. */
  readonly component: string;
}

/** Tells of something as a Kubernetes Event on an object; that it could not be told never matters. */
export async function tell(inside: Inside, object: KubeObject, happening: Happening): Promise<void> {
  const { type, reason, message, component } = happening;
  const namespace = namespaceOf(object) === '' ? 'default' : namespaceOf(object);
  const now = timeText(inside.now());
  const stamp = inside.now().getTime().toString(16).padStart(12, '0');
  try {
    await ensure(inside, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name: `${nameOf(object)}.${stamp}${Math.floor(Math.random() * 65536).toString(16)}` },
      involvedObject: {
        apiVersion: object.apiVersion,
        kind: object.kind,
        namespace: namespaceOf(object),
        name: nameOf(object),
        uid: uidOf(object),
        resourceVersion: versionOf(object),
      },
      type,
      reason,
      message,
      source: { component },
      reportingComponent: component,
      reportingInstance: '',
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      eventTime: null,
    });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}
