import type { Command, CommanderError } from 'commander';
import { UsageError } from '../errors.ts';
import { shell } from '../lib/shell-command.ts';
import { asQuestion, nearest } from '../lib/suggest.ts';
import { argumentsOf, type OptionDefinition } from './command.ts';
import { type CommandTree, commandNamed } from './command-tree.ts';
import { globalOptions, helpOption } from './global-options.ts';
import type { Program } from './program.ts';

/** Replaces the messages of commander, because they repeat the values of options, which may be secrets. */
export function refusalOf(
  error: CommanderError,
  words: readonly string[],
  program: Program,
  tree: CommandTree,
): Error {
  const command = program.current();
  switch (error.code) {
    case 'commander.unknownCommand':
      return unknownCommand(command, tree);
    case 'commander.unknownOption':
      return unknownOption(command);
    case 'commander.optionMissingArgument':
      return missingValue(command, words);
    case 'commander.conflictingOption':
      return conflict(command, program);
    case 'commander.missingArgument':
    case 'commander.excessArguments':
      return wrongCount(command, program, tree);
    default:
      return error;
  }
}

export function unknownCommand(parent: Command, tree: CommandTree): UsageError {
  const [word = '', next = ''] = parent.args;
  const path = pathOf(parent);
  const typed = [...path, word].join(' ');
  const other = [`${typed} ${next}`, typed].find((words) => Object.hasOwn(tree.synonyms, words));
  return new UsageError(
    `There is no command ${shell`vals ${[...path, word]}`}.${asQuestion(suggestions().map((line) => `\`vals ${line}\``))}`,
    { hint: `To list the commands, run \`${lineOf(parent)} --help\`.` },
  );

  function suggestions(): string[] {
    if (other !== undefined) return [tree.synonyms[other] ?? ''];
    if (commandNamed(tree, word) !== undefined) return [word];
    const names = parent.commands.flatMap((command) => [command.name(), ...command.aliases()]);
    return nearest(word, names).map((name) => [...path, name].join(' '));
  }
}

function unknownOption(command: Command): UsageError {
  const given = command.args.find((word) => /^-./s.test(word) && !/^-[\d.]+$/.test(word)) ?? '';
  const name = given.startsWith('--') ? given.replace(/=.*$/s, '') : given.slice(0, 2);
  const helpNames = helpOption.flags.split(', ');
  const isSwitch =
    helpNames.includes(name) || command.options.some(({ long, required }) => long === name && !required);
  if (isSwitch) return new UsageError(`${name} takes no value.`, { hint: optionsHint(command) });
  const known = [...command.options.map(({ long }) => long), ...helpNames];
  const names = known.flatMap((each) => (each?.startsWith('--') ? [each.slice(2)] : []));
  const inOtherCase = command.options.find(({ short }) => short?.toLowerCase() === name);
  const meant =
    inOtherCase === undefined
      ? nearest(name.replace(/^-+/, ''), names).map((each) => `--${each}`)
      : [`\`${lineOf(command)} ${inOtherCase.long}\``];
  return new UsageError(`\`${lineOf(command)}\` has no option ${name}.${asQuestion(meant)}`, {
    hint: /^--?tok/.test(name) ? tokenHint : optionsHint(command),
  });
}

const tokenHint =
  'No option takes a token, because other users can see command lines. Run `vals login`, or set VALS_TOKEN.';

function missingValue(command: Command, words: readonly string[]): UsageError {
  const option = command.options.find(({ long, short }) => [long, short].includes(words.at(-1)));
  const { long = '', description = '', flags = '' } = option ?? {};
  return new UsageError(`${long} needs a value: ${long} ${/<.*>/.exec(flags)?.[0] ?? ''}.`, {
    hint: `${long}: ${description}. ${optionsHint(command)}`,
  });
}

function conflict(command: Command, program: Program): UsageError {
  const definitions: Record<string, OptionDefinition<unknown>> = {
    ...program.definition()?.options,
    ...globalOptions,
  };
  const given = Object.keys(definitions).filter((key) => command.getOptionValueSource(key) === 'cli');
  const otherOf = (key: string) => given.find((other) => definitions[key]?.conflicts?.includes(other));
  const one = given.find((key) => otherOf(key) !== undefined) ?? '';
  const nameOf = (key = '') => definitions[key]?.flags.split(' ')[0];
  return givenTogether(command, nameOf(one), nameOf(otherOf(one)));
}

export const givenTogether = (command: Command, one = '', other = ''): UsageError =>
  new UsageError(`${one} and ${other} cannot be given together.`, {
    hint: `Omit ${one} or ${other}. ${optionsHint(command)}`,
  });

function wrongCount(command: Command, program: Program, tree: CommandTree): UsageError {
  const definitions = argumentsOf(program.definition() ?? {}).map(([, definition]) => definition);
  const given = command.args.length;
  const line = `\`${lineOf(command)}\``;
  const hint = `To see the arguments, run \`${lineOf(command)} --help\`.`;
  const missing = definitions.filter(({ form }) => form.startsWith('<'))[given];
  if (missing !== undefined) {
    return new UsageError(
      missing.missingMessage ?? `${line} needs ${missing.form}: ${missing.description}.`,
      {
        hint,
      },
    );
  }
  const most = definitions.length;
  const several = most === 1 ? 'one argument' : `at most ${most} arguments`;
  return new UsageError(`${line} takes ${most === 0 ? 'no arguments' : several}, but was given ${given}.`, {
    hint: hintForVal(command, tree) ?? hint,
  });
}

function hintForVal(command: Command, tree: CommandTree): string | undefined {
  const ofVal = commandNamed(tree, ['val', ...pathOf(command)].join(' '));
  if (ofVal === undefined || command.args.length !== 1) return undefined;
  return `For a single val, run ${shell`vals ${ofVal.path.split(' ')} ${command.args}`}.`;
}

export function wrongChoice(name: string, word: string, choices: readonly string[]): UsageError {
  const meant = asQuestion(nearest(word, choices));
  return new UsageError(`${name} takes one of ${choices.join(', ')}, not "${word}".${meant}`, {
    hint: `For example ${name} ${choices[0]}.`,
  });
}

const pathOf = (command: Command): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];

const lineOf = (command: Command): string => ['vals', ...pathOf(command)].join(' ');

const optionsHint = (command: Command): string =>
  `To list the options, run \`${command.commands.length > 0 ? 'vals help options' : `${lineOf(command)} --help`}\`.`;
