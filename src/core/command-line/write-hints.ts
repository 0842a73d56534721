import { type CommandWords, type Hint, hintList, type WriteHints } from '../lib/hint.ts';
import type { Flags } from '../settings/settings.ts';
import type { CommandTree, LoadedCommand } from './command.ts';
import { commandNamed, loadCommand } from './command-tree.ts';
import { type KnownOption, optionsAt } from './options.ts';

export interface HintOptions {
  tree: CommandTree;
  platform: NodeJS.Platform;
  flags: Flags;
}

/** Writes the commands of hints as a shell takes them. A hint whose command this program lacks is not written. */
export function createHintWriter({ tree, platform, flags }: HintOptions): WriteHints {
  const quote = quoteFor(platform);

  async function writeCommand(words: CommandWords): Promise<string | undefined> {
    const typed = words.map(String);
    const path = [typed.slice(0, 2), typed.slice(0, 1)].find((each) => commandNamed(tree, each.join(' ')));
    const placed = path && commandNamed(tree, path.join(' '));
    if (path === undefined || placed === undefined) return undefined;
    const command = await loadCommand(placed);
    const sorted = sortWords(command, typed.slice(path.length));
    const { options, args } = sorted;
    const all = [...options, ...serviceWords(command, sorted, flags)].map((word) => written(word, quote));
    const others = args.map((word) => written(word, quote));
    if (args.some(isLikeOption)) return ['vals', ...path, ...all, '--', ...others].join(' ');
    // What follows the val of `vals run` is the val's own.
    return ['vals', ...path, ...(command.passesThrough ? [...all, ...others] : [...others, ...all])].join(
      ' ',
    );
  }

  async function writeHint(hint: Hint): Promise<string> {
    if (typeof hint === 'string') return hint;
    let text = '';
    for (const part of hint.parts) {
      const line = typeof part === 'string' ? part : await writeCommand(part);
      if (line === undefined) return '';
      text += typeof part === 'string' ? part : `\`${line}\``;
    }
    return text;
  }

  return async (hints) => (await Promise.all(hintList(hints).map(writeHint))).filter(Boolean).join(' ');
}

const isLikeOption = (word: string): boolean => /^-./s.test(word);

/** `<file>` is written as it is. */
const written = (word: string, quote: (word: string) => string): string =>
  /^<[a-z|. -]+>$/.test(word) ? word : quote(word);

interface SortedWords {
  options: readonly string[];
  args: readonly string[];
}

function sortWords(command: LoadedCommand, words: readonly string[]): SortedWords {
  const known = optionsAt(command);
  const options: string[] = [];
  const args: string[] = [];
  let takesValue = false;
  for (const word of words) {
    const option: KnownOption | undefined = takesValue
      ? undefined
      : known.find(({ names }) => names.includes(word));
    if (takesValue || option !== undefined) options.push(word);
    else args.push(word);
    takesValue = option?.placeholder !== undefined;
  }
  return { options, args };
}

/** What was typed to choose the service, so that the command reaches the same one. */
function serviceWords(
  { path, options = {}, arguments: definitions = {} }: LoadedCommand,
  words: SortedWords,
  { baseUrl = '', local, allowHttp }: Flags,
): string[] {
  const opensStore = 'database' in options;
  if (opensStore) return [];
  const choosesService =
    ('baseUrl' in definitions && words.args.length > 0) ||
    ['--base-url', '--local'].some((name) => words.options.includes(name));
  // A user name and a password in an address are refused, and not repeated.
  const isShown = baseUrl !== '' && !/[^/]@/.test(baseUrl);
  return [
    ...(isShown && !choosesService ? ['--base-url', baseUrl] : []),
    ...(local && !choosesService && path !== 'login' ? ['--local'] : []),
    ...(allowHttp ? ['--allow-http'] : []),
  ];
}

export type QuoteWord = (word: string) => string;

/**
 * In fish, `\'` does not end the quotes, so a backslash before a quote or another backslash is written outside of the
 * quotes. Without quotes, zsh replaces `=name` with the path of a program, and fish replaces `%self`.
 */
const quoteForPosix: QuoteWord = (word) =>
  /^[\w@+:,./-]+$/.test(word) ? word : `'${word.replaceAll(/'|\\(?=['\\]|$)/g, "'\\$&'")}'`;

/**
 * Double quotes work in cmd.exe and in PowerShell, unless the word has something that one of them replaces. Then only
 * PowerShell can be helped, which takes `@name` for a variable and a comma for a list.
 */
const quoteForWindows: QuoteWord = (word) => {
  if (/^[\w+:./\\-]+$/.test(word)) return word;
  return /["$%`]|\\$/.test(word) ? `'${word.replaceAll("'", "''")}'` : `"${word}"`;
};

export const quoteFor = (platform: NodeJS.Platform): QuoteWord =>
  platform === 'win32' ? quoteForWindows : quoteForPosix;

/** How a terminal sets a variable: PowerShell, and the shells of other systems. */
export const setVariable = (platform: NodeJS.Platform, name: string, value: string): string =>
  platform === 'win32' ? `$env:${name} = '${value}'` : `export ${name}=${value}`;

export const unsetVariable = (platform: NodeJS.Platform, name: string): string =>
  platform === 'win32' ? `Remove-Item Env:${name}` : `unset ${name}`;
