// Refusals of a command line, in our own words: they suggest what was meant, and never repeat an option's value.
import type { Command, CommanderError } from 'commander';
import { UsageError } from '../errors.ts';
import { shell } from '../lib/shell-command.ts';
import { asQuestion, nearest } from '../lib/suggest.ts';
import { argumentsOf } from './command.ts';
import { type CommandTree, commandNamed } from './command-tree.ts';
import { helpOption } from './global-options.ts';
import type { Program } from './program.ts';

/** commander's own messages repeat values, which may be secrets. */
export function refusalOf(error: CommanderError, program: Program, tree: CommandTree): Error {
  const command = program.current();
  switch (error.code) {
    case 'commander.unknownCommand':
      return unknownCommand(command, tree);
    case 'commander.unknownOption':
      return unknownOption(command);
    case 'commander.optionMissingArgument':
      return missingValue(command, error);
    case 'commander.conflictingOption':
      return conflict(command, error);
    case 'commander.missingArgument':
    case 'commander.excessArguments':
      return wrongCount(command, program);
    default:
      return error;
  }
}

export function unknownCommand(parent: Command, tree: CommandTree): UsageError {
  const [word = '', next = ''] = parent.args;
  const path = pathOf(parent);
  const typed = [...path, word].join(' ');
  const other = [`${typed} ${next}`, typed].find((words) => Object.hasOwn(tree.otherWords, words));
  return new UsageError(
    `There is no command ${shell`vals ${[...path, word]}`}.${asQuestion(suggestions().map((line) => `\`vals ${line}\``))}`,
    { hint: helpHint(parent) },
  );

  function suggestions(): string[] {
    if (other !== undefined) return [tree.otherWords[other] ?? ''];
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
  if (isSwitch) return new UsageError(`${name} takes no value.`, { hint: helpHint(command) });
  const known = [...command.options.map(({ long }) => long), ...helpNames];
  const names = known.flatMap((each) => (each?.startsWith('--') ? [each.slice(2)] : []));
  const inOtherCase = command.options.find(({ short }) => short?.toLowerCase() === name);
  const meant =
    inOtherCase === undefined
      ? nearest(name.replace(/^-+/, ''), names).map((each) => `--${each}`)
      : [`\`${lineOf(command)} ${inOtherCase.long}\``];
  return new UsageError(`\`${lineOf(command)}\` has no option ${name}.${asQuestion(meant)}`, {
    hint: /^--?tok/.test(name) ? tokenHint : helpHint(command),
  });
}

const tokenHint =
  'Run `vals login`, or set VALS_TOKEN. No option takes a token, because others can read command lines.';

function missingValue(command: Command, error: CommanderError): UsageError {
  const [option] = optionsIn(error, command);
  const { long = '', description = '', flags = '' } = option ?? {};
  return new UsageError(`${long} needs a value: ${long} ${/<.*>/.exec(flags)?.[0] ?? ''}.`, {
    hint: `${long}: ${description}. ${helpHint(command)}`,
  });
}

function conflict(command: Command, error: CommanderError): UsageError {
  const [one, other] = optionsIn(error, command);
  return givenTogether(command, one?.long, other?.long);
}

export const givenTogether = (command: Command, one = '', other = ''): UsageError =>
  new UsageError(`${one} and ${other} cannot be given together.`, {
    hint: `Omit one of them. ${helpHint(command)}`,
  });

/** commander's message names an option by its flags. */
const optionsIn = ({ message }: CommanderError, command: Command) =>
  command.options.filter(({ flags }) => message.includes(`'${flags}'`));

function wrongCount(command: Command, program: Program): UsageError {
  const definitions = argumentsOf(program.definition() ?? {}).map(([, definition]) => definition);
  const given = command.args.length;
  const line = `\`${lineOf(command)}\``;
  const hint = `\`${lineOf(command)} --help\` explains the arguments.`;
  const missing = definitions.filter(({ form }) => form.startsWith('<'))[given];
  if (missing !== undefined) {
    return new UsageError(missing.missing ?? `${line} needs ${missing.form}: ${missing.description}.`, {
      hint,
    });
  }
  const most = definitions.length;
  const several = most === 1 ? 'one argument' : `at most ${most} arguments`;
  return new UsageError(`${line} takes ${most === 0 ? 'no arguments' : several}, but was given ${given}.`, {
    hint,
  });
}

export function wrongChoice(name: string, word: string, choices: readonly string[]): UsageError {
  const meant = asQuestion(nearest(word, choices));
  return new UsageError(`${name} takes ${choices.join(', ')}, not "${word}".${meant}`, {
    hint: `For example ${name} ${choices[0]}.`,
  });
}

const pathOf = (command: Command): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];

const lineOf = (command: Command): string => ['vals', ...pathOf(command)].join(' ');

const helpHint = (command: Command): string =>
  `\`${lineOf(command)} --help\` lists the ${command.commands.length > 0 ? 'commands' : 'options'}.`;
