import type { Json } from '../json/index.ts';
import { Notes } from './decode.ts';
import { Hidden } from './hidden.ts';
import type { Parsed } from './parsed.ts';
import { openSecret } from './secret.ts';

/** The keys whose values are no secret; every other value is hidden as it is read. */
const plainKeys = [
  'url',
  'type',
  'name',
  'project',
  'username',
  'insecure',
  'insecureIgnoreHostKey',
  'enableLfs',
  'enableOCI',
  'insecureOCIForceHttp',
  'forceHttpBasicAuth',
  'noProxy',
  'depth',
  'githubAppID',
  'githubAppInstallationID',
  'githubAppEnterpriseBaseUrl',
  'useAzureWorkloadIdentity',
  'azureActiveDirectoryEndpoint',
  'webhookManifestCacheWarmDisabled',
] as const;

export type RepositoryType = 'git' | 'helm' | 'oci';

/** A repository, or a template of credentials for all repositories below its address. */
export interface Repository {
  readonly namespace: string;
  /** Name of the Secret. */
  readonly secret: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** `repo-creds`: matched by the longest prefix, and only for a repository that has no credential of its own. */
  readonly template: boolean;
  readonly url: string;
  readonly type: RepositoryType;
  readonly name: string;
  /** Empty: not scoped. Templates have no scope. */
  readonly project: string;
  readonly username: string;
  readonly insecure: boolean;
  readonly enableLfs: boolean;
  readonly enableOCI: boolean;
  readonly insecureOCIForceHttp: boolean;
  readonly forceHttpBasicAuth: boolean;
  readonly depth: number;
  readonly noProxy: string;
  /** Everything else that was written, under its own key: `password`, `sshPrivateKey`, `proxy`, … */
  readonly secrets: ReadonlyMap<string, Hidden>;
  /** The remaining plain keys, such as `githubAppID`. */
  readonly plain: ReadonlyMap<string, string>;
}

const maxValueLength = 256 * 1024;

/** Reads a `repository` or `repo-creds` Secret. */
export function parseRepositorySecret(json: Json): Parsed<Repository> {
  const notes = new Notes();
  const secret = openSecret(json, ['repository', 'repo-creds'], notes);
  if (secret === undefined) return { ok: false, problems: notes.problems };
  const { metadata, values } = secret;
  const url = (values.get('url') ?? '').trim();
  if (url === '') notes.add('data.url', 'is required');
  const type = values.get('type') ?? '';
  if (!['', 'git', 'helm', 'oci'].includes(type)) notes.add('data.type', 'must be git, helm or oci');
  for (const [key, value] of values) if (value.length > maxValueLength) notes.add(`data.${key}`, 'is too long');
  if (notes.problems.length > 0) return { ok: false, problems: notes.problems };
  const template = secret.type === 'repo-creds';
  const is = (key: string): boolean => values.get(key) === 'true';
  const depth = Number(values.get('depth') ?? 0);
  const value: Repository = {
    namespace: metadata.namespace ?? '',
    secret: metadata.name,
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    template,
    url,
    type: type === '' ? 'git' : (type as RepositoryType), // checked above
    name: values.get('name') ?? '',
    project: template ? '' : (values.get('project') ?? ''),
    username: values.get('username') ?? '',
    insecure: is('insecure') || is('insecureIgnoreHostKey'),
    enableLfs: is('enableLfs'),
    enableOCI: is('enableOCI'),
    insecureOCIForceHttp: is('insecureOCIForceHttp'),
    forceHttpBasicAuth: is('forceHttpBasicAuth'),
    depth: Number.isSafeInteger(depth) && depth > 0 ? depth : 0,
    noProxy: values.get('noProxy') ?? '',
    ...split(values),
  };
  return { ok: true, value };
}

function split(values: ReadonlyMap<string, string>): Pick<Repository, 'plain' | 'secrets'> {
  const known = new Set<string>(plainKeys);
  const plain = new Map<string, string>();
  const secrets = new Map<string, Hidden>();
  for (const [key, value] of values) {
    if (known.has(key)) plain.set(key, value);
    else secrets.set(key, new Hidden(value));
  }
  return { plain, secrets };
}

/** True where the Secret carries anything to log in with. */
export function hasCredential(repository: Repository): boolean {
  const login = ['password', 'bearerToken', 'sshPrivateKey', 'githubAppPrivateKey', 'gcpServiceAccountKey'];
  const other = ['tlsClientCertData', 'azureServicePrincipalClientSecret'];
  return (
    repository.username !== '' ||
    repository.plain.get('useAzureWorkloadIdentity') === 'true' ||
    [...login, ...other].some((key) => repository.secrets.get(key)?.isEmpty === false)
  );
}
