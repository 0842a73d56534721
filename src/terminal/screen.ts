import type { Hints } from '../lib/hint.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { visible } from '../lib/visible.ts';
import { drawBars } from './chart.ts';
import { type Column, cellText, columnValue } from './column.ts';
import type { Glyphs, Style } from './style.ts';
import { ageOrHour, ago } from './times.ts';

export interface Screen {
  width: number;
  style: Style;
  glyphs: Glyphs;
  now: number;
  redact(text: string): string;
  hint(message: Hints): void;
}

export interface Cell {
  text: string;
  tone?: keyof Style;
  hasMore?: boolean;
}

/** Commands accept the first 8 characters of an id instead of the whole id. */
const shortId = 8;

/** Longer text is cut before it is measured, because measuring a very long text takes minutes. */
const longestText = 2_000;

export interface CellOptions {
  writeMoment?: (moment: string, now: number) => string;
  wholeId?: boolean;
}

export function cellOf(
  record: JsonObject,
  column: Column,
  screen: Screen,
  { writeMoment, wholeId }: CellOptions = {},
): Cell {
  const value = columnValue(record, column);
  switch (column.kind) {
    case 'chart':
      return { text: drawBars(value, { glyphs: screen.glyphs }) };
    case 'number':
      return { text: typeof value === 'number' ? column.format(value) : shownText(value, screen) };
    case 'longText': {
      const { text, hasMore } = firstLine(screen.redact(cellText(value)));
      return { text: shortened(text, screen.glyphs), hasMore };
    }
    case 'moment': {
      const write = writeMoment ?? (column.withHour ? ageOrHour : ago);
      return { text: write(visible(listed(value, screen)), screen.now) };
    }
    case 'id': {
      const id = listed(value, screen);
      return { text: shortened(wholeId ? id : id.slice(0, shortId), screen.glyphs) };
    }
    case 'text': {
      if (column.present === undefined) return { text: shownText(value, screen) };
      const { text, tone } = column.present(listed(value, screen), record, screen.glyphs);
      return { text: visible(text), tone };
    }
  }
}

const shownText = (value: JsonValue | undefined, screen: Screen): string =>
  shortened(listed(value, screen), screen.glyphs);

export function firstLine(text: string): { text: string; hasMore: boolean } {
  const trimmed = text.trim();
  const end = trimmed.search(/[\r\n]/);
  return end === -1
    ? { text: trimmed, hasMore: false }
    : { text: trimmed.slice(0, end).trimEnd(), hasMore: true };
}

function listed(value: JsonValue | undefined, { redact }: Screen): string {
  const isPlain = (item: JsonValue) => item !== null && typeof item !== 'object';
  if (Array.isArray(value) && value.every(isPlain)) return redact(value.map(cellText).join(', '));
  return redact(cellText(value));
}

const shortened = (text: string, { ellipsis }: Glyphs): string =>
  visible(text.length > longestText ? text.slice(0, longestText) + ellipsis : text);
