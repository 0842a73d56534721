import { isObject, type JsonValue, stringifyJson } from '../../lib/json.ts';
import { project } from '../fields.ts';
import { paintJson, withoutToken } from '../json-text.ts';
import type { JsonResult } from '../result.ts';
import type { Sink } from '../streams.ts';
import { createStyle } from '../style.ts';
import type { RenderOptions } from './options.ts';

export async function renderJson({ value }: JsonResult, stdout: Sink, options: RenderOptions): Promise<void> {
  const { kind, fields } = options;
  const withFields = (item: JsonValue) => (fields && isObject(item) ? project(item, fields) : item);
  await options.interruptibleIfReadOnly(async () => {
    const selected = Array.isArray(value) ? value.map(withFields) : withFields(value);
    if (kind !== 'ndjson') return writeJson(selected, stdout, options);
    const lines = Array.isArray(selected) ? selected : [selected];
    for (const line of lines) await writeJson(line, stdout, options);
  });
}

export async function writeJson(value: JsonValue, stdout: Sink, options: RenderOptions): Promise<void> {
  const style = await createStyle(options.color);
  const indent = options.kind === 'ndjson' ? 0 : 2;
  const format = (each: JsonValue) =>
    `${stdout.isTerminal ? paintJson(each, style, indent) : stringifyJson(each)}\n`;
  const textIfTokenFound = () => format(withoutToken(value, options.redactor));
  const write = Array.isArray(value) ? stdout.writeLong : stdout.write;
  await write(format(value), textIfTokenFound);
}
