/**
 * Puts `./` before a leading dash, so that a file name does not look like an option. In fish, `\'` does not end the
 * quotes, so a backslash before a quote or another backslash is written outside of the quotes. Without quotes, zsh
 * replaces `=name` with the path of a program, and fish replaces `%self`.
 */
export const quoteWord: QuoteWord = (word) => quoteForPosix(word.startsWith('-') ? `./${word}` : word);

const quoteForPosix: QuoteWord = (word) =>
  /^[\w@+:,./-]+$/.test(word) ? word : `'${word.replaceAll(/'|\\(?=['\\]|$)/g, "'\\$&'")}'`;

export type QuoteWord = (word: string) => string;

/** PowerShell takes `@name` for a variable and a comma for a list, and doubles a quote inside of quotes. */
const quoteForPowerShell: QuoteWord = (word) =>
  /^[\w+:./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "''")}'`;

export const quoteFor = (platform: NodeJS.Platform): QuoteWord =>
  platform === 'win32' ? quoteForPowerShell : quoteForPosix;

/** Returns a command for a message, between backticks and with each value quoted: shell`vals push ${file}`. */
export function shell(fixed: TemplateStringsArray, ...values: (string | readonly string[])[]): string {
  const quoted = values.map((value) =>
    typeof value === 'string' ? quoteWord(value) : value.map(quoteWord).join(' '),
  );
  const command = fixed.map((text, index) => text + (quoted[index] ?? '')).join('');
  return `\`${command}\``;
}

const longestFixedPart = 100;

/**
 * Puts other words in the place of a value in the commands of a message. Replaces only a whole value that directly
 * follows the fixed words of a command. Another value may contain the same text, and without its quotes a shell would
 * run a part of it.
 */
export function replaceInCommands(text: string, value: string, words: string): string {
  const found = ` ${quoteWord(value)}`;
  const [first = '', ...others] = text.split(found);
  let result = first;
  for (const rest of others) {
    const isValue = /`vals(?: [a-z-]+)+$/.test(result.slice(-longestFixedPart)) && /^[ `]/.test(rest);
    result += (isValue ? ` ${words}` : found) + rest;
  }
  return result;
}

/** Splits a message before its first command. */
export function splitAtCommand(text: string): [prose: string, commands: string] {
  const [prose = ''] = text.split('`', 1);
  return [prose, text.slice(prose.length)];
}
