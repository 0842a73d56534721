import { isObject, JsonNumber, type JsonObject, type JsonValue, stringifyJson } from '../lib/json.ts';
import { visibleLines } from '../lib/visible.ts';
import type { Redactor } from './streams.ts';
import type { Style } from './style.ts';

/** Redacts each string instead of the JSON text, so that the result is always valid JSON. */
export function withoutToken(value: JsonValue, { redact }: Pick<Redactor, 'redact'>): JsonValue {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => withoutToken(item, { redact }));
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => [redact(key), withoutToken(item, { redact })]);
    return Object.fromEntries(entries) as JsonObject;
  }
  const text = value instanceof JsonNumber ? value.text : String(value);
  return redact(text) === text ? value : redact(text);
}

export function paintJson(value: JsonValue, style: Style, indent: number, margin = ''): string {
  const inner = indent > 0 ? margin + ' '.repeat(indent) : '';
  const [open, between, close] = indent > 0 ? [`\n${inner}`, `,\n${inner}`, `\n${margin}`] : ['', ',', ''];
  const paint = (item: JsonValue) => paintJson(item, style, indent, inner);
  if (Array.isArray(value)) {
    return value.length === 0 ? '[]' : `[${open}${value.map(paint).join(between)}${close}]`;
  }
  if (isObject(value)) {
    const entries = Object.entries(value).map(
      ([key, item]) => `${style.cyan(scalar(key))}:${indent > 0 ? ' ' : ''}${paint(item)}`,
    );
    return entries.length === 0 ? '{}' : `{${open}${entries.join(between)}${close}}`;
  }
  if (typeof value === 'string') return style.green(scalar(value));
  return value === null ? style.dim('null') : style.yellow(scalar(value));
}

const scalar = (value: JsonValue): string => visibleLines(stringifyJson(value));
