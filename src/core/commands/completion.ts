import { defineCommand } from '../command-line/command.ts';
import { completionScripts, shells } from '../command-line/completion/scripts.ts';
import { oneOf } from '../command-line/value-types.ts';

export const command = defineCommand({
  summary: 'Print the completion script of a shell',
  description:
    'Print a script that completes commands, options, files and vals in bash, zsh or fish. ' +
    'Add the example for your shell to ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish.',
  arguments: { shell: { description: shells.join(', '), value: oneOf(shells, 'shell') } },
  examples: [
    'eval "$(vals completion bash)"',
    'eval "$(vals completion zsh)"',
    'vals completion fish | source',
  ],
  columns: [],
  run: (_context, { shell }) => ({ kind: 'text', text: completionScripts[shell] }),
});
