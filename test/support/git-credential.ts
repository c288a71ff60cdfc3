import { parseRepositorySecret, type Repository as RepositorySecret } from '../../src/core/api/index.ts';

/** A repository Secret as an admin would write it, read as production reads it. */
export function repositorySecret(
  name: string,
  values: Readonly<Record<string, string>>,
  type: 'repository' | 'repo-creds' = 'repository',
): RepositorySecret {
  const parsed = parseRepositorySecret({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'argocd', uid: `uid-${name}`, labels: { 'argocd.argoproj.io/secret-type': type } },
    stringData: { ...values },
  });
  if (!parsed.ok) throw new Error(`the Secret of the test is wrong: ${JSON.stringify(parsed.problems)}`);
  return parsed.value;
}
