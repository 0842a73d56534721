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
const longEnough = 8;

export const holdsSecret = (text: string, secret: string): boolean =>
  secret.length >= longEnough && text.includes(secret);

export interface Redactor {
  add(secret: string | undefined): void;
  /** Every output passes this function. Call it before a text is cut too, because it recognizes only the whole token. */
  redact(text: string): string;
  /** Finds the token in two pieces as well. Only what may be its beginning waits for the next piece. */
  redactPieces(pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
}

export function createRedactor(): Redactor {
  const secrets = new Map<string, { pattern: RegExp; mask: string }>();
  function redact(text: string): string {
    let redacted = text;
    for (const { pattern, mask } of secrets.values()) redacted = redacted.replace(pattern, () => mask);
    return redacted;
  }

  /** The length of the end of the text that is the beginning of a secret. */
  function beginning(text: string): number {
    const lengths = [...secrets.keys()].map((form) => {
      let length = Math.min(form.length - 1, text.length);
      while (length > 0 && !text.endsWith(form.slice(0, length))) length -= 1;
      return length;
    });
    return Math.max(0, ...lengths);
  }

  return {
    redact,
    async *redactPieces(pieces) {
      let rest = '';
      for await (const piece of pieces) {
        const text = redact(rest + piece.toString('latin1'));
        const end = text.length - beginning(text);
        rest = text.slice(end);
        yield Buffer.from(text.slice(0, end), 'latin1');
      }
      if (rest !== '') yield Buffer.from(rest, 'latin1');
    },
    add(secret) {
      if (!secret) return;
      // JSON with *** in the place of a number would not be JSON.
      const mask = /^\d+$/.test(secret) ? '1' : '***';
      for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
        const literal = form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
        // A short secret is hidden where it is a whole word.
        const text = secret.length < longEnough ? `(?<![\\w])${literal}(?![\\w])` : literal;
        secrets.set(form, { pattern: new RegExp(text, 'g'), mask });
      }
    },
  };
}

/** Bytes that are no text stay as they are. */
export function redactedBytes(bytes: Buffer, redact: Redactor['redact']): Buffer {
  const text = bytes.toString('latin1');
  const redacted = redact(text);
  return redacted === text ? bytes : Buffer.from(redacted, 'latin1');
}
