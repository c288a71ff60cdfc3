/** What a real cluster of ours logs: writes with their bodies, everything else by its metadata, secrets never whole. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    {
      level: 'Metadata',
      resources: [
        { group: '', resources: ['secrets', 'serviceaccounts/token'] },
        { group: 'authentication.k8s.io', resources: ['tokenreviews'] },
      ],
    },
    { level: 'None', users: ['system:apiserver'] },
    { level: 'Metadata', verbs: ['get', 'list', 'watch'] },
    { level: 'RequestResponse', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
    { level: 'Metadata' },
  ],
} as const;

/** A kubeconfig with one context; JSON is YAML too. */
export function kubeconfigOf(url: string, ca: string, token: string): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'argosy', cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'argosy', context: { cluster: 'argosy', user: 'admin' } }],
    'current-context': 'argosy',
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
