import { Command, Option } from 'commander';
import { columnsFor } from '../terminal/column.ts';
import type { AnyCommand } from './command.ts';
import { environmentAlone } from './global-options.ts';
import { optionsAt } from './known-options.ts';

export function addRootHelp(root: Command): void {
  addText(
    root,
    'To begin, run `vals push hello.ts --local`. To sign in, run `vals login`.\n' +
      'For help, run `vals <command> --help` or `vals help options`.',
  );
}

export function addTopicHelp(command: Command, topic: string, below: readonly AnyCommand[]): void {
  addExamples(
    command,
    below
      .flatMap(({ examples }) => examples.filter((line) => line.startsWith(`vals ${topic} `)).slice(0, 1))
      .slice(0, 3),
  );
  addText(command, `To see the help of a command, run \`vals ${topic} <command> --help\`.`);
}

export function addCommandHelp(leaf: Command, { columns, examples }: AnyCommand): void {
  const headers = columnsFor(columns, 'pipe')
    .map(({ header }) => header)
    .join(', ');
  addText(
    leaf,
    `${headers && `Columns in a pipe: ${headers}\n`}To list more options, such as --json, run \`vals help options\`.`,
  );
  addExamples(leaf, examples);
}

export function optionsHelp(helpWidth: number): string {
  const page = new Command('vals')
    .configureOutput({ getOutHelpWidth: () => helpWidth, getOutHasColors: () => false })
    .usage('<command> [options]')
    .description(
      'The options of every command. An option overrides its environment variable, and the variable overrides the config file.',
    )
    .helpOption(false)
    .helpCommand(false);
  for (const { names, placeholder = '', description } of optionsAt([], undefined)) {
    page.addOption(
      new Option(`${names.join(', ')} ${placeholder}`.trim(), description).helpGroup(
        'Options of every command:',
      ),
    );
  }
  // Each variable is added as a command, because commander prints commands in two columns.
  for (const [name, description] of Object.entries(environmentAlone)) {
    page.command(name).description(description).helpGroup('Environment variables without an option:');
  }
  return page.helpInformation().trimEnd().concat('\n');
}

const addExamples = (command: Command, examples: readonly string[]): void =>
  void command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ ${line}`).join('\n')}`);

const addText = (command: Command, text: string): void =>
  void command.addHelpText('after', () => {
    const help = command.createHelp();
    help.prepareContext({ helpWidth: command.configureOutput().getOutHelpWidth?.() });
    return `\n${help.boxWrap(text, help.helpWidth ?? 80)}`;
  });
