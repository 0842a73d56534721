import { argument, defineCommand } from '../cli/command.ts';
import { UsageError } from '../errors.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

export const completion = defineCommand({
  path: 'completion',
  summary: 'Print the completion script of a shell',
  description:
    'Print the script with which bash, zsh or fish completes commands, options, their words, files and vals. ' +
    'To have it in every shell, add its line from the examples to ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish.',
  arguments: { shell: { ...argument('<shell>', shells.join(', '), parseShell), words: shells } },
  examples: [
    'eval "$(vals completion bash)"',
    'eval "$(vals completion zsh)"',
    'vals completion fish | source',
  ],
  columns: [],
  async run({ settings }, { shell }) {
    if (shell === namesForScripts) {
      const { valNames } = await import('../cli/completion/val-names.ts');
      // A shell may take anything else for an order.
      return valNames(settings)
        .filter((name) => /^\w[\w.-]*$/.test(name))
        .map((name) => `${name}\n`)
        .join('');
    }
    const { completionScript } = await import('../cli/completion/script.ts');
    // Loaded here, because the list of commands has this one in it.
    const { commandTree } = await import('./index.ts');
    return completionScript(shell as (typeof shells)[number], commandTree);
  },
});

/** What the scripts ask for when a val is to be completed. */
const namesForScripts = 'names';

function parseShell(word: string): string {
  if (word === namesForScripts || shells.some((shell) => shell === word)) return word;
  throw new UsageError(`There is no completion for "${word}".`, {
    hint: `Name one of ${shells.join(', ')}: \`vals completion bash\`.`,
  });
}
