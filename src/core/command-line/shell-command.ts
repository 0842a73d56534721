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
