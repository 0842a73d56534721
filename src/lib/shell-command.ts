/** Puts `./` before a leading dash, so that a file name does not look like an option. */
export function quoteWord(word: string): string {
  const safe = word.startsWith('-') ? `./${word}` : word;
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}

/** Returns a command for a message, between backticks and with each value quoted: shell`vals push ${file}`. */
export function shell(fixed: TemplateStringsArray, ...values: (string | readonly string[])[]): string {
  const quoted = values.map((value) =>
    typeof value === 'string' ? quoteWord(value) : value.map(quoteWord).join(' '),
  );
  const command = fixed.map((text, index) => text + (quoted[index] ?? '')).join('');
  return `\`${command}\``;
}
