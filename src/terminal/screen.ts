// The properties of a screen, and the text of a cell on it.
import { JsonNumber, type JsonObject, type JsonValue } from '../lib/json.ts';
import { visible } from '../lib/visible.ts';
import { drawBars } from './chart.ts';
import type { Column } from './column.ts';
import { cellText, columnValue } from './fields.ts';
import type { Glyphs } from './glyphs.ts';
import type { Style } from './style.ts';
import { age, ageOrHour } from './times.ts';

export interface Screen {
  width: number;
  style: Style;
  glyphs: Glyphs;
  now: number;
  /** Whether addresses become links. */
  links: boolean;
  redact(text: string): string;
  /** Shows a hint after the result. */
  hint(message: string): void;
}

export interface Cell {
  text: string;
  tone?: keyof Style;
  /** Whether the value has more lines than the one line that is shown. */
  hasMore?: boolean;
}

/** The number of characters of an id that are shown. Commands accept an id that is cut to this length. */
const shortId = 8;

/** Text beyond this length is cut off before it is measured. Measuring a very long text takes minutes. */
const longestText = 2_000;

export interface CellOptions {
  writeMoment?: (moment: string, now: number) => string;
  /** Whether an id is shown in full, as for a single record. */
  wholeId?: boolean;
}

export function cellOf(
  record: JsonObject,
  column: Column,
  screen: Screen,
  { writeMoment = column.withHour ? ageOrHour : age, wholeId }: CellOptions = {},
): Cell {
  const value = columnValue(record, column);
  if (column.chart) return { text: drawBars(value, undefined, undefined, screen.glyphs) };
  if (column.write && typeof value === 'number') return { text: column.write(value) };
  const { text, hasMore } = column.firstLine
    ? firstLine(screen.redact(cellText(value)))
    : { text: listed(value, screen), hasMore: false };
  if (column.present) {
    const { text: shown, tone } = column.present(text, record, screen.glyphs);
    return { text: visible(shown), ...(tone && { tone }) };
  }
  if (column.moment) return { text: writeMoment(visible(text), screen.now) };
  const kept = column.isId && !wholeId ? text.slice(0, shortId) : text;
  return { text: shortened(kept, screen.glyphs), ...(hasMore && { hasMore }) };
}

function firstLine(text: string): { text: string; hasMore: boolean } {
  const [first = '', ...others] = text.trim().split(/\s*[\r\n]\s*/, 2);
  return { text: first, hasMore: others.length > 0 };
}

/** A list of plain values is shown without brackets and quotes. */
function listed(value: JsonValue | undefined, { redact }: Screen): string {
  const isPlain = (item: JsonValue) =>
    item !== null && (typeof item !== 'object' || item instanceof JsonNumber);
  if (Array.isArray(value) && value.every(isPlain)) return redact(value.map(cellText).join(', '));
  return redact(cellText(value));
}

const shortened = (text: string, { ellipsis }: Glyphs): string =>
  visible(text.length > longestText ? text.slice(0, longestText) + ellipsis : text);
