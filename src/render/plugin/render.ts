import { type Product, type RenderJob, requireCluster } from '../job.ts';
import { objectsOf } from '../manifests.ts';
import type { Plugin } from '../settings.ts';
import { inAppDirectory } from './environment.ts';

/** Runs a plugin of the installation; nothing printed means no objects. */
export async function renderPlugin(job: RenderJob, { name, init, generate }: Plugin): Promise<Product> {
  requireCluster(job);
  const printed = await inAppDirectory(job, name, [...(init === undefined ? [] : [init]), generate]);
  const { documents, warnings } = await job.reader.output(`plugin ${name}`, printed);
  return {
    objects: objectsOf(documents, undefined, `the output of plugin ${name}`),
    warnings: warnings.map((text) => `plugin ${name}${text}`),
    sourceType: 'Plugin',
    bytes: 3 * printed.length,
    // It sees both in its environment.
    askedCluster: true,
    askedRevision: true,
  };
}
