import { compileGlob } from '../../core/match/index.ts';
import type { RenderJob } from '../job.ts';
import type { Plugin } from '../settings.ts';
import { inAppDirectory } from './environment.ts';

/** The first plugin that knows the directory; plugins without a way to know are for those who name them. */
export async function matchingPlugin(job: RenderJob, plugins: readonly Plugin[]): Promise<Plugin | undefined> {
  for (const plugin of plugins) if (await knows(job, plugin)) return plugin;
  return undefined;
}

async function knows(job: RenderJob, { discover, name }: Plugin): Promise<boolean> {
  if (discover === undefined) return false;
  if ('command' in discover) {
    const printed = await inAppDirectory(job, name, [discover.command]).catch(() => Buffer.alloc(0));
    return printed.toString('utf8').trim() !== '';
  }
  const pattern = 'fileName' in discover ? discover.fileName : discover.glob;
  const glob = compileGlob(pattern.replace(/^\.\//, '').replaceAll('**/', '{**/,}'), { separators: '/' });
  if (!glob.ok) return false;
  return (await job.view.files(job.path)).some(({ path }) => glob.matches(path));
}
