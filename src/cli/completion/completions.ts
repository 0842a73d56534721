// What may be typed next, for every shell.
import { type AnyCommand, type ArgumentDefinition, argumentsOf, isVariadic } from '../command.ts';
import { commandsOf, type LoadedTree, namesOf } from '../command-tree.ts';
import { contradict, type KnownOption, optionsAt } from './known-options.ts';
import { findOption, readWords, splitOption, type Words } from './read-words.ts';

export interface Candidate {
  word: string;
  description: string;
}

export interface Next {
  /** Words that begin like the typed one. */
  candidates: readonly Candidate[];
  /** Whether vals fit too. */
  vals: boolean;
  /** Whether files fit too. */
  files: boolean;
  /** Whether the base URLs of known services fit too. */
  services: boolean;
  /** The part of the word before the candidates: `--option=`. */
  before: string;
}

const nothing: Next = { candidates: [], vals: false, files: false, services: false, before: '' };

export function completions(tree: LoadedTree, wordsBefore: readonly string[], current: string): Next {
  if (wordsBefore[0] === 'help') return afterHelp(tree, wordsBefore.slice(1), current);
  const words = readWords(wordsBefore, tree);
  if (words.awaiting !== undefined) return valueNext(words.awaiting, current);
  if (!words.isPastOptions && current.startsWith('-')) return optionNext(words, current);
  if (words.command !== undefined) return argumentNext(words.command, words.arguments.length, current);
  return words.arguments.length > 0 ? nothing : commandNext(tree, words.path, current);
}

function afterHelp(tree: LoadedTree, wordsBefore: readonly string[], current: string): Next {
  const { path, command, arguments: rest } = readWords(wordsBefore, tree);
  if (command !== undefined || rest.length > 0) return nothing;
  const { candidates } = commandNext(tree, path, current);
  const more = path.length === 0 ? [{ word: 'options', description: 'What every command takes' }] : [];
  return fitting([...candidates.filter(({ word }) => word !== 'help'), ...more], current);
}

function commandNext(tree: LoadedTree, path: readonly string[], current: string): Next {
  const topic = path.join(' ');
  const commands = commandsOf(tree).flatMap(({ summary, ...command }) =>
    namesOf(command)
      .map((name) => name.split(' '))
      .filter((words) => words.slice(0, -1).join(' ') === topic)
      .map((words) => ({ word: words.at(-1) ?? '', description: summary })),
  );
  const topics = Object.entries(tree.topics).map(([word, { summary }]) => ({ word, description: summary }));
  const help = { word: 'help', description: 'Explain a command' };
  return fitting([...commands, ...(topic === '' ? topics : []), help], current);
}

function optionNext({ path, command, options: given }: Words, current: string): Next {
  const known = optionsAt(path, command);
  const { name, value } = splitOption(current);
  if (value !== undefined && name.startsWith('--')) {
    const option = findOption(known, name);
    if (option?.placeholder === undefined) return nothing;
    return { ...valueNext(option, value), before: `${name}=` };
  }
  const isWanted = (option: KnownOption) =>
    option.definition.isRepeatable ||
    !given.some((other) => other.key === option.key || contradict(other, option));
  return fitting(
    known.filter(isWanted).flatMap(({ names, description }) => names.map((word) => ({ word, description }))),
    current,
  );
}

function valueNext({ definition, placeholder = '' }: KnownOption, current: string): Next {
  return filling(definition.choices ?? definition.words, placeholder, current);
}

function argumentNext(command: AnyCommand, position: number, current: string): Next {
  const definitions = argumentsOf(command).map(([, definition]) => definition);
  const last = definitions.at(-1);
  const definition: ArgumentDefinition<unknown> | undefined =
    definitions[position] ?? (last !== undefined && isVariadic(last) ? last : undefined);
  return definition === undefined ? nothing : filling(definition.words, definition.form, current);
}

/** A placeholder tells what fits: `<val>`, `[file]`, `<val|file>`. */
function filling(words: readonly string[] | undefined, form: string, current: string): Next {
  const kinds: string[] = form.match(/[a-z]+/g) ?? [];
  return {
    ...fitting(
      (words ?? []).map((word) => ({ word, description: '' })),
      current,
    ),
    vals: words === undefined && kinds.includes('val'),
    files: words === undefined && kinds.some((kind) => ['file', 'paths'].includes(kind)),
    services: form.includes('base-url'),
  };
}

const fitting = (candidates: readonly Candidate[], current: string): Next => ({
  ...nothing,
  candidates: candidates.filter(({ word }) => word.startsWith(current)),
});
