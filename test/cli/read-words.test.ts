// Commander as the reference for how a command line is read: where it understands one, it and we understand the same.
import { Command, CommanderError, Option } from 'commander';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assignArguments } from '../../src/cli/assign-arguments.ts';
import type { AnyCommand, OptionDefinition } from '../../src/cli/command.ts';
import { namesOf } from '../../src/cli/command-tree.ts';
import { globalOptions } from '../../src/cli/global-options.ts';
import { parseCommandLine } from '../../src/cli/parse-command-line.ts';
import { commandTree } from '../../src/commands/index.ts';
import { UsageError } from '../../src/errors.ts';
import { budget } from '../support/budget.ts';

const word = fc.constantFrom(
  ...['push', 'me', 'val', 'version', 'get', 'rm', 'ls', 'diff', 'api', 'runs', 'likes', 'nonsense', 'help'],
  ...['run', 'comments', 'user', '/v1/me', 'POST', 'val get'],
  ...[
    '--json',
    '--ndjson',
    '--quiet',
    '--no-color',
    '--color',
    '--fields',
    '--fields=a',
    '--base-url',
    '--limit',
    '--limit=2',
    '--all',
  ],
  ...['--error', '--no-error', '--code', '--json=x', '--nonsense', '--nonsense=x', '-f', '-fa=1', '-F', '-x'],
  ...['--relationship', '--relationship=given', '--yes', '-y', '-V', '--version', '--base-url='],
  ...['--', '-', '-1', '', 'a=1', '1', '--name', '--help', '-h'],
);

type Read = { path: string; input: object; flags: object } | 'help' | 'refused';

const settle = (read: () => Read | Promise<Read>): Promise<Read> =>
  Promise.resolve()
    .then(read)
    .catch((error) => {
      if (error instanceof CommanderError && /help|version/.test(error.code)) return 'help';
      if (error instanceof UsageError || error instanceof CommanderError) return 'refused';
      throw error;
    });

const ours = (words: readonly string[]): Promise<Read> =>
  settle(async () => {
    const line = await parseCommandLine(words, commandTree, 80);
    return 'help' in line ? 'help' : { path: line.command.path, input: line.input, flags: line.flags };
  });

function commanders(words: readonly string[]): Promise<Read> {
  return settle(() => {
    let read: Read = 'help';
    const quiet = { writeOut() {}, writeErr() {}, outputError() {} };
    const root = new Command('vals').enablePositionalOptions().exitOverride().configureOutput(quiet);
    addOptions(root.helpCommand(false).version('1.0.0', '-V, --version'), globalOptions);
    const topics = Object.keys(commandTree.topics).map((name) => root.command(name).helpCommand(false));
    for (const topic of topics) addOptions(topic, globalOptions);
    for (const definition of commandTree.groups.flatMap(({ commands }) => commands)) {
      for (const path of namesOf(definition)) {
        const [first, second] = path.split(' ') as [string, string?];
        const parent = second === undefined ? root : topics.find((topic) => topic.name() === first);
        const leaf = (parent as Command).command(second ?? first).argument('[words...]');
        leaf.passThroughOptions(definition.passesThrough === true);
        addOptions(leaf, { ...definition.options, ...globalOptions });
        leaf.action(() => {
          read = lineOf(definition, leaf);
        });
      }
    }
    root.parse([...words], { from: 'user' });
    return read;
  });
}

function addOptions(command: Command, options: Record<string, OptionDefinition<unknown>>): void {
  for (const { flags, choices, parse, negated, default: value } of Object.values(options)) {
    const option = new Option(flags);
    if (choices) option.choices(choices);
    if (parse) option.argParser(parse);
    if (value !== undefined) option.default(value);
    command.addOption(option);
    if (negated) command.option(flags.replace(/^--/, '--no-'));
  }
}

function lineOf(command: AnyCommand, leaf: Command): Read {
  const values: Record<string, unknown> = leaf.optsWithGlobals();
  const pick = (keys: object) => Object.fromEntries(Object.keys(keys).map((key) => [key, values[key]]));
  const input = { ...assignArguments(command, leaf.args), ...pick(command.options ?? {}) };
  return { path: command.path, input, flags: pick(globalOptions) };
}

/** Of two that stand in front of and behind the command's name commander takes the first. */
const isGivenTwice = (words: readonly string[]): boolean =>
  ['base-url', 'fields', 'color'].some(
    (name) => words.filter((word) => new RegExp(`^--(?:no-)?${name}\\b`).test(word)).length > 1,
  );

it('a command line is read as commander reads it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (words) => {
      fc.pre(!words.includes('help') && !isGivenTwice(words));
      const [mine, theirs] = [await ours(words), await commanders(words)];
      // We also refuse what contradicts itself, and explain whatever asks for it.
      if (mine === 'help') expect(theirs).toBeTypeOf('string');
      else if (mine !== 'refused') expect(mine).toEqual(theirs);
    }),
    { numRuns: budget(400) },
  );
});
