import { application, clusterSecret, Given, project } from './given.ts';

// Two tenants of one project, each with a Secret for the cluster blue.

/** A complete credential. */
export const token = `config: '{"bearerToken":"t","tlsClientConfig":{"caData":"Y2E="}}'`;

/** The Secret for the cluster blue in a namespace. */
export const blue = (namespace: string, more = ''): string =>
  clusterSecret(
    'blue',
    namespace,
    `name: blue\nserver: https://blue.example.com:6443\nproject: sample\n${more}${token}`,
  );

/** The project of both tenants. */
export const sample = project(
  'sample',
  `
sourceRepos: ['*']
sourceNamespaces: [tenant-a, tenant-b]
permitOnlyProjectScopedClusters: true
destinations:
- {server: 'https://blue.example.com:6443', namespace: dev}
- {server: 'https://blue.example.com:6443', namespace: stage}
- {server: 'https://blue.example.com:6443', namespace: prod}
`,
);

/** Another project of the first tenant. */
export const other = project(
  'other',
  "sourceRepos: ['*']\nsourceNamespaces: [tenant-a]\ndestinations: [{server: '*', namespace: '*'}]",
);

/** An Application of a tenant. */
export const app = (namespace: string, destination: string, projectName = 'sample', name = 'shop'): string =>
  application(
    name,
    namespace,
    `project: ${projectName}\nsource: {repoURL: 'https://g/x', path: .}\ndestination: {${destination}}`,
  );

/** The cluster blue as a destination by its address. */
export const byUrl = "server: 'https://blue.example.com:6443', namespace: dev";

/** The installation of both tenants. */
export const given = (yaml: string, more = {}): Given =>
  new Given(yaml, { appNamespaces: ['tenant-a', 'tenant-b'], ...more });

/** What an Application is told that finds no cluster blue. */
export const notFound =
  'InvalidSpecError: error getting cluster by server "https://blue.example.com:6443": cluster "https://blue.example.com:6443" not found';

/** What a Secret is told whose project does not list its namespace. */
export const unlisted = "project 'sample' does not exist or does not permit namespace 'tenant-a'";
