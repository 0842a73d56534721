import type { Feature } from '../core/command-line/command.ts';

/** Running a val on this machine, with Node. */
export const run: Feature = {
  commands: [{ path: 'run', group: 'workspace', effect: 'runs', load: () => import('./commands/run.ts') }],
};
