import { Command, Option } from 'commander';
import type { CommandTree, LoadedCommand, Options, PlacedCommand } from './command.ts';
import { commandNames, commandsOf, loadCommand } from './command-tree.ts';
import { globalOptions, helpOption, versionOption } from './global-options.ts';
import { addCommandHelp, addRootHelp, addTopicHelp } from './help.ts';
import { argumentsOf, flagsOf, formsOf, negatedName, optionName, optionsOf } from './option-names.ts';

export interface Program {
  root: Command;
  current(): Command;
  definition(): LoadedCommand | undefined;
  help(): Promise<string>;
}

const narrowWidth = 60;

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
  });
  root.hook('preSubcommand', onReached);
  // A topic stands where its first command stands.
  const topics = new Map(Object.entries(tree.topics));
  for (const { title, commands } of tree.groups) {
    for (const entry of commands) {
      const [first = '', second] = entry.path.split(' ');
      const summary = topics.get(first);
      if (second === undefined) addCommand(root, entry, first, title);
      else if (summary !== undefined) addTopic(first, summary, title);
      topics.delete(first);
    }
  }

  function addCommand(parent: Command, entry: PlacedCommand, path: string, title?: string): void {
    const [name = '', ...aliases] = namesBesides(path, entry);
    const command = parent.command(name).aliases(aliases);
    if (title !== undefined) command.helpGroup(title);
    entries.set(command, entry);
  }

  function addTopic(topic: string, summary: string, title: string): void {
    const command = root.command(topic).helpGroup(title).helpCommand(false).usage('<command> [options]');
    for (const entry of commandsOf(tree)) {
      const path = commandNames(entry).find((name) => name.startsWith(`${topic} `));
      if (path !== undefined) addCommand(command, entry, path);
    }
    command.description(`${summary}: ${command.commands.map((each) => each.name()).join(', ')}`);
    command.hook('preSubcommand', onReached);
  }

  return {
    root,
    current: () => current,
    definition: () => definitions.get(current),
    async help() {
      const topic = current.name();
      for (const command of current.commands) await define(command);
      for (const { commands } of current.commands) for (const command of commands) await define(command);
      const below = current.commands.flatMap((command) => definitions.get(command) ?? []);
      if (current === root) addRootHelp(root);
      else if (below.length > 0) addTopicHelp(current, topic, below);
      written = '';
      current.outputHelp();
      return written;
    },
  };
}

/** The last words of all names that are in the same topic as `path`. */
function namesBesides(path: string, entry: PlacedCommand): string[] {
  const topicOf = (words: string) => words.split(' ').slice(0, -1).join(' ');
  const names = commandNames(entry).filter((words) => topicOf(words) === topicOf(path));
  return names.map((words) => words.split(' ').at(-1) ?? '');
}

function createRoot(helpWidth: number, write: (text: string) => void): Command {
  const root = new Command('vals')
    .description('Push, run and inspect vals: named pieces of code that a service keeps.')
    .usage('<command> [options]')
    .enablePositionalOptions()
    .exitOverride()
    .version(VERSION, flagsOf('version', versionOption))
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
  addOptions(command, options);
  const formats = formatsOf(definition);
  const isFormat = ([key]: [string, unknown]) => formats.includes(key);
  addOptions(command, Object.fromEntries(Object.entries(globalOptions).filter(isFormat)));
  const others = Object.entries(globalOptions).filter((option) => !isFormat(option));
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
    const isElsewhere = isHidden || definition.rare === true;
    command.addOption(option.hideHelp(isElsewhere));
    if (negatable === undefined) continue;
    command.addOption(new Option(negatedName(key), negatable).hideHelp(isElsewhere));
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
