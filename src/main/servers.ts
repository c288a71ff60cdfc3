import type { CommandEntry } from '../cli/index.ts';

/** The commands that start something and keep it running; only `main` may put programs together. */
export const serverCommands: readonly CommandEntry[] = [
  {
    name: 'demo',
    summary: 'two tenants on embedded clusters, in a minute',
    load: async () => (await import('./demo/command.ts')).register,
  },
  {
    name: 'kube',
    summary: 'the embedded cluster alone, for kubectl',
    load: async () => (await import('./kube.ts')).register,
  },
  {
    name: 'run',
    summary: 'the product on a real cluster',
    load: async () => (await import('./run.ts')).register,
  },
];
