import type { JsonObject, JsonValue } from '../lib/json.ts';
import { visible, visibleLines } from '../lib/visible.ts';
import { type Column, cellText, columnValue } from './column.ts';
import type { Screen } from './screen.ts';
import type { Glyphs, Style } from './style.ts';
import { ageOrHour, ago, clockTime, isMoment, wholeMoment } from './times.ts';

/**
 * How much of a value is shown:
 * - `short` in a table: the age of a time, the beginning of an id, and the first line of a long text.
 * - `lasting` in a table that stays on the screen while it grows, where an age such as "5m ago" would soon be wrong.
 * - `whole` for one record.
 */
export type CellForm = 'short' | 'lasting' | 'whole';

export interface Cell {
  text: string;
  tone?: keyof Style;
  /** Half of an id, a time or a number would be wrong, and half of a token would be useless. */
  neverCut?: boolean;
  /** The value has further lines. */
  hasMore?: boolean;
  isNumber?: boolean;
}

/** Commands accept the first 8 characters of an id instead of the whole id. */
const shortId = 8;

/** Longer text is cut before it is measured, because measuring a very long text takes minutes. */
const longestText = 2_000;

export function cellOf(record: JsonObject, column: Column, screen: Screen, form: CellForm): Cell {
  const { glyphs, redact } = screen;
  const now = screen.now();
  const value = columnValue(record, column);
  const text = redact(joined(value));
  switch (column.kind) {
    case 'longText': {
      if (form === 'whole') return { text: visibleLines(allLines(text)) };
      const first = firstLine(text);
      return { text: shown(first.text, glyphs), hasMore: first.hasMore };
    }
    case 'moment':
      return { text: writeMoment[form](visible(text), now, column.withHour), neverCut: isMoment(text) };
    case 'id':
      return { text: shown(form === 'whole' ? text : text.slice(0, shortId), glyphs), neverCut: true };
    case 'text': {
      const presented = column.present?.(text, record, glyphs) ?? { text: shown(text, glyphs) };
      const isNumber = typeof value === 'number';
      return { ...presented, text: visible(presented.text), isNumber, neverCut: column.neverCut || isNumber };
    }
  }
}

const writeMoment: Record<CellForm, (moment: string, now: number, withHour?: boolean) => string> = {
  short: (moment, now, withHour) => (withHour ? ageOrHour(moment, now) : ago(moment, now)),
  lasting: clockTime,
  whole: wholeMoment,
};

export function firstLine(text: string): { text: string; hasMore: boolean } {
  const trimmed = text.trim();
  const end = trimmed.search(/[\r\n]/);
  return end === -1
    ? { text: trimmed, hasMore: false }
    : { text: trimmed.slice(0, end).trimEnd(), hasMore: true };
}

const allLines = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll('\t', '    ').trimEnd();

function joined(value: JsonValue | undefined): string {
  const isPlain = (item: JsonValue) => item !== null && typeof item !== 'object';
  return Array.isArray(value) && value.every(isPlain) ? value.map(cellText).join(', ') : cellText(value);
}

const shown = (text: string, { ellipsis }: Glyphs): string =>
  visible(text.length > longestText ? text.slice(0, longestText) + ellipsis : text);
