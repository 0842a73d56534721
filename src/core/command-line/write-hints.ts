import { type CommandWords, hintList, type WriteHints } from '../lib/hint.ts';
import type { Flags } from '../settings/settings.ts';

export interface HintOptions {
  platform: NodeJS.Platform;
  flags: Flags;
}

/** Writes the commands of hints as a shell takes them. What was typed to choose the service stands before the command. */
export function createHintWriter({ platform, flags }: HintOptions): WriteHints {
  const quote = quoteFor(platform);
  const service = serviceWords(flags);
  function writeCommand(words: CommandWords): string {
    const typed = words.map(String);
    const choosesService = typed.some((word) => choosing.has(word));
    const all = ['vals', ...(choosesService ? [] : service), ...typed];
    // `<file>` is written as it is.
    return all.map((word) => (/^<[a-z|. -]+>$/.test(word) ? word : quote(word))).join(' ');
  }
  return (hints) =>
    hintList(hints)
      .map((hint) =>
        typeof hint === 'string'
          ? hint
          : hint.parts
              .map((part) => (typeof part === 'string' ? part : `\`${writeCommand(part)}\``))
              .join(''),
      )
      .join(' ');
}

/** Commands that name a service, or a store, themselves, and the options that do. */
const choosing: ReadonlySet<string> = new Set([
  ...['login', 'logout', 'use', 'serve', 'user', 'space', 'backup'],
  ...['--base-url', '--local'],
]);

function serviceWords({ baseUrl = '', local, allowHttp }: Flags): string[] {
  // A user name and a password in an address are refused, and not repeated.
  const isShown = baseUrl !== '' && !/[^/]@/.test(baseUrl);
  return [
    ...(isShown ? ['--base-url', baseUrl] : []),
    ...(local ? ['--local'] : []),
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
