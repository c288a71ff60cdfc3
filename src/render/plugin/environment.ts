import { join } from 'node:path';
import type { PluginParameter, PluginSource } from '../../core/api/index.ts';
import { canonical } from '../../core/json/index.ts';
import type { RenderJob } from '../job.ts';

/** Runs commands of a plugin, one after the other, in the directory of the source; returns what the last one prints. */
export async function inAppDirectory(
  job: RenderJob,
  name: string,
  commands: readonly (readonly string[])[],
): Promise<Buffer> {
  const env = pluginEnvironment(job);
  return job.workspace(async (workspace) => {
    // Plugins may read what they like of the repository: all of it is theirs.
    job.view.note('');
    await job.view.tree.exportTo(workspace.tree, await job.view.closure(['']));
    let printed: Buffer = Buffer.alloc(0);
    for (const [command = '', ...args] of commands)
      printed = await workspace.run({
        name: `plugin ${name}`,
        command,
        args,
        cwd: join(workspace.tree, job.path),
        env,
        network: job.settings.remoteReferences,
      });
    return printed;
  });
}

/** What a plugin finds in its environment: the build's variables, the cluster, and what the Application says. */
export function pluginEnvironment({ source, environment, context }: RenderJob): Record<string, string> {
  const { env = [], parameters = [] }: PluginSource = source.plugin ?? {};
  return {
    ...Object.fromEntries(environment.variables),
    KUBE_VERSION: context.kubeVersion,
    KUBE_API_VERSIONS: context.apiVersions.join(','),
    ...Object.fromEntries(env.map(({ name, value }) => [`ARGOCD_ENV_${name}`, environment.substitute(value)])),
    ...(parameters.length === 0 ? {} : { ARGOCD_APP_PARAMETERS: canonical(parameters.map(announced)) }),
    ...Object.fromEntries(parameters.flatMap(parameterVariables)),
  };
}

function announced({ name = '', string, array, map }: PluginParameter) {
  return {
    name,
    ...(string === undefined ? {} : { string }),
    ...(array === undefined ? {} : { array: [...array] }),
    ...(map === undefined ? {} : { map: { ...map } }),
  };
}

function parameterVariables({ name = '', string, array = [], map = {} }: PluginParameter): [string, string][] {
  const base = `PARAM_${word(name)}`;
  return [
    ...(string === undefined ? [] : [[base, string] as [string, string]]),
    ...array.map((value, i): [string, string] => [`${base}_${i}`, value]),
    ...Object.entries(map).map(([key, value]): [string, string] => [`${base}_${word(key)}`, value]),
  ];
}

function word(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
}
