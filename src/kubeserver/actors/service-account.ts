import { type Json, objectAt, stringAt } from '../../core/json/index.ts';
import { asJson, type KubeObject, nameOf, namespaceOf, uidOf } from '../../core/objects/index.ts';
import type { Access } from '../access/index.ts';
import type { Actor } from '../ports.ts';
import { ensure, remove } from './objects.ts';
import { ownKey, reconciler, splitKey } from './reconciler.ts';

const rootCa = 'kube-root-ca.crt';
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

const ofNamespace = ({ metadata }: KubeObject): string[] => [`/${metadata.namespace ?? ''}`];

/** Gives every namespace its `default` account and the certificate to trust the API by. */
export function serviceAccountActor(caCertificate: string): Actor {
  const watched = [
    { group: '', kind: 'Namespace', keys: ownKey },
    // What is taken away or changed comes back.
    {
      group: '',
      kind: 'ServiceAccount',
      keys: (object: KubeObject) => (nameOf(object) === 'default' ? ofNamespace(object) : []),
    },
    {
      group: '',
      kind: 'ConfigMap',
      keys: (object: KubeObject) => (nameOf(object) === rootCa ? ofNamespace(object) : []),
    },
  ];
  return reconciler('service-account', watched, async (inside, key) => {
    const [, namespace] = splitKey(key);
    const found = inside.get('', 'Namespace', '', namespace);
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return undefined;
    if (inside.get('', 'ServiceAccount', namespace, 'default') === undefined)
      await ensure(inside, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } });
    const bundle = inside.get('', 'ConfigMap', namespace, rootCa);
    const annotations = { 'kubernetes.io/description': description };
    const metadata = { name: rootCa, namespace, annotations };
    const data = { 'ca.crt': caCertificate };
    if (bundle === undefined) await ensure(inside, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    else if (stringAt(asJson(bundle), 'data', 'ca.crt') !== caCertificate)
      await inside.update('', 'ConfigMap', namespace, rootCa, (current) => ({ ...current, data }));
    return undefined;
  });
}

const accountName = 'kubernetes.io/service-account.name';
const accountUid = 'kubernetes.io/service-account.uid';

/** Fills Secrets of type `kubernetes.io/service-account-token`, and takes them away with their account. */
export function tokenSecretActor(tokens: Access['tokens'], caCertificate: string): Actor {
  const isToken = (object: KubeObject): boolean => object['type'] === 'kubernetes.io/service-account-token';
  const watched = [
    { group: '', kind: 'Secret', keys: (object: KubeObject) => (isToken(object) ? ownKey(object, undefined) : []) },
  ];
  const inner = reconciler('token-secret', watched, async (inside, key) => {
    const [namespace, name] = splitKey(key);
    const secret = inside.get('', 'Secret', namespace, name);
    if (secret === undefined || !isToken(secret) || secret.metadata.deletionTimestamp !== undefined) return undefined;
    const annotations = secret.metadata.annotations ?? {};
    const account = inside.get('', 'ServiceAccount', namespace, annotations[accountName] ?? '');
    const bound = annotations[accountUid];
    // One that names no account yet waits; one whose account is another's by now is of no use to anybody.
    if (account === undefined || (bound !== undefined && bound !== uidOf(account))) {
      if (bound !== undefined) await remove(inside, secret);
      return bound === undefined ? 1000 : undefined;
    }
    if (stringAt(asJson(secret), 'data', 'token') !== undefined && bound !== undefined) return undefined;
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    await inside.update('', 'Secret', namespace, name, (current) => {
      const metadata = objectAt(current, 'metadata') ?? {};
      const next: { [key: string]: Json } = {
        ...current,
        metadata: { ...metadata, annotations: { ...annotations, [accountUid]: uidOf(account) } },
        data: {
          ...objectAt(current, 'data'),
          'ca.crt': base64(caCertificate),
          namespace: base64(namespace),
          token: base64(tokens.legacy(account, name)),
        },
      };
      return next as typeof current; // a fresh copy, changed here only
    });
    return undefined;
  });
  return { name: inner.name, start: (inside) => both(inner.start(inside), followAccounts(inside, isToken)) };
}

/** A deleted account's token Secrets go with it. */
function followAccounts(
  inside: Parameters<Actor['start']>[0],
  isToken: (object: KubeObject) => boolean,
): { stop(): void } {
  return inside.watch('', 'ServiceAccount', ({ type, object }) => {
    if (type !== 'DELETED') return;
    const theirs = inside
      .list('', 'Secret', namespaceOf(object))
      .filter((secret) => isToken(secret) && secret.metadata.annotations?.[accountUid] === uidOf(object));
    for (const secret of theirs) remove(inside, secret).catch(() => undefined); // a race only means it is gone
  });
}

type Running = ReturnType<Actor['start']>;

function both(one: Running, other: Running): Running {
  return {
    stop: async () => {
      await one.stop();
      await other.stop();
    },
  };
}
