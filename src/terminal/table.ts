// Records for a person's eyes: an aligned table, or key and value lines, cut to the terminal's width.

import type { JsonObject, JsonValue } from '../lib/json.ts';
import { drawBars } from './chart.ts';
import type { Column } from './column.ts';
import { visible } from './escape.ts';
import { cellText, columnText, columnValue } from './fields.ts';
import { linked } from './link.ts';
import type { Style } from './style.ts';
import { createTextWidth, type TextWidth } from './text-width.ts';

export interface TableOptions {
  width: number;
  style: Style;
  now: number;
  /** Whether addresses become links. */
  links: boolean;
  /** How a moment is written; as its age where absent. */
  writeMoment?(moment: string, now: number): string;
  redact(text: string): string;
}

const gap = '  ';
const narrowestColumn = 4;
const comfortableText = 24;

export async function formatTable(
  records: readonly JsonObject[],
  columns: readonly Column[],
  options: TableOptions,
): Promise<string> {
  const head = headOf(columns);
  const rows = records.map((record) => columns.map((column) => cell(record, column, options)));
  const ruler = await createTextWidth([head, ...rows].flat());
  const wanted = widthsOf([head, ...rows], ruler);
  const room = roomFor(columns, options);
  const missed = columns.findLast(({ droppable }) => droppable);
  if (missed && sum(wanted) > room) {
    const others = columns.filter((column) => column !== missed);
    return formatTable(records, others, options);
  }
  const widths = shrink(wanted, columns, room);
  const paint: Painting = (text, row, index) => {
    const [column, record] = [columns[index], records[row]];
    if (!column || !record) return text;
    if (column.chart) return drawBars(columnValue(record, column), widths[index] ?? 0, options.style);
    const tone = toneOf(record, column);
    return tone === undefined ? text : options.style[tone](text);
  };
  const [headLine = ''] = layOut([head], widths, options.width, ruler);
  const lines = layOut(rows, widths, options.width, ruler, paint);
  return [options.style.bold(headLine), ...lines].map((line) => `${line}\n`).join('');
}

export interface GrowingTable {
  /** What is to be written below what was written before. */
  append(records: readonly JsonObject[]): Promise<string>;
}

/** Its first records settle how wide the columns are. */
export function createGrowingTable(columns: readonly Column[], options: TableOptions): GrowingTable {
  // Half a time of day tells nothing.
  const firm = columns.map((column) => ({ ...column, neverCut: column.neverCut || column.moment }));
  let widths: number[] | undefined;
  return {
    async append(records) {
      const rows = records.map((record) =>
        columns.map((column) => cell(record, column, { ...options, writeMoment: timeOfDay })),
      );
      const isFirst = widths === undefined;
      const lines = isFirst ? [headOf(columns), ...rows] : rows;
      const ruler = await createTextWidth(lines.flat());
      widths ??= withRoomForMore(widthsOf(lines, ruler), firm, roomFor(columns, options));
      return layOut(lines, widths, options.width, ruler)
        .map((line, index) => `${isFirst && index === 0 ? options.style.bold(line) : line}\n`)
        .join('');
    },
  };
}

const headOf = (columns: readonly Column[]): string[] =>
  columns.map(({ header }) => visible(header.toUpperCase()));

const roomFor = (columns: readonly Column[], { width }: TableOptions): number =>
  width - gap.length * (columns.length - 1);

const widthsOf = (rows: readonly string[][], ruler: TextWidth): number[] =>
  (rows[0] ?? []).map((_, index) =>
    rows.reduce((widest, row) => Math.max(widest, ruler.width(row[index] ?? '')), 0),
  );

/** The columns first, then whatever else the service sent. */
export async function formatRecord(
  record: JsonObject,
  columns: readonly Column[],
  onlyColumns: boolean,
  options: TableOptions,
): Promise<string> {
  const covered = new Set(columns.flatMap(({ paths }) => paths.map((path) => path.split('.')[0])));
  const rest = onlyColumns ? [] : Object.keys(record).filter((key) => !covered.has(key));
  const pairs = [
    ...columns.map((column) => ({
      key: visible(column.header),
      value: cell(record, column, options),
      neverCut: column.neverCut,
    })),
    ...rest.map((key) => ({ key: visible(key), value: screenText(record[key], options), neverCut: false })),
  ].filter(({ value }) => onlyColumns || value !== '');
  const ruler = await createTextWidth(pairs.flatMap(({ key, value }) => [key, value]));
  const widestKey = Math.max(0, ...pairs.map(({ key }) => ruler.width(key)));
  const keyWidth = Math.min(widestKey, Math.floor(options.width / 2));
  return pairs
    .map(({ key, value, neverCut }) => {
      const room = Math.max(narrowestColumn, options.width - keyWidth - gap.length);
      const cut = neverCut ? value : ruler.cut(value, room);
      const shown = options.links ? linked(cut, value) : cut;
      return `${options.style.bold(ruler.fit(key, keyWidth))}${gap}${shown}\n`;
    })
    .join('');
}

/** A cell as it is shown: no wider than its text, which fills its column, unless the column is the last. */
type Painting = (text: string, row: number, column: number) => string;

function layOut(
  rows: readonly string[][],
  widths: number[],
  width: number,
  ruler: TextWidth,
  paint: Painting = (text) => text,
): string[] {
  return rows.map((row, at) => {
    const cells = row.map((text, index) => ruler.fit(text, widths[index] ?? 0));
    const line = cells.join(gap).trimEnd();
    // More columns than the terminal has room for, even at their narrowest.
    if (ruler.width(line) > width) return ruler.cut(line, width);
    return cells
      .map((text, index) => paint(text, at, index))
      .join(gap)
      .trimEnd();
  });
}

function cell(record: JsonObject, column: Column, options: TableOptions): string {
  const value = columnValue(record, column);
  if (column.chart) return columnText(record, column);
  if (column.write && typeof value === 'number') return column.write(value);
  const text = screenText(value, options);
  if (column.present) return visible(column.present(text, record).text);
  return column.moment ? (options.writeMoment ?? age)(text, options.now) : text;
}

const toneOf = (record: JsonObject, column: Column | undefined): keyof Style | undefined =>
  column?.present?.(cellText(columnValue(record, column)), record).tone;

/** No line is this long, and measuring the whole of a long text takes minutes. */
const longestText = 2_000;

function screenText(value: JsonValue | undefined, { redact }: TableOptions): string {
  const text = redact(cellText(value));
  return visible(text.length > longestText ? `${text.slice(0, longestText)}…` : text);
}

const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0);

/** The widest columns give way until all fit; those that are useless when cut, last. */
function shrink(widths: number[], columns: readonly Column[], available: number): number[] {
  const shrunk = [...widths];
  let excess = sum(shrunk) - available;
  for (const isLast of [false, true]) {
    const candidates = [...shrunk.keys()].filter((index) => isLast || !columns[index]?.neverCut);
    while (excess > 0 && candidates.length > 0) {
      const widest = candidates.reduce((a, b) => ((shrunk[b] ?? 0) > (shrunk[a] ?? 0) ? b : a));
      const width = shrunk[widest] ?? 0;
      if (width <= narrowestColumn) break;
      shrunk[widest] = width - 1;
      excess -= 1;
    }
  }
  return shrunk;
}

/** For the texts to come, of any length, in the last column that can be cut: some room, and all that is left. */
function withRoomForMore(widths: number[], columns: readonly Column[], available: number): number[] {
  const last = columns.findLastIndex(({ neverCut }) => !neverCut);
  const left = available - sum(widths);
  const widened = widths.map((width, index) =>
    index === last ? Math.max(width, width + left, comfortableText) : width,
  );
  return shrink(widened, columns, available);
}

const units: [string, number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
];

const timeOf = (moment: string): number =>
  /^\d{4}-\d\d-\d\dT/.test(moment) ? Date.parse(moment) : Number.NaN;

/** For lines that stay, where an age would soon be wrong: the time here, or the day of what is older. */
function timeOfDay(moment: string, now: number): string {
  const time = timeOf(moment);
  if (Number.isNaN(time)) return moment;
  return now - time < 86_400_000 ? new Date(time).toTimeString().slice(0, 8) : moment.slice(0, 10);
}

function age(moment: string, now: number): string {
  const time = timeOf(moment);
  const seconds = Math.floor((now - time) / 1_000);
  if (Number.isNaN(time) || seconds < 0) return moment;
  if (seconds > 30 * 86_400) return moment.slice(0, 10);
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ['s', 1];
  return `${Math.floor(seconds / size)}${unit} ago`;
}
