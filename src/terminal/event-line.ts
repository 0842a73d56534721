// Formats one event as one line, for commands that run until they are interrupted.

import type { JsonObject } from '../lib/json.ts';
import { visible } from '../lib/visible.ts';
import type { Column } from './column.ts';
import { cellText, columnValue, tabSeparated } from './fields.ts';
import type { Format } from './output.ts';
import { createStyle } from './style.ts';

export async function eventLine(
  record: JsonObject,
  columns: readonly Column[],
  { color, screen, glyphs, redact }: Format & { redact(text: string): string },
): Promise<string> {
  const value = (column: Column) => redact(cellText(columnValue(record, column)));
  if (!screen) return `${columns.map((column) => tabSeparated(value(column))).join('\t')}\n`;
  const style = await createStyle(color);
  const cells = columns.map((column) => {
    const { text, tone } = column.present?.(value(column), record, glyphs) ?? {
      text: value(column),
      tone: undefined,
    };
    return tone === undefined ? visible(text) : style[tone](visible(text));
  });
  return `${cells.filter((cell) => cell !== '').join('  ')}\n`;
}
