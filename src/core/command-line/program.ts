import { Command, CommanderError, Option } from 'commander';
import type { CommandTree, LoadedCommand, Options, PlacedCommand } from './command.ts';
import { allNames, groups, loadCommand, type NamedCommand } from './command-tree.ts';
import { addCommandHelp, addRootHelp, addTopicHelp } from './help.ts';
import {
  argumentsOf,
  flagsOf,
  formsOf,
  globalOptions,
  helpOption,
  negatedName,
  optionName,
  optionsOf,
  versionOption,
} from './options.ts';

export interface Program {
  root: Command;
  current(): Command;
  definition(): LoadedCommand | undefined;
  /** Loads the definitions of the commands below the current one, for a text about them. */
  defineBelow(): Promise<LoadedCommand[]>;
  help(): Promise<string>;
}

const narrowWidth = 60;

/** The commands for commander. A definition is loaded when the command line reaches its command. */
export function createProgram(tree: CommandTree, helpWidth: number, words: readonly string[]): Program {
  let written = '';
  const root = createRoot(helpWidth, (text) => {
    written += text;
  });
  let current = root;
  const entries = new Map<Command, PlacedCommand>();
  const definitions = new Map<Command, LoadedCommand>();

  async function define(command: Command): Promise<void> {
    const entry = entries.get(command);
    if (entry === undefined || definitions.has(command)) return;
    const definition = await loadCommand(entry);
    definitions.set(command, definition);
    defineCommand(command, definition);
    addOptionsWithEquals(command, definition, words);
  }

  const onReached = async (parent: Command, command: Command) => {
    current = command;
    if (entries.has(command)) await define(command);
    else addOptions(command, globalOptions, { isHidden: true });
    // Copies the global options that stand before the command, such as --json in `vals --json ls`.
    for (const key of Object.keys(globalOptions)) {
      const source = parent.getOptionValueSource(key);
      if (source !== undefined) command.setOptionValueWithSource(key, parent.getOptionValue(key), source);
    }
  };

  root.configureHelp({
    minWidthToWrap: 12,
    subcommandTerm(command) {
      const definition = definitions.get(command);
      const isShort = helpWidth < narrowWidth || definition === undefined;
      return [command.name(), ...(isShort ? [] : formsOf(definition))].join(' ');
    },
    subcommandDescription(command) {
      const names = root
        .createHelp()
        .visibleCommands(command)
        .map((each) => each.name());
      const about = command.summary() || command.description();
      return names.length === 0 ? about : `${about}: ${names.join(', ')}`;
    },
  });
  root.hook('preSubcommand', onReached);

  /** A topic stands where its first command stands. */
  function topicNamed(name: string, title: string): Command {
    const known = root.commands.find((command) => command.name() === name);
    if (known !== undefined) return known;
    const summary = tree.commands.find(({ path, topic }) => topic && path.startsWith(`${name} `))?.topic;
    const topic = root.command(name).helpGroup(title).helpCommand(false).usage('<command> [options]');
    return topic.description(summary ?? '').hook('preSubcommand', onReached);
  }

  function addCommand({ name, entry, isHidden }: NamedCommand): void {
    const [first = '', second] = name.split(' ');
    const title = groups[entry.group];
    const parent = second === undefined ? root : topicNamed(first, title);
    const command = parent.command(second ?? first, { hidden: isHidden });
    if (parent === root) command.helpGroup(title);
    entries.set(command, entry);
  }

  for (const each of allNames(tree)) addCommand(each);

  async function defineBelow(): Promise<LoadedCommand[]> {
    for (const command of current.commands) await define(command);
    return current.commands.flatMap((command) => definitions.get(command) ?? []);
  }

  return {
    root,
    current: () => current,
    definition: () => definitions.get(current),
    defineBelow,
    async help() {
      const below = await defineBelow();
      if (current === root) addRootHelp(root);
      else if (below.length > 0) addTopicHelp(current, below);
      written = '';
      current.outputHelp();
      return written;
    },
  };
}

function createRoot(helpWidth: number, write: (text: string) => void): Command {
  const root = new Command('vals')
    .description('Push, run and inspect vals: named pieces of code that a service keeps.')
    .usage('<command> [options]')
    .enablePositionalOptions()
    .exitOverride()
    .version(VERSION, flagsOf('version', versionOption))
    .addOption(new Option('-v'))
    .on('option:v', () => {
      throw new CommanderError(0, 'commander.version', VERSION);
    })
    .addHelpOption(new Option(flagsOf('help', helpOption)).hideHelp())
    .helpCommand(false)
    .configureOutput({
      writeOut: write,
      writeErr: write,
      outputError: () => {},
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const option of root.options) option.hideHelp();
  addOptions(root, globalOptions, { isHidden: true });
  return root;
}

function defineCommand(command: Command, definition: LoadedCommand): void {
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
  addOptions(command, Object.fromEntries(others), { isHidden: true });
  addCommandHelp(command, definition);
}

/** The options for scripts that the help of a command shows among its own. */
function formatsOf({ columns, empty }: LoadedCommand): string[] {
  const [first] = columns;
  if (first === undefined) return [];
  // The status of an outcome is shown in a pipe, too.
  if (first.header === 'status' && first.only === undefined) return ['json'];
  return empty === undefined ? ['json', 'fields'] : ['json', 'fields', 'ndjson'];
}

/** `checkInput` checks values after commander has read the whole line, so that --help and --json count in any place. */
function addOptions(command: Command, options: Options, { isHidden = false } = {}): void {
  for (const [key, definition] of Object.entries(options)) {
    const { description, value, negatable, repeatable } = definition;
    const option = new Option(flagsOf(key, definition), description);
    // commander would take an option such as --no-check for the opposite of --check.
    option.negate = false;
    if (value?.words && value.acceptsOnlyWords) option.argChoices = [...value.words];
    if (definition.default !== undefined) option.default(definition.default);
    if (repeatable) option.argParser((word, before: string[] = []) => [...before, word]);
    if (definition.rare) option.helpGroup('Less common options:');
    command.addOption(option.hideHelp(isHidden));
    if (negatable !== undefined)
      command.addOption(new Option(negatedName(key), negatable).hideHelp(isHidden));
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
