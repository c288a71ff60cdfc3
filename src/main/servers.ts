import type { CommandEntry } from '../cli/index.ts';

/** The commands that start something and keep it running; only `main` may put programs together. */
export const serverCommands: readonly CommandEntry[] = [
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
