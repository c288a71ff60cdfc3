import type { Identity } from './tls/identity.ts';

/** A kubeconfig for the administrator. */
export function adminKubeconfig(url: string, { authority, adminToken }: Identity): string {
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
  const name = 'argosy';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': base64(authority.certificate) } }],
    users: [
      {
        name: `${name}-admin`,
        user: { token: adminToken },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: `${name}-admin` } }],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
