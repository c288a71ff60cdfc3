import { crdOf, flag, integer, integerOrText, list, map, object, open, type Schema, text, time } from './schema.ts';
import { info, source, sourceHydrator } from './source.ts';

const destination = object({ server: text, name: text, namespace: text });

export const ignoreDifferences = list(
  object(
    {
      group: text,
      kind: text,
      name: text,
      namespace: text,
      jsonPointers: list(text),
      jqPathExpressions: list(text),
      managedFieldsManagers: list(text),
    },
    ['kind'],
  ),
);

const retry = object({
  limit: integer,
  backoff: object({ duration: text, factor: integer, maxDuration: text }),
  refresh: flag,
});

const labelsAndAnnotations = object({ labels: map(text), annotations: map(text) });

const syncPolicy = object({
  automated: object({ enabled: flag, prune: flag, selfHeal: flag, allowEmpty: flag }),
  syncOptions: list(text),
  retry,
  managedNamespaceMetadata: labelsAndAnnotations,
});

/** What a user asks for. */
export const applicationSpec: Schema = object(
  {
    project: text,
    source,
    sources: list(source),
    sourceHydrator,
    destination,
    syncPolicy,
    ignoreDifferences,
    info,
    revisionHistoryLimit: integer,
  },
  ['destination', 'project'],
);

const initiatedBy = object({ username: text, automated: flag });
const force = object({ force: flag });

const operation = object({
  sync: object({
    revision: text,
    revisions: list(text),
    prune: flag,
    dryRun: flag,
    syncStrategy: object({ apply: force, hook: force }),
    resources: list(object({ group: text, kind: text, name: text, namespace: text }, ['kind', 'name'])),
    source,
    sources: list(source),
    manifests: list(text),
    syncOptions: list(text),
    autoHealAttemptsCount: integer,
  }),
  initiatedBy,
  info,
  retry,
});

const health = object({ status: text, message: text, lastTransitionTime: time });
const reference = { group: text, version: text, kind: text, namespace: text, name: text };

const operationState = object(
  {
    operation,
    phase: text,
    message: text,
    startedAt: time,
    finishedAt: time,
    retryCount: integer,
    syncResult: object({
      revision: text,
      revisions: list(text),
      source,
      sources: list(source),
      managedNamespaceMetadata: labelsAndAnnotations,
      resources: list(
        object({
          ...reference,
          status: text,
          message: text,
          hookType: text,
          hookPhase: text,
          syncPhase: text,
          images: list(text),
        }),
      ),
    }),
  },
  ['operation', 'phase', 'startedAt'],
);

export const conditions = list(object({ type: text, message: text, lastTransitionTime: time }, ['message', 'type']));

const status = object({
  sync: object(
    {
      status: text,
      revision: text,
      revisions: list(text),
      comparedTo: object({ source, sources: list(source), destination, ignoreDifferences }),
    },
    ['status'],
  ),
  health,
  resources: list(
    object({
      ...reference,
      status: text,
      health,
      hook: flag,
      requiresPruning: flag,
      requiresDeletionConfirmation: flag,
      syncWave: integer,
    }),
  ),
  resourceHealthSource: text,
  conditions,
  history: list(
    object(
      {
        id: integer,
        revision: text,
        revisions: list(text),
        source,
        sources: list(source),
        deployStartedAt: time,
        deployedAt: time,
        initiatedBy,
      },
      ['deployedAt', 'id'],
    ),
  ),
  reconciledAt: time,
  observedAt: time,
  operationState,
  sourceType: text,
  sourceTypes: list(text),
  summary: object({ externalURLs: list(text), images: list(text), isAppOfApps: flag }),
  controllerNamespace: text,
  sourceHydrator: open,
});

export const application = crdOf({
  kind: 'Application',
  plural: 'applications',
  shortNames: ['app', 'apps'],
  columns: [
    { name: 'Sync Status', jsonPath: '.status.sync.status' },
    { name: 'Health Status', jsonPath: '.status.health.status' },
    { name: 'Revision', jsonPath: '.status.sync.revision', wide: true },
    { name: 'Project', jsonPath: '.spec.project', wide: true },
  ],
  properties: { spec: applicationSpec, operation, status },
});

const expression = object({ key: text, operator: text, values: list(text) });

/** Generators nest without end, which no structural schema can say: their content is checked when they are read. */
export const applicationSet = crdOf({
  kind: 'ApplicationSet',
  plural: 'applicationsets',
  shortNames: ['appset', 'appsets'],
  statusSubresource: true,
  properties: {
    spec: object(
      {
        goTemplate: flag,
        goTemplateOptions: list(text),
        generators: list(open),
        template: object(
          {
            metadata: object({
              name: text,
              namespace: text,
              labels: map(text),
              annotations: map(text),
              finalizers: list(text),
            }),
            spec: applicationSpec,
          },
          ['metadata', 'spec'],
        ),
        templatePatch: text,
        syncPolicy: object({
          applicationsSync: { type: 'string', enum: ['create-only', 'create-update', 'create-delete', 'sync'] },
          preserveResourcesOnDeletion: flag,
        }),
        strategy: object({
          type: text,
          rollingSync: object({
            steps: list(object({ matchExpressions: list(expression), maxUpdate: integerOrText })),
          }),
          deletionOrder: text,
        }),
        preservedFields: object({ annotations: list(text), labels: list(text) }),
        ignoreApplicationDifferences: list(
          object({ name: text, jsonPointers: list(text), jqPathExpressions: list(text) }),
        ),
        applyNestedSelectors: flag,
      },
      ['generators', 'template'],
    ),
    status: object({
      conditions: list(
        object({ type: text, status: text, reason: text, message: text, lastTransitionTime: time }, [
          'message',
          'reason',
          'status',
          'type',
        ]),
      ),
      applicationStatus: list(
        object(
          {
            application: text,
            status: text,
            step: text,
            message: text,
            targetRevisions: list(text),
            lastTransitionTime: time,
          },
          ['application', 'message', 'status', 'step'],
        ),
      ),
      resources: list(
        object({ ...reference, status: text, health, hook: flag, requiresPruning: flag, syncWave: integer }),
      ),
      resourcesCount: integer,
      health,
    }),
  },
});
