// What is wrong with a command line, in our own sentences: they suggest what was meant and repeat no value.
import { UsageError } from '../errors.ts';
import { asQuestion, nearest } from '../lib/suggest.ts';
import { type CommandTree, commandNamed, wordsBelow } from './command-tree.ts';
import { contradict, type KnownOption, longName } from './known-options.ts';
import type { GivenOption, Words } from './read-words.ts';

/** Why no command can run with these words. */
export function refusalOf(words: Words, tree: CommandTree): UsageError | undefined {
  const odd = words.options.find(({ option, hasSurplusValue }) => option === undefined || hasSurplusValue);
  if (odd !== undefined) return oddOption(odd, words);
  if (words.awaiting !== undefined) return missingValue(words.awaiting, words);
  if (words.command === undefined && words.arguments.length > 0) return unknownCommand(words, tree);
  return undefined;
}

function unknownCommand({ path, arguments: [word = '', next = ''] }: Words, tree: CommandTree): UsageError {
  const typed = [...path, word].join(' ');
  const other = [`${typed} ${next}`, typed].find((words) => Object.hasOwn(tree.otherWords, words));
  const meant =
    other !== undefined
      ? [tree.otherWords[other]]
      : commandNamed(tree, word) !== undefined
        ? [word]
        : nearest(
            word,
            wordsBelow(tree, path[0]).map(({ word }) => word),
          ).map((name) => [...path, name].join(' '));
  const question = asQuestion(meant.map((line) => `\`vals ${line}\``));
  return new UsageError(`There is no command \`vals ${typed}\`.${question}`, { hint: helpHint({ path }) });
}

/** An option that does not exist, or a switch with a value. */
function oddOption({ name, option, among }: GivenOption, words: Words): UsageError {
  if (option !== undefined) return new UsageError(`${name} takes no value.`, { hint: helpHint(words) });
  const names = among.flatMap(({ names }) => names).filter((known) => known.startsWith('--'));
  const meant = nearest(
    name.replace(/^-+/, ''),
    names.map((known) => known.slice(2)),
  );
  const command = ['vals', ...words.path].join(' ');
  return new UsageError(
    `\`${command}\` has no option ${name}.${asQuestion(meant.map((known) => `--${known}`))}`,
    { hint: /^--?tok/.test(name) ? tokenHint : helpHint(words) },
  );
}

const tokenHint =
  'No option takes a token, since others can read a command line: `vals login` stores one, or set VALS_TOKEN.';

function missingValue(option: KnownOption, words: Words): UsageError {
  const { placeholder, description } = option;
  return new UsageError(`${longName(option)} needs a value: ${longName(option)} ${placeholder}.`, {
    hint: `${longName(option)}: ${description}. ${helpHint(words)}`,
  });
}

/** Options that contradict each other, wherever they stand. */
export function refuseContradictions(words: Words): void {
  const given = words.options.flatMap(({ option }) => option ?? []);
  for (const [index, option] of given.entries()) {
    const other = given.slice(0, index).find((before) => contradict(before, option));
    if (other === undefined) continue;
    throw new UsageError(`${longName(other)} and ${longName(option)} cannot be given together.`, {
      hint: `Leave one of them out. ${helpHint(words)}`,
    });
  }
}

export function wrongChoice(name: string, word: string, choices: readonly string[]): UsageError {
  const meant = asQuestion(nearest(word, choices));
  return new UsageError(`${name} takes ${choices.join(', ')}, not "${word}".${meant}`, {
    hint: `For example ${name} ${choices[0]}.`,
  });
}

const helpHint = ({ path }: Pick<Words, 'path'>): string =>
  `\`${['vals', ...path, '--help'].join(' ')}\` shows what there is.`;
