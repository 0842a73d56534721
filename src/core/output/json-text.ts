import { type JsonValue, stringifyJson } from '../lib/json.ts';
import { visibleLines } from '../lib/visible.ts';
import type { Style } from './style.ts';

/** A string, with the colon that makes it a key, or anything else that is not punctuation. */
const tokens = /("(?:[^"\\]+|\\.)*")(:?)|[\w.+-]+/g;

export const paintJson = (value: JsonValue, { cyan, green, yellow, dim }: Style, indent: number): string =>
  visibleLines(stringifyJson(value, indent)).replace(tokens, (token, text?: string, colon?: string) => {
    if (text === undefined) return token === 'null' ? dim(token) : yellow(token);
    return colon ? cyan(text) + colon : green(text);
  });
