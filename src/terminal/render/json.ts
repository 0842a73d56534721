import { isObject, type JsonValue, stringifyJson } from '../../lib/json.ts';
import { project } from '../fields.ts';
import { paintJson, withoutToken } from '../json-text.ts';
import type { JsonResult } from '../result.ts';
import type { Sink } from '../streams.ts';
import { createStyle } from '../style.ts';
import type { RenderOptions } from './options.ts';

export async function renderJson({ value }: JsonResult, stdout: Sink, options: RenderOptions): Promise<void> {
  const { kind, fields } = options;
  const select = (each: JsonValue) => (fields && isObject(each) ? project(each, fields) : each);
  await options.interruptibleUnlessWritten(async () => {
    if (kind === 'ndjson') {
      const lines = Array.isArray(value) ? value : [value];
      for (const each of lines) await writeJson(select(each), stdout, options);
    } else {
      await writeJson(Array.isArray(value) ? value.map(select) : select(value), stdout, options);
    }
  });
}

export async function writeJson(value: JsonValue, stdout: Sink, options: RenderOptions): Promise<void> {
  const style = await createStyle(options.color);
  const indent = options.kind === 'ndjson' ? 0 : 2;
  const format = (each: JsonValue) =>
    `${stdout.isTerminal ? paintJson(each, style, indent) : stringifyJson(each)}\n`;
  const clean = () => format(withoutToken(value, options.redactor));
  await (Array.isArray(value) ? stdout.writeLong(format(value), clean) : stdout.write(format(value), clean));
}
