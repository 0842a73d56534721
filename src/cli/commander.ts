// From the command definitions to a commander program, which takes a command line apart and lays out the help.
import { Command, CommanderError, Option } from 'commander';
import type { Flags } from '../settings/settings.ts';
import { argumentsOf, assignArguments } from './assign-arguments.ts';
import type { AnyCommand, OptionDefinition } from './command.ts';
import { type CommandTree, namesOf } from './command-tree.ts';
import { globalOptions, helpOption, versionOption } from './global-options.ts';
import { addCommandHelp, addRootHelp, addTopicHelp, optionsHelp } from './help.ts';
import { readWords } from './read-words.ts';
import { explainRefusal, refuseContradictions, wrongChoice } from './refusals.ts';

/** A command line that was understood. */
export interface CommandLine {
  command: AnyCommand;
  input: Record<string, unknown>;
  flags: Flags;
}

export function parseCommandLine(
  given: readonly string[],
  tree: CommandTree,
  helpWidth: number,
): CommandLine | { help: string } {
  const argv = withHelpAsFlag(given, tree);
  const words = readWords(argv, tree);
  let help = '';
  let line: CommandLine | undefined;
  const root = createRoot(helpWidth, (text) => {
    help += text;
  });
  if (argv.join(' ') === 'options --help') return { help: optionsHelp(root) };
  addCommands(root, tree, words.command, (command, leaf) => {
    refuseContradictions(words);
    line = lineOf(command, leaf);
  });
  try {
    root.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Asked to explain a command that it does not know, commander explains the others.
    const isExplained = words.command !== undefined || words.arguments.length === 0;
    if (help === '' || !isExplained) throw explainRefusal(words, tree);
  }
  return line ?? { help };
}

/** `vals help push` and `vals val help get` are other ways to ask for --help; what else stands there cannot run. */
function withHelpAsFlag(argv: readonly string[], tree: CommandTree): readonly string[] {
  const index = Object.hasOwn(tree.topics, argv[0] ?? '') ? 1 : 0;
  if (argv[index] !== 'help') return argv;
  const { path, command, options, arguments: rest } = readWords(argv.toSpliced(index, 1), tree);
  // Behind an option that does not exist a word may be its value.
  const namesUnknown = command === undefined && options.every(({ option }) => option !== undefined);
  return [...path, ...(namesUnknown ? rest.slice(0, 1) : []), '--help'];
}

function createRoot(helpWidth: number, onHelp: (text: string) => void): Command {
  const root = new Command('vals')
    .description('Push, version and inspect vals: units of code kept by a val hosting service.')
    .usage('<command> [options]')
    .enablePositionalOptions()
    .exitOverride()
    .version(VERSION, versionOption.flags)
    .addHelpOption(new Option(helpOption.flags).hideHelp())
    .helpCommand(false)
    .configureHelp({
      minWidthToWrap: narrowestText,
      subcommandTerm: (command) =>
        [command.name(), ...(helpWidth < narrow ? [] : formsOf(command))].join(' '),
    })
    .configureOutput({
      writeOut: onHelp,
      writeErr: onHelp,
      outputError: () => {},
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const option of root.options) option.hideHelp();
  addOptions(root, globalOptions, true);
  addRootHelp(root);
  return root;
}

/** Beside a long term in a narrow terminal, a column of short lines is read better than what the terminal wraps. */
const narrowestText = 12;

/** Where what a command takes would leave no room for what it does. */
const narrow = 60;

const definitions = new WeakMap<Command, AnyCommand>();

const formsOf = (command: Command): string[] => {
  const definition = definitions.get(command);
  return definition === undefined ? [] : argumentsOf(definition).map(([, { form }]) => form);
};

type OnInvoke = (command: AnyCommand, leaf: Command) => void;

/** All commands, or the named one alone: building the others takes longer than running most of them. */
function addCommands(
  root: Command,
  tree: CommandTree,
  named: AnyCommand | undefined,
  onInvoke: OnInvoke,
): void {
  for (const { title, commands } of tree.groups) {
    const wanted = commands.filter((command) => named === undefined || command === named);
    const paths = wanted.flatMap((definition) => namesOf(definition).map((path) => ({ path, definition })));
    for (const { path, definition } of paths) {
      if (path.includes(' ')) continue;
      const hidden = path !== definition.path;
      build(root.command(path, { hidden }).helpGroup(title), definition, onInvoke);
    }
    addTopics(root, title, tree, named);
    for (const { path, definition } of paths) {
      const [topic, name] = path.split(' ');
      if (name === undefined) continue;
      const parent = root.commands.find((command) => command.name() === topic);
      if (parent === undefined) throw new Error(`No topic ${topic} in ${title} or before it`);
      const same = parent.commands.find((command) => definitions.get(command) === definition);
      if (same === undefined) build(parent.command(name), definition, onInvoke);
      else same.alias(name);
    }
  }
}

/** Behind the commands of its group, each with the names of those below it; for a named command only what it is in. */
function addTopics(root: Command, title: string, tree: CommandTree, named: AnyCommand | undefined): void {
  for (const [name, topic] of Object.entries(tree.topics)) {
    const isBelow = (path: string) => path.startsWith(`${name} `);
    if (topic.title !== title || (named && !namesOf(named).some(isBelow))) continue;
    const names = tree.groups
      .flatMap(({ commands }) => commands)
      .filter(({ path }) => isBelow(path))
      .map(({ path }) => path.slice(name.length + 1));
    const command = root.command(name).helpGroup(title).helpCommand(false).usage('<command> [options]');
    addOptions(command.description(`${topic.summary}: ${names.join(', ')}`), globalOptions, true);
    addTopicHelp(command, name, tree);
  }
}

function build(leaf: Command, definition: AnyCommand, onInvoke: OnInvoke): void {
  definitions.set(leaf, definition);
  leaf
    .summary(definition.summary)
    .description(definition.description ?? `${definition.summary}.`)
    .usage(['[options]', ...formsOf(leaf)].join(' '))
    .passThroughOptions(definition.passesThrough === true)
    .allowExcessArguments()
    .action(() => onInvoke(definition, leaf));
  // For the help alone: which word is which, and how many there may be, is not for commander to say.
  for (const [, { form, description }] of argumentsOf(definition)) {
    leaf.argument(form.replace(/^<(.*)>$/, '[$1]'), description);
  }
  addOptions(leaf, definition.options ?? {});
  addOptions(leaf, globalOptions, true);
  addCommandHelp(leaf, definition);
}

function lineOf(command: AnyCommand, leaf: Command): CommandLine {
  const values: Record<string, unknown> = leaf.optsWithGlobals();
  const pick = (keys: object) => Object.fromEntries(Object.keys(keys).map((key) => [key, values[key]]));
  return {
    command,
    input: { ...assignArguments(command, leaf.args), ...pick(command.options ?? {}) },
    flags: pick(globalOptions),
  };
}

function addOptions(
  command: Command,
  options: Record<string, OptionDefinition<unknown>>,
  isHidden = false,
): void {
  for (const definition of Object.values(options)) {
    const { flags, description, choices, parse, negated } = definition;
    const option = new Option(flags, description);
    if (choices) option.choices(choices).argParser(oneOf(choices, option.long ?? flags));
    if (parse) option.argParser(parse);
    if (definition.default !== undefined) option.default(definition.default);
    const opposite = negated && new Option(flags.replace(/^--/, '--no-'), negated);
    for (const each of opposite ? [option, opposite] : [option]) command.addOption(each.hideHelp(isHidden));
  }
}

const oneOf = (choices: readonly string[], name: string) => (word: string) => {
  if (choices.includes(word)) return word;
  throw wrongChoice(name, word, choices);
};
