// Makes text from others safe to show, and finds words that invisible characters hide in it.
import { unicodeEscape } from './json.ts';

/** C0, DEL, C1, line separators, direction marks, and unpaired surrogates. */
const unsafe =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu;
const unsafeExceptLayout =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu;

const shortForms: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeCharacter = (character: string): string => shortForms[character] ?? unicodeEscape(character);

/** For text on one line: escapes line breaks and tabs too. */
export const visible = (text: string): string => text.replace(unsafe, escapeCharacter);

/** For code: keeps line breaks and tabs. */
export const visibleLines = (text: string): string => text.replace(unsafeExceptLayout, escapeCharacter);

/** Characters that no terminal shows, such as the zero-width space. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
/** The same characters, also after JSON or `visible` has escaped them. */
const invisibleOrEscaped = /\p{Default_Ignorable_Code_Point}|\\u[\da-f]{4}/gu;

export const withoutInvisible = (text: string): string => text.replace(invisible, '');

/** A shorter word is no secret, because ordinary text may contain it by chance. */
export const shortestSecret = 8;

/** Whether the text contains the secret, as it is or with invisible characters in it. */
export function holdsSecret(text: string, secret: string): boolean {
  if (secret.length < shortestSecret) return false;
  if (text.includes(secret)) return true;
  return mayHaveInvisible(text) && text.replace(invisibleOrEscaped, '').includes(secret);
}

/** A quick test. ASCII text without an escape has no invisible character, and most output is such text. */
function mayHaveInvisible(text: string): boolean {
  const isAscii = Buffer.byteLength(text) === text.length;
  return !isAscii || text.includes('\\u');
}
