import type { CommandEntry } from '../command.ts';

/** The commands that start no server, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'app',
    summary: 'what an Application renders to, offline',
    load: async () => (await import('./app/index.ts')).register,
  },
  {
    name: 'why',
    summary: 'the deciding fact behind any refusal or silence',
    load: async () => (await import('./why/index.ts')).register,
  },
  {
    name: 'policy',
    summary: 'try out projects and settings before they are in force',
    load: async () => (await import('./policy/index.ts')).register,
  },
  {
    name: 'admin',
    summary: 'tasks of the platform’s administrators',
    load: async () => (await import('./admin/index.ts')).register,
  },
];
