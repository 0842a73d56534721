/** For example "one, two and three". */
export const listed = (words: readonly string[]): string => new Intl.ListFormat('en-GB').format(words);
