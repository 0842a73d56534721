// A value as JSON without the token in force: still JSON, whatever the token is made of.
import { isObject, JsonNumber, type JsonObject, type JsonValue, stringifyJson } from '../lib/json.ts';
import type { Rows } from '../lib/rows.ts';
import type { Redactor } from './streams.ts';

export function jsonText(value: JsonValue, redact: (text: string) => string, indent?: number): string {
  const text = stringifyJson(value, indent);
  return redact(text) === text ? text : stringifyJson(redactValue(value, redact), indent);
}

/** Records as JSON, each with this after it: as they were sent, where that gives nothing away. */
export function jsonRows(rows: Rows, after: ',' | '\n', redactor: Redactor): string | Buffer {
  const sent = rows.sent(after);
  if (sent !== undefined && !redactor.isIn(sent)) return sent;
  return rows
    .records()
    .map((record) => jsonText(record, redactor.redact) + after)
    .join('');
}

function redactValue(value: JsonValue, redact: (text: string) => string): JsonValue {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => [redact(key), redactValue(item, redact)]);
    return Object.fromEntries(entries) as JsonObject;
  }
  const text = value instanceof JsonNumber ? value.text : String(value);
  return redact(text) === text ? value : redact(text);
}
