import { defineCommand, toggle } from '../cli/command.ts';

export const command = defineCommand({
  summary: 'Serve the commands to an agent, as tools',
  description:
    'Serve the commands as tools of the Model Context Protocol, on stdin and stdout, until stdin ends. The agent reads ' +
    'and writes vals as you, and files below this folder. It deletes nothing and runs no code unless you allow it.',
  details:
    'A program that acts for a person starts this command, such as the assistant of an editor. Each tool is a command, ' +
    'with the same arguments and options and the result of --json. --base-url, --local and the other options of every ' +
    'command hold for all tools.',
  options: {
    readOnly: toggle('--read-only', 'only tools that change nothing', {
      conflicts: ['allowDelete', 'allowRun'],
    }),
    allowDelete: toggle('--allow-delete', 'also tools that delete vals and versions'),
    allowRun: toggle('--allow-run', "also the tool that runs a val's code on this machine"),
  },
  examples: ['vals mcp', 'vals mcp --read-only --base-url https://api.example.com'],
  columns: [],
  async run(context, permissions) {
    const { serveAgents } = await import('../agents/serve.ts');
    await serveAgents(context, permissions);
    return { kind: 'nothing' };
  },
});
