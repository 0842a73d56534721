// Finds a text that was hidden in another one by invisible characters between its letters.

/** Characters that no terminal shows, such as the zero-width space. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
/** The same after JSON or `visible` has escaped them. */
const invisibleOrEscaped = /\p{Default_Ignorable_Code_Point}|\\u[\da-f]{4}/gu;

export const withoutInvisible = (text: string): string => text.replace(invisible, '');

/** Whether the text contains the word, as it is or with invisible characters in it. */
export const holdsWord = (text: string, word: string): boolean =>
  text.includes(word) || text.replace(invisibleOrEscaped, '').includes(word);
