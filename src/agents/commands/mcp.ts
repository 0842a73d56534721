import { defineCommand } from '../../core/command-line/command.ts';

export const command = defineCommand({
  summary: 'Serve the commands to an agent as tools',
  description:
    'Serve the commands as tools of the Model Context Protocol, on stdin and stdout, until stdin ends. The agent ' +
    'uses your token. It can read and write your vals, and the files below this folder. Only with --allow-delete can it ' +
    'delete, only with --allow-run can it run code, and only with --allow-public can it make a val public or unlisted.',
  details:
    'Each tool runs one command with its arguments and options, and answers with the JSON that the command prints with --json. ' +
    'An option of every command, such as --base-url, is given to `vals mcp` and applies to all tools.',
  options: {
    readOnly: {
      description: 'offer only the tools that change nothing',
      conflicts: ['allowDelete', 'allowRun', 'allowPublic'],
    },
    allowDelete: { description: 'also offer the tools that delete vals and versions' },
    allowRun: {
      description:
        'also offer the tool that runs code on this machine, in a sandbox that threads can leave before Node 22.15',
    },
    allowPublic: {
      description: 'let the tools make vals public or unlisted (otherwise, new vals are private)',
    },
  },
  examples: ['vals mcp', 'vals mcp --read-only --base-url https://api.example.com'],
  columns: [],
  async run(context, permissions) {
    const { serveAgents } = await import('../serve-agents.ts');
    await serveAgents(context, permissions);
    return { kind: 'nothing' };
  },
});
