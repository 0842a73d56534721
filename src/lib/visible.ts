// Makes text from strangers safe to show, and finds secrets in text that contains invisible characters.
import { unicodeEscape } from './json.ts';

/** Matches control characters (C0, DEL, C1), line separators, direction marks and unpaired surrogates. */
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
/** Invisible characters, and escapes such as `\u200b` that JSON or `visible` wrote for them. */
const invisibleOrEscaped = /\p{Default_Ignorable_Code_Point}|\\u[\da-f]{4}/gu;

export const withoutInvisible = (text: string): string => text.replace(invisible, '');

/** A shorter secret is not searched for, because ordinary text may contain a short word by chance. */
export const shortestSecret = 8;

/** Whether the text contains the secret, with or without invisible characters between its letters. */
export function holdsSecret(text: string, secret: string): boolean {
  if (secret.length < shortestSecret) return false;
  if (text.includes(secret)) return true;
  return mayHaveInvisible(text) && text.replace(invisibleOrEscaped, '').includes(secret);
}

/** A quick test for the usual case: ASCII text without an escape has no invisible character. */
function mayHaveInvisible(text: string): boolean {
  const isAscii = Buffer.byteLength(text) === text.length;
  return !isAscii || text.includes('\\u');
}
