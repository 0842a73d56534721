import type { Command, CommanderError } from 'commander';
import { UsageError } from '../errors.ts';
import { sh } from '../lib/hint.ts';
import { asQuestion, nearest } from '../lib/suggest.ts';

export function refusalOf(error: CommanderError, command: Command): UsageError {
  if (error.code === 'commander.unknownOption') return unknownOption(command);
  if (error.code === 'commander.unknownCommand') return unknownCommand(command);
  return new UsageError(sentenceOf(error.message), { hint: helpHint(command) });
}

export function unknownCommand(parent: Command): UsageError {
  const [word = ''] = parent.args;
  const names = parent.commands.map((command) => command.name());
  return new UsageError(`Unknown command '${word}'.${asQuestion(nearest(word, names))}`, {
    hint: helpHint(parent),
  });
}

/** commander would repeat the value of the option, which may be a token. */
function unknownOption(command: Command): UsageError {
  const typed = command.args.find((word) => /^-./s.test(word) && !/^-[\d.]+$/.test(word)) ?? '';
  const name = typed.startsWith('--') ? typed.replace(/=.*$/s, '') : typed.slice(0, 2);
  const long = command.options.map((option) => option.long ?? '');
  if (long.includes(name)) return new UsageError(`${name} takes no value.`, { hint: helpHint(command) });
  const isToken = /^--?tok/.test(name);
  const meant = nearest(name, long);
  return new UsageError(`\`${lineOf(command)}\` has no option ${name}.${asQuestion(isToken ? [] : meant)}`, {
    hint: isToken
      ? [
          'No option takes a token, because other users can see command lines.',
          sh`To sign in, run ${['login']}.`,
          'Or set VALS_TOKEN.',
        ]
      : helpHint(command),
  });
}

function sentenceOf(message: string): string {
  const problem = message.replace(/^error: /, '').replace(/\.$/, '');
  return `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`;
}

const pathOf = (command: Command): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];

const lineOf = (command: Command): string => ['vals', ...pathOf(command)].join(' ');

export const helpHint = (command: Command): string => `For help, run \`${lineOf(command)} --help\`.`;
