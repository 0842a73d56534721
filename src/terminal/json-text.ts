import { isObject, type JsonValue, stringifyJson } from '../lib/json.ts';
import { visibleLines } from '../lib/visible.ts';
import type { Style } from './style.ts';

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
