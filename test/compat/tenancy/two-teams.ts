import { application, clusterSecret, Given, local, project, settings } from './given.ts';

// The setting of the threat model: two teams, a platform project, impersonation on.

/** What the project of a team permits: its own namespace and repositories, as its own account. */
export const team = (name: string): string => `
sourceNamespaces: [${name}]
sourceRepos: ['https://git.example.com/${name}/**']
destinations: [{server: '${local}', namespace: ${name}}]
destinationServiceAccounts: [{server: '${local}', namespace: ${name}, defaultServiceAccount: deployer}]
`;

/** What the project of the platform permits. */
export const everything =
  "sourceRepos: ['*']\ndestinations: [{server: '*', namespace: '*'}]\nclusterResourceWhitelist: [{group: '*', kind: '*'}]";

/** What the project for a team’s own clusters permits. */
export const ext = (name: string): string => `
sourceNamespaces: [${name}]
sourceRepos: ['https://git.example.com/${name}/**']
permitOnlyProjectScopedClusters: true
destinations: [{server: 'https://${name}.example.com', namespace: '*'}]
`;

/** All projects and settings of the installation. */
export const world =
  settings('application.sync.impersonation.enabled: "true"') +
  project('team-a', team('team-a')) +
  project('team-a-ext', ext('team-a')) +
  project('team-b', team('team-b')) +
  project('team-b-ext', ext('team-b')) +
  project('platform', everything) +
  project('default', everything);

/** The namespaces whose Applications count. */
export const flags = { appNamespaces: ['team-a', 'team-b'] };

/** The installation with more objects in it. */
export const given = (yaml: string): Given => new Given(world + yaml, flags);

/** The Application `shop` of team-a, as it should be unless told. */
export const app = (
  over: { project?: string; repo?: string; destination?: string; namespace?: string } = {},
): string => {
  const {
    project: name = 'team-a',
    repo = 'https://git.example.com/team-a/shop',
    destination = `server: '${local}', namespace: team-a`,
    namespace = 'team-a',
  } = over;
  return application(
    'shop',
    namespace,
    `project: ${name}\nsource: {repoURL: ${JSON.stringify(repo)}, path: .}\ndestination: {${destination}}`,
  );
};

/** Why the Application of team-a is refused. */
export const refusal = (yaml: string): string => given(yaml).refusal('team-a/shop');

/** What that Application may do with an object. */
export const object = (subject: Parameters<Given['object']>[1]): string => given(app()).object('team-a/shop', subject);

/** A cluster Secret of team-a. */
export const secret = (data: string, config = '{"bearerToken":"t"}'): string =>
  clusterSecret('mine', 'team-a', `${data}\nconfig: '${config}'`);

/** What a cluster Secret of team-a should hold. */
export const mine = 'name: mine\nserver: https://team-a.example.com\nproject: team-a-ext';

/** The Application of team-a in the project for its own clusters. */
export const extApp = (destination: string, more: { namespace?: string; project?: string } = {}): string =>
  app({ project: 'team-a-ext', destination, ...more });

/** Whether that Secret is accepted, or why not. */
export const acceptance = (yaml: string): string => given(yaml).acceptance('team-a/mine');
