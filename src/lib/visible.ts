// Makes text from others safe to show: control characters and direction marks become escapes.
import { unicodeEscape } from './json.ts';

/** C0, DEL, C1, line separators, direction marks, and halves of characters. */
const unsafe =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu;
const unsafeExceptLayout =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu;

const shortForms: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeCharacter = (character: string): string => shortForms[character] ?? unicodeEscape(character);

/** On one line. */
export const visible = (text: string): string => text.replace(unsafe, escapeCharacter);

/** With its line breaks and tabs, for code. */
export const visibleLines = (text: string): string => text.replace(unsafeExceptLayout, escapeCharacter);
