export type QuoteWord = (word: string) => string;

/**
 * In fish, `\'` does not end the quotes, so a backslash before a quote or another backslash is written outside of the
 * quotes. Without quotes, zsh replaces `=name` with the path of a program, and fish replaces `%self`.
 */
const quoteForPosix: QuoteWord = (word) =>
  /^[\w@+:,./-]+$/.test(word) ? word : `'${word.replaceAll(/'|\\(?=['\\]|$)/g, "'\\$&'")}'`;

/** PowerShell takes `@name` for a variable and a comma for a list, and doubles a quote inside of quotes. */
const quoteForPowerShell: QuoteWord = (word) =>
  /^[\w+:./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "''")}'`;

export const quoteFor = (platform: NodeJS.Platform): QuoteWord =>
  platform === 'win32' ? quoteForPowerShell : quoteForPosix;
