// A page of a list read without parsing it: where its records stand in the bytes, and their ids. With every page parsed,
// 100,000 runs as NDJSON take 1.8 times the CPU (Node 20, medians of 7 interleaved runs).
import { isUtf8 } from 'node:buffer';
import { type Digest, digestOf } from '../../lib/digest.ts';
import { isObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { isLarge, keyOf, type Rows } from '../../lib/rows.ts';

export interface SentPage {
  rows: Rows;
  /** All that was sent beside the records: the page with an empty list in their place. */
  rest: JsonValue;
}

/**
 * Undefined for a page that is not what nearly all are: a list of objects, alone or in one object, written as we
 * would write it. Such a page is parsed, and so are errors left to the parser.
 */
export function readUnparsedPage(bytes: Buffer): SentPage | undefined {
  const open = bytes.indexOf(openBracket);
  if (open === -1 || !isUtf8(bytes)) return undefined;
  const rows = new RowReader(bytes).read(open + 1);
  if (rows === undefined) return undefined;
  const after = bytes.toString('utf8', rows.end);
  // Another list beside it would leave open which one is meant.
  if (after.includes('[')) return undefined;
  try {
    const rest = parseJson(`${bytes.toString('utf8', 0, open)}[]${after}`);
    // The bracket may have stood in a text.
    const isThere = Array.isArray(rest) || (isObject(rest) && Object.values(rest).some(Array.isArray));
    return isThere ? { rows: unparsedRows(bytes, rows.spans), rest } : undefined;
  } catch {
    return undefined;
  }
}

/** Where a record stands, and where its id does: end at 0 where it has none. */
type Span = readonly [start: number, end: number, idStart: number, idEnd: number];

function unparsedRows(bytes: Buffer, spans: readonly Span[]): Rows {
  const text = ([start, end]: Span) => bytes.toString('utf8', start, end);
  const spanAt = (index: number) => spans[index] as Span;
  return {
    length: spans.length,
    isLarge: isLarge(bytes.length),
    idAt: (index) => idIn(bytes, spanAt(index)),
    keyAt: (index) => keyIn(bytes, spanAt(index)),
    textAt: (index) => text(spanAt(index)),
    records: () => spans.map((span) => parseJson(text(span)) as JsonObject),
    pick: (indexes) => unparsedRows(bytes, indexes.map(spanAt)),
    sent(after) {
      const [first, last] = [spans[0], spans.at(-1)];
      const isUnbroken = spans.every(([start], index) => index === 0 || start === spanAt(index - 1)[1] + 1);
      if (!first || !last || !isUnbroken) {
        return Buffer.concat(
          spans.flatMap(([start, end]) => [bytes.subarray(start, end), Buffer.from(after)]),
        );
      }
      // In place: between records stands a comma, and behind the last one a bracket, which is not read again.
      for (const [, end] of spans) bytes[end] = after.charCodeAt(0);
      return bytes.subarray(first[0], last[1] + 1);
    },
  };
}

function idIn(bytes: Buffer, [, , start, end]: Span): string | undefined {
  if (end === 0) return undefined;
  const text = bytes.toString('utf8', start, end);
  return text.includes('\\') ? JSON.parse(`"${text}"`) : text;
}

/** The same without making a text of it. */
function keyIn(bytes: Buffer, span: Span): Digest | undefined {
  const [, , start, end] = span;
  if (end === 0) return undefined;
  for (let at = start; at < end; at++) if (bytes[at] === backslash) return keyOf(idIn(bytes, span));
  return digestOf(bytes, start, end);
}

// Bytes of JSON.
const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const plus = 0x2b;
const dot = 0x2e;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The escapes that we would write too. In any other, a token could go through unseen. */
const plainEscapes = new Set(Buffer.from('"\\bfnrt'));
/** By byte: those of a text that need no second look, which are nearly all. */
const isOrdinary = new Uint8Array(256).fill(1, 0x20);
for (const byte of [quote, backslash, 0x7f, 0xc2, 0xe2]) isOrdinary[byte] = 0;
const deepest = 100;
/** What no index is: the bytes are not as we would have written them. */
const other = -1;

/** A strict reader of JSON without spaces. Each method takes the index of what it reads, and gives that after it. */
class RowReader {
  readonly #bytes: Buffer;
  #depth = 0;
  #idStart = 0;
  #idEnd = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The objects up to the end of the list that begins here. */
  read(start: number): { spans: Span[]; end: number } | undefined {
    const bytes = this.#bytes;
    const spans: Span[] = [];
    if (bytes[start] === closeBracket) return { spans, end: start + 1 };
    for (let at = start; bytes[at] === openBrace; at++) {
      const first = at;
      this.#idEnd = 0;
      at = this.#object(first, true);
      if (at === other) return undefined;
      spans.push([first, at, this.#idStart, this.#idEnd]);
      if (bytes[at] === closeBracket) return { spans, end: at + 1 };
      if (bytes[at] !== comma) return undefined;
    }
    return undefined;
  }

  #value(at: number): number {
    const byte = this.#bytes[at] ?? 0;
    if (byte === quote) return this.#string(at);
    if (byte === openBrace) return this.#object(at);
    if (byte === openBracket) return this.#array(at);
    return byte === minus || isDigit(byte) ? this.#number(at) : this.#literal(at);
  }

  #object(start: number, isRecord = false): number {
    const bytes = this.#bytes;
    if (bytes[start + 1] === closeBrace) return start + 2;
    if (++this.#depth > deepest) return other;
    let at = start;
    do {
      const key = at + 1;
      if (bytes[key] !== quote) return other;
      at = this.#string(key);
      if (at === other || bytes[at] !== colon) return other;
      const value = at + 1;
      at = this.#value(value);
      if (at === other) return other;
      if (isRecord && isIdKey(bytes, key)) this.#noteId(value, at);
    } while (bytes[at] === comma);
    this.#depth--;
    return bytes[at] === closeBrace ? at + 1 : other;
  }

  #array(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start + 1] === closeBracket) return start + 2;
    if (++this.#depth > deepest) return other;
    let at = start;
    do {
      at = this.#value(at + 1);
      if (at === other) return other;
    } while (bytes[at] === comma);
    this.#depth--;
    return bytes[at] === closeBracket ? at + 1 : other;
  }

  #string(start: number): number {
    const bytes = this.#bytes;
    for (let at = start + 1; ; at++) {
      while (isOrdinary[bytes[at] ?? 0]) at++;
      const byte = bytes[at];
      if (byte === quote) return at + 1;
      if (byte === backslash) {
        if (!plainEscapes.has(bytes[++at] ?? 0)) return other;
      } else if (byte === undefined || byte < 0x20 || isUnsafe(bytes, at)) {
        return other;
      }
    }
  }

  #number(start: number): number {
    const bytes = this.#bytes;
    const first = bytes[start] === minus ? start + 1 : start;
    let at = this.#digits(first);
    if (at === first || (bytes[first] === zero && at > first + 1)) return other;
    if (bytes[at] === dot) {
      const fraction = at + 1;
      at = this.#digits(fraction);
      if (at === fraction) return other;
    }
    if (((bytes[at] ?? 0) | 0x20) === 0x65) {
      const sign = bytes[at + 1];
      const exponent = sign === plus || sign === minus ? at + 2 : at + 1;
      at = this.#digits(exponent);
      if (at === exponent) return other;
    }
    return at;
  }

  #digits(start: number): number {
    let at = start;
    while (isDigit(this.#bytes[at] ?? 0)) at++;
    return at;
  }

  #literal(at: number): number {
    const bytes = this.#bytes;
    const word = bytes[at] === 0x74 ? 'true' : bytes[at] === 0x66 ? 'false' : 'null';
    for (let index = 0; index < word.length; index++) {
      if (bytes[at + index] !== word.charCodeAt(index)) return other;
    }
    return at + word.length;
  }

  /** The text of a string, the digits of a number; nothing else is an id. */
  #noteId(start: number, end: number): void {
    const first = this.#bytes[start] ?? 0;
    const isText = first === quote;
    this.#idStart = isText ? start + 1 : start;
    this.#idEnd = isText ? end - 1 : first === minus || isDigit(first) ? end : 0;
  }
}

const isDigit = (byte: number): boolean => byte >= zero && byte <= nine;

/** Whether `"id"` stands here. */
const isIdKey = (bytes: Buffer, at: number): boolean =>
  bytes[at + 1] === 0x69 && bytes[at + 2] === 0x64 && bytes[at + 3] === quote;

/** U+007F to U+009F, U+2028 and U+2029 in UTF-8: a terminal acts on them. */
function isUnsafe(bytes: Buffer, at: number): boolean {
  if (bytes[at] === 0x7f) return true;
  if (bytes[at] === 0xc2) return (bytes[at + 1] ?? 0) < 0xa0;
  return bytes[at] === 0xe2 && bytes[at + 1] === 0x80 && ((bytes[at + 2] ?? 0) & 0xfe) === 0xa8;
}
