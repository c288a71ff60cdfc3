import { conditions } from './application.ts';
import { count, crdOf, flag, integer, list, map, object, shortText, text } from './schema.ts';

const kinds = list(object({ group: text, kind: text }, ['group', 'kind']));
const namedKinds = list(object({ group: text, kind: text, name: text }, ['group', 'kind']));
const tokens = list(object({ iat: integer, exp: integer, id: text }, ['iat']));

const syncWindows = list(
  object({
    kind: text,
    schedule: text,
    duration: text,
    applications: list(text),
    namespaces: list(text),
    clusters: list(text),
    manualSync: flag,
    timeZone: text,
    andOperator: flag,
    description: shortText(255),
    syncOverrun: flag,
  }),
);

const roles = list(
  object({ name: text, description: text, policies: list(text), groups: list(text), jwtTokens: tokens }, ['name']),
);

const gitPolicies = list(
  object({
    repos: list(object({ url: text }, ['url'])),
    gpg: object({ mode: { type: 'string', enum: ['none', 'head', 'strict'] }, keys: list(text) }),
  }),
);

export const appProject = crdOf({
  kind: 'AppProject',
  plural: 'appprojects',
  shortNames: ['appproj', 'appprojs'],
  properties: {
    spec: object({
      description: shortText(255),
      sourceRepos: list(text),
      destinations: list(object({ server: text, name: text, namespace: text })),
      sourceNamespaces: list(text),
      clusterResourceWhitelist: namedKinds,
      clusterResourceBlacklist: namedKinds,
      namespaceResourceWhitelist: kinds,
      namespaceResourceBlacklist: kinds,
      orphanedResources: object({ warn: flag, ignore: list(object({ group: text, kind: text, name: text })) }),
      roles,
      syncWindows,
      signatureKeys: list(object({ keyID: text }, ['keyID'])),
      sourceIntegrity: object({ git: object({ policies: gitPolicies }) }),
      permitOnlyProjectScopedClusters: flag,
      destinationServiceAccounts: list(
        object({ server: text, namespace: text, defaultServiceAccount: text }, ['defaultServiceAccount', 'server']),
      ),
      quota: object({ applications: count, clusters: count }),
    }),
    status: object({ jwtTokensByRole: map(object({ items: tokens })), conditions }),
  },
});
