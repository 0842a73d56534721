import { Command, CommanderError, Option } from 'commander';
import { addOptions, addRootHelp, addTopicHelp, applyDefinition } from './apply-definition.ts';
import type { CommandTree, LoadedCommand, PlacedCommand } from './command.ts';
import { allNames, groups, loadCommand, type NamedCommand } from './command-tree.ts';
import { flagsOf, formsOf, globalOptions, helpOption, versionOption } from './options.ts';

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
    applyDefinition(command, definition, words);
  }

  const onReached = async (parent: Command, command: Command) => {
    current = command;
    if (entries.has(command)) await define(command);
    else addOptions(command, globalOptions, { isGlobal: true });
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
    });
  for (const option of root.options) option.hideHelp();
  addOptions(root, globalOptions, { isGlobal: true });
  return root;
}
