import { isObject, type Json, type JsonObject, own } from '../json/index.ts';
import { anyObject, type Decode, flag, map, Notes, shape, text } from './decode.ts';
import { Hidden } from './hidden.ts';
import type { Parsed } from './parsed.ts';
import { type OpenSecret, openSecret } from './secret.ts';
import { parseStrictJson } from './strict-json.ts';

/** The address that means "the cluster this runs in". */
export const inClusterServer = 'https://kubernetes.default.svc';
export const inClusterName = 'in-cluster';

/** How to log in to a cluster, as its Secret says. */
export interface ClusterConfig {
  readonly username?: string;
  readonly password?: Hidden;
  readonly bearerToken?: Hidden;
  readonly tlsClientConfig?: {
    readonly insecure?: boolean;
    readonly serverName?: string;
    /** The `…Data` fields are base64 of PEM, as written. */
    readonly caData?: string;
    readonly certData?: string;
    readonly keyData?: Hidden;
  };
  readonly awsAuthConfig?: JsonObject;
  readonly execProviderConfig?: ExecProviderConfig;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
}

export interface ExecProviderConfig {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly apiVersion?: string;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
}

/** A cluster as its Secret describes it. Its identity is the Secret (`namespace`/`secret`), never name or address. */
export interface ClusterSecret {
  readonly namespace: string;
  /** Name of the Secret. */
  readonly secret: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  /** Name for `destination.name`; empty where none is given, and then it matches nothing. */
  readonly name: string;
  /** Address without trailing slashes. */
  readonly server: string;
  /** Empty: not scoped to a project. */
  readonly project: string;
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
  readonly clusterResources: boolean;
  readonly shard?: number;
  readonly config: ClusterConfig;
  readonly labels: { readonly [key: string]: string };
  readonly annotations: { readonly [key: string]: string };
  /** Every key that was written, such as `server` or `config.tlsClientConfig.insecure`: what a tenant's may hold is a rule. */
  readonly keys: readonly string[];
}

/** Beyond these no cluster Secret is looked at; a kubeconfig with two certificates is about 8 KiB. */
const maxConfigLength = 64 * 1024;
const maxTextLength = 4096;
const maxKeys = 64;

const hidden: Decode<Hidden> = (value, path, notes) => {
  const read = text(value, path, notes);
  return read === undefined ? undefined : new Hidden(read);
};

const config = shape<ClusterConfig>({
  username: text,
  password: hidden,
  bearerToken: hidden,
  tlsClientConfig: shape<Exclude<ClusterConfig['tlsClientConfig'], undefined>>({
    insecure: flag,
    serverName: text,
    caData: text,
    certData: text,
    keyData: hidden,
  }),
  awsAuthConfig: anyObject,
  execProviderConfig: shape<ExecProviderConfig>({
    command: text,
    args: (value, path, notes) =>
      Array.isArray(value) && value.every((each) => typeof each === 'string')
        ? value
        : notes.add(path, 'must be a list of strings'),
    env: map(text),
    apiVersion: text,
    installHint: text,
    provideClusterInfo: flag,
  }),
  proxyUrl: text,
  disableCompression: flag,
});

/** Reads a cluster Secret. Whether it may be used is for the policy; here is only what cannot be read at all. */
export function parseClusterSecret(json: Json): Parsed<ClusterSecret> {
  const notes = new Notes();
  const secret = openSecret(json, ['cluster'], notes);
  if (secret === undefined || notes.problems.length > 0) return { ok: false, problems: notes.problems };
  const value = clusterOf(secret, notes);
  if (value === undefined || notes.problems.length > 0) return { ok: false, problems: notes.problems };
  const shard = secret.values.get('shard');
  if (shard === undefined || value.shard !== undefined) return { ok: true, value };
  return { ok: true, value, warnings: [{ path: 'data.shard', message: 'is not an integer; ignored' }] };
}

function clusterOf(secret: OpenSecret, notes: Notes): ClusterSecret | undefined {
  const { metadata, values } = secret;
  for (const key of ['name', 'server', 'project', 'namespaces', 'clusterResources', 'shard']) {
    if ((values.get(key)?.length ?? 0) > maxTextLength) return notes.add(`data.${key}`, 'is too long');
  }
  if (values.size > maxKeys) return notes.add('data', `has more than ${maxKeys} keys`);
  const keys = [...values.keys()];
  const login = configOf(values.get('config') ?? '', keys, notes);
  if (login === undefined) return undefined;
  const shard = Number(values.get('shard') ?? Number.NaN);
  return {
    namespace: metadata.namespace ?? '',
    secret: metadata.name,
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    creationTimestamp: metadata.creationTimestamp ?? '',
    name: values.get('name') ?? '',
    server: (values.get('server') ?? '').replace(/\/+$/, ''),
    project: values.get('project') ?? '',
    namespaces: commaList(values.get('namespaces') ?? ''),
    clusterResources: values.get('clusterResources') === 'true',
    ...(Number.isSafeInteger(shard) ? { shard } : {}),
    config: login,
    labels: without(metadata.labels, hiddenLabels),
    annotations: without(metadata.annotations, hiddenLabels),
    keys,
  };
}

/** The login part; `keys` receives the path of every key in it. Malformed text is refused without quoting any of it. */
function configOf(written: string, keys: string[], notes: Notes): ClusterConfig | undefined {
  if (written.trim() === '') return {};
  if (written.length > maxConfigLength) return notes.add('data.config', 'is too long');
  const json = parseStrictJson(written);
  if (!isObject(json)) return notes.add('data.config', 'is not a JSON object, or names a key twice');
  for (const [key, value] of Object.entries(json)) {
    keys.push(`config.${key}`);
    if (!isObject(value)) continue;
    for (const inner of Object.keys(value)) keys.push(`config.${key}.${inner}`);
  }
  if (keys.length > maxKeys * 2) return notes.add('data.config', 'has too many keys');
  return config(json, 'data.config', notes);
}

/** Items of a comma list, trimmed, empty ones dropped. */
export function commaList(written: string): readonly string[] {
  return written
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

const hiddenLabels = new Set([
  'argocd.argoproj.io/secret-type',
  'kubectl.kubernetes.io/last-applied-configuration',
  'managed-by',
]);

function without(
  map: { readonly [key: string]: string } | undefined,
  names: ReadonlySet<string>,
): { readonly [key: string]: string } {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !names.has(key)));
}

/** The identity of a cluster, `<namespace>/<secret>`: the key of everything kept about it. */
export function clusterKey(cluster: { readonly namespace: string; readonly secret: string }): string {
  return `${cluster.namespace}/${cluster.secret}`;
}

/** The cluster this runs in, where no Secret describes it: no Secret name, so no Secret can pose as it. */
export function implicitCluster(controlPlane: string): ClusterSecret {
  return {
    namespace: controlPlane,
    secret: '',
    uid: '',
    resourceVersion: '',
    creationTimestamp: '',
    name: inClusterName,
    server: inClusterServer,
    project: '',
    namespaces: [],
    clusterResources: false,
    config: {},
    labels: {},
    annotations: {},
    keys: [],
  };
}

/** True where an annotation of the Secret asks to leave all its Applications alone. */
export function skipsReconcile(cluster: ClusterSecret): boolean {
  return own(cluster.annotations, 'argocd.argoproj.io/skip-reconcile') === 'true';
}
