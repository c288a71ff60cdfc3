/** Where a kubeconfig is said to be: by the flag, else by the variable `KUBECONFIG` as kubectl reads it. */
export function kubeconfigFiles(
  flag: string | undefined,
  env: { readonly [name: string]: string | undefined },
): string | readonly string[] | undefined {
  if (flag !== undefined && flag !== '') return flag;
  const files = (env['KUBECONFIG'] ?? '').split(':').filter((file) => file !== '');
  return files.length === 0 ? undefined : files;
}
