import type { Feature } from '../core/command-line/command.ts';

/** The commands as tools for agents. */
export const agents: Feature = {
  commands: [{ path: 'mcp', group: 'set-up', effect: 'updates', load: () => import('./commands/mcp.ts') }],
};
