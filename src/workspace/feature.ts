// What the program knows of a workspace: its commands, and the hook that finds the val of a file.
import type { Feature } from '../core/command-line/command.ts';

/** A folder of files that are vals: compare them with the service, push and pull. */
export const workspace: Feature = {
  commands: [
    { path: 'push', group: 'vals', effect: 'updates', load: () => import('./commands/push.ts') },
    { path: 'val rm', group: 'vals', effect: 'deletes', load: () => import('./commands/val-rm.ts') },
    { path: 'val set', group: 'vals', effect: 'updates', load: () => import('./commands/val-set.ts') },
    { path: 'init', group: 'workspace', effect: 'adds', load: () => import('./commands/init.ts') },
    { path: 'clone', group: 'workspace', effect: 'adds', load: () => import('./commands/clone.ts') },
    { path: 'status', group: 'workspace', effect: 'reads', load: () => import('./commands/status.ts') },
    { path: 'diff', group: 'workspace', effect: 'reads', load: () => import('./commands/diff.ts') },
    { path: 'pull', group: 'workspace', effect: 'updates', load: () => import('./commands/pull.ts') },
  ],
  async openFiles(context, use) {
    const { openFiles } = await import('./file-of-val.ts');
    return openFiles(context, use);
  },
};
