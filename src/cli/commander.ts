// From the command definitions to a commander program: parsing, help, "did you mean".
import { type Argument, Command, CommanderError, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { type Flags, parseTimeout } from '../settings/settings.ts';
import { type AnyCommand, type OptionDefinition, parsed, toggle, word } from './command.ts';

export interface CommandTree {
  /** In the order of the help. */
  groups: readonly { title: string; commands: readonly AnyCommand[] }[];
  /** What the first words of two-word commands stand for. */
  topics: Record<string, { title: string; summary: string }>;
}

export type CommandLine =
  | { help: string }
  | { command: AnyCommand; input: Record<string, unknown>; flags: Flags };

/** The options of every command. */
export const globalOptions: Record<keyof Flags, OptionDefinition<unknown>> = {
  json: toggle('--json', 'print one JSON document', { conflicts: ['ndjson'] }),
  ndjson: toggle('--ndjson', 'print one JSON record a line, as they arrive'),
  fields: parsed('--fields <a,b.c>', 'print these fields alone', parseFields),
  quiet: toggle('--quiet', 'no hints and no progress'),
  baseUrl: word('--base-url <url>', 'the service to talk to (VALS_BASE_URL)'),
  local: toggle('--local', 'use the embedded service on this machine (VALS_LOCAL=1)'),
  timeout: parsed(
    '--timeout <seconds>',
    'deadline of one request, retries included (VALS_TIMEOUT, 60)',
    (text) => parseTimeout(text, '--timeout'),
  ),
  allowHttp: toggle('--allow-http', 'allow http:// to another machine (VALS_ALLOW_HTTP=1)'),
  debug: toggle('--debug', 'trace requests on stderr (VALS_DEBUG=1)'),
  color: toggle('--color', 'colour even without a terminal', { negated: 'no colour (NO_COLOR)' }),
};

const allCommands = 'Options of every command:';

export function parseCommandLine(
  given: readonly string[],
  tree: CommandTree,
  helpWidth: number,
): CommandLine {
  const argv = withHelpAsFlag(given, tree);
  let help = '';
  let invocation: CommandLine | undefined;
  const wantsHelp = argv.every((word) => !word.startsWith('-') || word === '--help' || word === '-h');
  const root = createRoot(helpWidth, wantsHelp, (text) => {
    help += text;
  });
  const named = namedCommand(argv, tree).join(' ');
  const namesOne = isCommand(tree, named);
  for (const { title, commands } of tree.groups) {
    addTopics(root, title, tree, wantsHelp);
    for (const definition of commands) {
      // Building the others takes longer than running most of them.
      if (namesOne && !namesOf(definition).includes(named)) continue;
      register(root, title, definition, tree.topics, (line) => {
        invocation = line;
      });
    }
  }
  try {
    root.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (help !== '') {
      refuseUnknownCommand(argv, tree, helpWidth);
      return { help };
    }
    const bare = withoutValue(error, argv);
    if (bare !== undefined) {
      // Once more without the value: it may be a secret, and it keeps commander from suggesting a name.
      parseCommandLine(bare.argv, tree, helpWidth);
      throw new UsageError(`${bare.option} takes no value.`, { hint: helpHint(argv, tree) });
    }
    throw usageError(error, argv, tree);
  }
  return invocation ?? { help };
}

/** `vals help push` and `vals val help get` are other ways to ask for --help. */
function withHelpAsFlag(argv: readonly string[], { topics }: CommandTree): readonly string[] {
  const index = Object.hasOwn(topics, argv[0] ?? '') ? 1 : 0;
  return argv[index] === 'help' ? [...argv.toSpliced(index, 1), '--help'] : argv;
}

function createRoot(helpWidth: number, wantsHelp: boolean, onHelp: (text: string) => void): Command {
  const root = new Command('vals')
    .description('Push, version and inspect vals: units of code kept by a val hosting service.')
    .usage('<command> [options]')
    .enablePositionalOptions()
    .exitOverride()
    .version(VERSION, '--version', 'print the version')
    .addHelpOption(new Option('-h, --help', 'show this help').hideHelp(wantsHelp))
    .helpCommand(false)
    .configureHelp({
      minWidthToWrap: narrowestText,
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map((argument) => argumentTerm(argument))].join(' '),
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
  const steps = nextSteps.map((step) => root.createHelp().boxWrap(step, helpWidth));
  root.addHelpText('after', `\n${[firstExamples, ...steps].join('\n')}`);
  // Short help, but commander suggests only what it would show.
  for (const option of root.options) option.hideHelp(wantsHelp);
  addOptions(root, globalOptions, allCommands, wantsHelp);
  return root;
}

/** Beside a long term in a narrow terminal, a column of short lines is read better than what the terminal wraps. */
const narrowestText = 12;

const firstExamples = `Examples:
  $ vals push examples --local
  $ vals login --base-url https://api.example.com
  $ vals runs --error --since 2h --json
`;
const nextSteps = [
  '`vals <command> --help` explains a command; `vals --version` prints the version.',
  'Every command takes --json, --ndjson, --fields and what else its help lists.',
];

/** The topics of a group come first in it, each with the names of its commands. */
function addTopics(root: Command, title: string, tree: CommandTree, wantsHelp: boolean): void {
  for (const [name, topic] of Object.entries(tree.topics)) {
    if (topic.title !== title || root.commands.some((command) => command.name() === name)) continue;
    const names = tree.groups
      .flatMap(({ commands }) => commands)
      .filter(({ path }) => path.startsWith(`${name} `))
      .map(({ path }) => path.slice(name.length + 1));
    const command = root.command(name).helpGroup(title).helpCommand(false);
    addOptions(
      command.description(`${topic.summary}: ${names.join(', ')}`),
      globalOptions,
      allCommands,
      wantsHelp,
    );
  }
}

const argumentTerm = (argument: Argument): string => {
  const name = argument.name() + (argument.variadic ? '...' : '');
  return argument.required ? `<${name}>` : `[${name}]`;
};

/** A definition under each of its names: in the same topic an alias, in another a command of its own. */
function register(
  root: Command,
  title: string,
  definition: AnyCommand,
  topics: CommandTree['topics'],
  onInvoke: (line: CommandLine) => void,
): void {
  const made = new Map<Command, Command>();
  for (const path of namesOf(definition)) {
    const words = path.split(' ');
    const name = words.pop() as string;
    const topic = words[0];
    const parent = topic === undefined ? root : root.commands.find((command) => command.name() === topic);
    if (parent === undefined) throw new Error(`No topic ${topic} among ${Object.keys(topics)}`);
    const sibling = made.get(parent);
    if (sibling === undefined)
      made.set(parent, build(parent.command(name).helpGroup(title), definition, onInvoke));
    else sibling.alias(name);
  }
}

function build(leaf: Command, definition: AnyCommand, onInvoke: (line: CommandLine) => void): Command {
  const argumentEntries = Object.entries(definition.arguments ?? {}) as [
    string,
    { form: string; description: string; parse?: (word: string) => string },
  ][];
  const options = (definition.options ?? {}) as Record<string, OptionDefinition<unknown>>;
  leaf.passThroughOptions(definition.passesThrough === true);
  leaf.summary(definition.summary).description(definition.description ?? `${definition.summary}.`);
  for (const [, { form, description }] of argumentEntries) leaf.argument(form, description);
  addOptions(leaf, options);
  addOptions(leaf, globalOptions, allCommands);
  leaf.addHelpOption(new Option('-h, --help', 'show this help').helpGroup(allCommands));
  const columns = definition.columns.map(({ header }) => header).join(', ');
  if (columns) leaf.addHelpText('after', `\nColumns: ${columns}`);
  leaf.addHelpText('after', `\nExamples:\n${definition.examples.map((line) => `  $ ${line}\n`).join('')}`);
  leaf.action(() => {
    const values: Record<string, unknown> = leaf.optsWithGlobals();
    const input: Record<string, unknown> = {};
    for (const [index, [key, { parse = (word: string) => word }]] of argumentEntries.entries()) {
      const value = leaf.processedArgs[index];
      input[key] = Array.isArray(value) ? value.map(parse) : value === undefined ? undefined : parse(value);
    }
    for (const key of Object.keys(options)) input[key] = values[key];
    const flags = Object.fromEntries(Object.keys(globalOptions).map((key) => [key, values[key]]));
    onInvoke({ command: definition, input, flags });
  });
  return leaf;
}

function addOptions(
  command: Command,
  options: Record<string, OptionDefinition<unknown>>,
  group?: string,
  hidden = false,
): void {
  for (const definition of Object.values(options)) {
    const option = new Option(definition.flags, definition.description);
    if (definition.parse) option.argParser(definition.parse);
    if (definition.choices) option.choices(definition.choices);
    if (definition.default !== undefined) option.default(definition.default);
    if (definition.conflicts) option.conflicts(definition.conflicts);
    const negation =
      definition.negated && new Option(definition.flags.replace(/^--/, '--no-'), definition.negated);
    for (const each of negation ? [option, negation] : [option]) {
      if (group) each.helpGroup(group);
      command.addOption(each.hideHelp(hidden));
    }
  }
}

function parseFields(text: string): string[] {
  const fields = text.split(',').map((field) => field.trim());
  if (fields.some((field) => field === '' || field.split('.').includes(''))) {
    throw new UsageError(`--fields takes names with commas between them, not "${text}".`, {
      hint: 'For example --fields id,author.username.',
    });
  }
  return fields;
}

/** Asked to explain a command that it does not know, commander explains the others. */
function refuseUnknownCommand(argv: readonly string[], tree: CommandTree, helpWidth: number): void {
  const words = argv.filter((word) => !word.startsWith('-'));
  const [topic, ...others] = namedCommand(argv, tree);
  const isUnknown =
    topic === undefined
      ? words.length > 0
      : Object.hasOwn(tree.topics, topic) && others.length === 0 && words.length > 1;
  const withoutHelp = argv.filter((word) => word !== '--help' && word !== '-h');
  if (isUnknown && withoutHelp.length < argv.length) parseCommandLine(withoutHelp, tree, helpWidth);
}

/** The command line with the unknown option's name alone; undefined where there is no value to leave out. */
function withoutValue(
  error: CommanderError,
  argv: readonly string[],
): { option: string; argv: string[] } | undefined {
  if (error.code !== 'commander.unknownOption') return undefined;
  const index = argv.findIndex((word) => error.message.startsWith(`error: unknown option '${word}'`));
  const word = argv[index] ?? '';
  const option = word.startsWith('--') ? word.replace(/=.*$/s, '') : word.slice(0, 2);
  return index === -1 || option === word ? undefined : { option, argv: argv.toSpliced(index, 1, option) };
}

function usageError(error: CommanderError, argv: readonly string[], tree: CommandTree): UsageError {
  const message = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`.replace(/[^.?!)]$/, '$&.');
  return new UsageError(sentence, { hint: helpHint(argv, tree) });
}

const helpHint = (argv: readonly string[], tree: CommandTree): string =>
  `\`vals ${[...namedCommand(argv, tree), '--help'].join(' ')}\` shows what there is.`;

/** A command's path and its other names. */
export const namesOf = ({ path, aliases = [] }: AnyCommand): string[] => [path, ...aliases];

const isCommand = ({ groups }: CommandTree, name: string): boolean =>
  groups.some(({ commands }) => commands.some((command) => namesOf(command).includes(name)));

/** Everything that has a help of its own: topics, commands and their other names. */
export const pathsOf = ({ groups, topics }: CommandTree): string[] => [
  ...Object.keys(topics),
  ...groups.flatMap(({ commands }) => commands.flatMap(namesOf)),
];

/** The words of the command line that name a command or a topic. */
function namedCommand(argv: readonly string[], { groups, topics }: CommandTree): string[] {
  const paths = groups.flatMap(({ commands }) => commands.flatMap(namesOf));
  const [first = '', second = ''] = argv.filter((argument) => !argument.startsWith('-'));
  if (paths.includes(`${first} ${second}`)) return [first, second];
  return paths.includes(first) || Object.hasOwn(topics, first) ? [first] : [];
}
