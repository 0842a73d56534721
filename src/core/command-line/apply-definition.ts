// One command for commander, from its definition.
import { Command, type Help, Option } from 'commander';
import { columnsFor } from '../output/column.ts';
import type { AnyCommand, LoadedCommand, Options } from './command.ts';
import {
  argumentsOf,
  environmentAlone,
  flagsOf,
  formsOf,
  globalOptions,
  helpOption,
  knownOptions,
  negatedName,
  optionName,
  optionsOf,
  versionOption,
} from './options.ts';

/** `words` is the command line, which commander has not read yet. */
export function applyDefinition(command: Command, definition: LoadedCommand, words: readonly string[]): void {
  const { summary, description = `${summary}.`, passesThrough, optionsMayFollow, options = {} } = definition;
  command
    .summary(summary)
    .description(description)
    .usage(['[options]', ...formsOf(definition)].join(' '))
    .passThroughOptions(passesThrough === true)
    .action(() => {});
  if (optionsMayFollow) command.on(`option:${optionsMayFollow}`, () => command.passThroughOptions(false));
  for (const [, { value, repeatable, description }] of argumentsOf(definition)) {
    command.argument(`[${value.placeholder}${repeatable ? '...' : ''}]`, description);
  }
  const formats = formatsOf(definition);
  const isFormat = ([key]: [string, unknown]) => formats.includes(key);
  const all = Object.entries(globalOptions);
  addOptions(command, { ...options, ...Object.fromEntries(all.filter(isFormat)) });
  const others = all.filter((option) => !isFormat(option));
  addOptions(command, Object.fromEntries(others), { isGlobal: true });
  addOptionsWithEquals(command, definition, words);
  addCommandHelp(command, definition);
}

/** The options for scripts that the help of a command shows among its own. */
function formatsOf({ columns, empty, examples }: LoadedCommand): string[] {
  const [first] = columns;
  if (first === undefined)
    return ['json', 'ndjson'].filter((key) => examples.join(' ').includes(optionName(key)));
  // The status of an outcome is shown in a pipe, too.
  if (first.header === 'status' && first.only === undefined) return ['json'];
  return empty === undefined ? ['json', 'fields'] : ['json', 'fields', 'ndjson'];
}

/** `checkInput` checks values after commander has read the whole line, so that --help and --json count in any place. */
export function addOptions(command: Command, options: Options, { isGlobal = false } = {}): void {
  for (const [key, definition] of Object.entries(options)) {
    const { description, value, negatable, repeatable } = definition;
    const option = new Option(flagsOf(key, definition), description);
    // commander would take an option such as --no-check for the opposite of --check.
    option.negate = false;
    if (value?.acceptsOnlyWords) option.argChoices = [...(value.schema.enum ?? [])];
    if (definition.default !== undefined) option.default(definition.default);
    if (repeatable) option.argParser((word, before: string[] = []) => [...before, word]);
    if (definition.rare) option.helpGroup('Less common options:');
    command.addOption(option.hideHelp(isGlobal));
    if (negatable !== undefined)
      command.addOption(new Option(negatedName(key), negatable).hideHelp(isGlobal));
  }
}

/** An option such as `--inspect` takes a value only after `=`, as with node. commander would take the next word for it. */
function addOptionsWithEquals(command: Command, definition: LoadedCommand, words: readonly string[]): void {
  for (const [key, { afterEquals }] of optionsOf(definition)) {
    const start = `${optionName(key)}=`;
    for (const word of new Set(words.filter((word) => afterEquals && word.startsWith(start)))) {
      const option = new Option(word).hideHelp();
      command.addOption(option);
      command.on(`option:${option.name()}`, () =>
        command.setOptionValueWithSource(key, word.slice(start.length), 'cli'),
      );
    }
  }
}

/** Works in an empty folder, without a service. */
const firstCommand = `echo 'export default () => "hi"' | vals push - --name hello --local`;

export function addRootHelp(root: Command): void {
  addText(root, 'For help, run `vals help <command>`. To begin, run the next line.');
  addText(root, firstCommand, '');
}

export function addTopicHelp(command: Command, below: readonly AnyCommand[]): void {
  const topic = command.name();
  const examples = below.flatMap(({ examples }) =>
    examples.filter((line) => line.startsWith(`vals ${topic} `)).slice(0, 1),
  );
  addExamples(command, [...new Set(examples)].slice(0, 3));
  addText(command, `To see the help of a command, run \`vals ${topic} <command> --help\`.`);
}

function addCommandHelp(leaf: Command, command: AnyCommand): void {
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

const addText = (command: Command, text: string, before = '\n'): void =>
  void command.addHelpText('after', () => {
    const help = helpOf(command);
    return `${before}${help.boxWrap(text, help.helpWidth ?? 80)}`;
  });

function helpOf(command: Command): Help {
  const help = command.createHelp();
  help.prepareContext({ helpWidth: command.configureOutput().getOutHelpWidth?.() });
  return help;
}
