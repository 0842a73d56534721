// A value as JSON without the token in force: still JSON, whatever the token is made of.
import { isObject, JsonNumber, type JsonObject, type JsonValue, stringifyJson } from '../json.ts';

export function jsonText(value: JsonValue, redact: (text: string) => string, indent?: number): string {
  const text = stringifyJson(value, indent);
  return redact(text) === text ? text : stringifyJson(redactValue(value, redact), indent);
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
