import { unicodeEscape } from './json.ts';

/** Control characters, line separators, direction marks, the byte order mark and unpaired surrogates. */
const unsafe =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu;
const unsafeExceptLayout = new RegExp(`(?![\\n\\t])${unsafe.source}`, 'gu');

const shortForms: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeCharacter = (character: string): string => shortForms[character] ?? unicodeEscape(character);

/** A lone surrogate is half of a character. Neither UTF-8 nor a URL can contain one. */
export const hasLoneSurrogate = (text: string): boolean => /\p{Surrogate}/u.test(text);

export const visible = (text: string): string => text.replace(unsafe, escapeCharacter);

export const visibleLines = (text: string): string => text.replace(unsafeExceptLayout, escapeCharacter);

/** Longer words may contain a shorter secret by chance. */
export const longEnough = 8;

export const holdsSecret = (text: string, secret: string): boolean =>
  secret.length >= longEnough && text.includes(secret);
