/** Puts `./` before a leading dash, so that a file name does not look like an option. */
export function quoteWord(word: string): string {
  const safe = word.startsWith('-') ? `./${word}` : word;
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}

export function shell(fixed: TemplateStringsArray, ...values: (string | readonly string[])[]): string {
  const quoted = values.map((value) =>
    typeof value === 'string' ? quoteWord(value) : value.map(quoteWord).join(' '),
  );
  return `\`${String.raw({ raw: fixed }, ...quoted)}\``;
}
