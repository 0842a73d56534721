import { Command, type Help, Option } from 'commander';
import { columnsFor } from '../output/column.ts';
import type { AnyCommand } from './command.ts';
import { environmentAlone, globalOptions, helpOption, knownOptions, versionOption } from './options.ts';

export function addRootHelp(root: Command): void {
  addText(root, 'To begin, run `vals push hello.ts --local`. For help, run `vals help <command>`.');
}

export function addTopicHelp(command: Command, below: readonly AnyCommand[]): void {
  const topic = command.name();
  const examples = below.flatMap(({ examples }) =>
    examples.filter((line) => line.startsWith(`vals ${topic} `)).slice(0, 1),
  );
  addExamples(command, [...new Set(examples)].slice(0, 3));
  addText(command, `To see the help of a command, run \`vals ${topic} <command> --help\`.`);
}

export function addCommandHelp(leaf: Command, command: AnyCommand): void {
  const { columns, examples } = command;
  const output = outputInPipe(columns);
  addText(
    leaf,
    `${output && `${output}\n`}To list more options, such as --base-url, run \`vals help options\`.`,
  );
  addExamples(leaf, examples);
}

/** Empty for a command that prints no records. */
export function outputInPipe(columns: AnyCommand['columns']): string {
  const headers = columnsFor(columns, 'pipe').map(({ header }) => header);
  if (headers.length === 0) return '';
  return headers.includes('diff')
    ? `In a pipe: the diff alone. Fields with --json: ${headers.join(', ')}`
    : `Columns in a pipe: ${headers.join(', ')}`;
}

export function optionsHelp(helpWidth: number): string {
  const all = { ...globalOptions, help: helpOption, version: versionOption };
  const page = new Command('vals')
    .configureOutput({ getOutHelpWidth: () => helpWidth, getOutHasColors: () => false })
    .usage('<command> [options]')
    .description(
      'The options of every command. An option overrides its environment variable, and the variable overrides the config file.',
    )
    .helpOption(false)
    .helpCommand(false);
  for (const { names, placeholder = '', description } of knownOptions(all)) {
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
    const help = helpOf(command);
    return `\n${help.boxWrap(text, help.helpWidth ?? 80)}`;
  });

function helpOf(command: Command): Help {
  const help = command.createHelp();
  help.prepareContext({ helpWidth: command.configureOutput().getOutHelpWidth?.() });
  return help;
}
