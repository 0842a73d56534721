// Makes text from others safe to show: control characters and direction marks become escapes.
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
