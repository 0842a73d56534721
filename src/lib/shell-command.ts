// Commands that are shown to be copied into a shell.

/** Quotes a word for a POSIX shell. A leading dash gets `./` in front, so that the shell command does not take a file for an option. */
export function quoteWord(word: string): string {
  const safe = word.startsWith('-') ? `./${word}` : word;
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}

/** A command between backticks, with each value quoted as a word: shell`vals push ${file} --force`. */
export function shell(fixed: TemplateStringsArray, ...values: (string | readonly string[])[]): string {
  const quoted = values.map((value) => [value].flat().map(quoteWord).join(' '));
  return `\`${String.raw({ raw: fixed }, ...quoted)}\``;
}
