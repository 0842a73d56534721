// From the command definitions to a commander program, which lays out the help.
import { Command, CommanderError, Option } from 'commander';
import { argumentsOf } from './assign-arguments.ts';
import type { AnyCommand, OptionDefinition } from './command.ts';
import { type CommandTree, namesOf } from './command-tree.ts';
import { globalOptions, helpOption, versionOption } from './global-options.ts';
import { addCommandHelp, addRootHelp, addTopicHelp, optionsHelp } from './help.ts';

/** Of the command or topic of this path, or, without one, of all. */
export function helpOn(
  path: readonly string[],
  named: AnyCommand | undefined,
  tree: CommandTree,
  helpWidth: number,
): string {
  let help = '';
  const root = createRoot(helpWidth, (text) => {
    help += text;
  });
  addCommands(root, tree, named);
  try {
    root.parse([...path, '--help'], { from: 'user' });
  } catch (error) {
    // So it ends whenever it has explained something.
    if (!(error instanceof CommanderError)) throw error;
  }
  return help;
}

/** What every command takes. */
export const helpOnOptions = (helpWidth: number): string => optionsHelp(createRoot(helpWidth, () => {}));

function createRoot(helpWidth: number, onHelp: (text: string) => void): Command {
  const root = new Command('vals')
    .description('Push, version and inspect vals: units of code kept by a val hosting service.')
    .usage('<command> [options]')
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

/** All commands, or the named one alone: building the others takes longer than running most of them. */
function addCommands(root: Command, tree: CommandTree, named: AnyCommand | undefined): void {
  for (const { title, commands } of tree.groups) {
    const wanted = commands.filter((command) => named === undefined || command === named);
    const paths = wanted.flatMap((definition) => namesOf(definition).map((path) => ({ path, definition })));
    for (const { path, definition } of paths) {
      if (path.includes(' ')) continue;
      const hidden = path !== definition.path;
      build(root.command(path, { hidden }).helpGroup(title), definition);
    }
    addTopics(root, title, tree, named);
    for (const { path, definition } of paths) {
      const [topic, name] = path.split(' ');
      if (name === undefined) continue;
      const parent = root.commands.find((command) => command.name() === topic);
      if (parent === undefined) throw new Error(`No topic ${topic} in ${title} or before it`);
      const same = parent.commands.find((command) => definitions.get(command) === definition);
      if (same === undefined) build(parent.command(name), definition);
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

function build(leaf: Command, definition: AnyCommand): void {
  definitions.set(leaf, definition);
  leaf
    .summary(definition.summary)
    .description(definition.description ?? `${definition.summary}.`)
    .usage(['[options]', ...formsOf(leaf)].join(' '));
  for (const [, { form, description }] of argumentsOf(definition)) {
    leaf.argument(form.replace(/^<(.*)>$/, '[$1]'), description);
  }
  addOptions(leaf, definition.options ?? {});
  addOptions(leaf, globalOptions, true);
  addCommandHelp(leaf, definition);
}

function addOptions(
  command: Command,
  options: Record<string, OptionDefinition<unknown>>,
  isHidden = false,
): void {
  for (const definition of Object.values(options)) {
    const { flags, description, choices, negated } = definition;
    const option = new Option(flags, description);
    if (choices) option.choices(choices);
    if (definition.default !== undefined) option.default(definition.default);
    const opposite = negated && new Option(flags.replace(/^--/, '--no-'), negated);
    for (const each of opposite ? [option, opposite] : [option]) command.addOption(each.hideHelp(isHidden));
  }
}
