// Formats records as a table for a terminal.
import { JsonNumber, type JsonObject, type JsonValue } from '../lib/json.ts';
import { visible } from '../lib/visible.ts';
import { describeBars, drawBars } from './chart.ts';
import type { Column } from './column.ts';
import { drawRows } from './draw-table.ts';
import { columnValue } from './fields.ts';
import { type Layout, layOut } from './layout.ts';
import { type Cell, type CellOptions, cellOf, type Screen } from './screen.ts';
import { createTextWidth, type TextWidth } from './text-width.ts';
import { clockTime, widestClockTime } from './times.ts';

export interface TableOptions {
  /** The keys of options and arguments that were given, which make some columns needless. */
  given: ReadonlySet<string>;
  /** Whether the user chose the columns, so that all of them are shown. */
  chosen: boolean;
  /** A last row with the totals. */
  total?: JsonObject;
}

export async function formatTable(
  records: readonly JsonObject[],
  columns: readonly Column[],
  screen: Screen,
  { given, chosen, total }: TableOptions,
): Promise<string> {
  const all = total ? [...records, total] : records;
  let grid = makeGrid(all, columns, screen);
  if (!chosen) grid = keepColumns(grid, (index) => isNeeded(grid, index, records.length, given));
  const textWidth = await createTextWidth(textsOf(grid), screen.glyphs.ellipsis);
  const layout = layOut(grid.columns, wantedWidths(grid, textWidth), screen.width);
  for (const [index, { firstLine }] of grid.columns.entries()) {
    if (firstLine && !layout.shown.includes(index)) screen.hint(firstLine.hint);
  }
  if (layout.missing > 0)
    screen.hint(`Columns that do not fit: ${layout.missing}. --json shows all of them.`);
  const lines = await drawGrid(grid, all, layout, textWidth, screen, total);
  return [...lines, ...captions(grid, total ?? records[0], layout, textWidth, screen)]
    .map((line) => `${line}\n`)
    .join('');
}

export interface GrowingTable {
  /** Returns the lines to write below the earlier ones. */
  append(records: readonly JsonObject[]): Promise<string>;
}

/** The first records decide which columns there are, and their widths. */
export function createGrowingTable(
  columns: readonly Column[],
  screen: Screen,
  { given }: Pick<TableOptions, 'given'>,
): GrowingTable {
  let fixed: { columns: readonly Column[]; layout: Layout; standsRight: readonly boolean[] } | undefined;
  return {
    async append(records) {
      let grid = makeGrid(records, fixed?.columns ?? columns, screen, { writeMoment: clockTime });
      const isFirst = fixed === undefined;
      if (isFirst) grid = keepColumns(grid, (index) => !isImplied(grid, index, records.length, given));
      const textWidth = await createTextWidth(textsOf(grid), screen.glyphs.ellipsis);
      fixed ??= {
        columns: grid.columns,
        layout: layOut(grid.columns, withRoomForMore(grid, textWidth, screen.width), screen.width),
        standsRight: grid.standsRight,
      };
      grid.standsRight = fixed.standsRight;
      const lines = await drawGrid(grid, records, fixed.layout, textWidth, screen);
      return (isFirst ? lines : lines.slice(1)).map((line) => `${line}\n`).join('');
    },
  };
}

interface Grid {
  columns: readonly Column[];
  heads: readonly string[];
  rows: readonly (readonly Cell[])[];
  standsRight: readonly boolean[];
}

function makeGrid(
  records: readonly JsonObject[],
  columns: readonly Column[],
  screen: Screen,
  options: CellOptions = {},
): Grid {
  const standsRight = columns.map((column) => isFigure(records, column));
  return {
    // Half a number is another number.
    columns: columns.map((column, index) => (standsRight[index] ? { ...column, neverCut: true } : column)),
    heads: columns.map(({ header }) => visible(header.toUpperCase())),
    rows: records.map((record) => columns.map((column) => cellOf(record, column, screen, options))),
    standsRight,
  };
}

/** Numbers are aligned at the right. */
function isFigure(records: readonly JsonObject[], column: Column): boolean {
  if (column.write) return true;
  const isNumber = (value: JsonValue | undefined) =>
    typeof value === 'number' || value instanceof JsonNumber || value === undefined;
  return (
    records.some((record) => columnValue(record, column) !== undefined) &&
    records.every((record) => isNumber(columnValue(record, column)))
  );
}

function keepColumns(grid: Grid, keeps: (index: number) => boolean): Grid {
  const kept = grid.columns.map((_, index) => index).filter(keeps);
  const pick = <T>(list: readonly T[]) => kept.map((index) => list[index] as T);
  return {
    columns: pick(grid.columns),
    heads: pick(grid.heads),
    rows: grid.rows.map(pick),
    standsRight: pick(grid.standsRight),
  };
}

const isNeeded = (grid: Grid, index: number, count: number, given: ReadonlySet<string>): boolean =>
  grid.rows.slice(0, count).some((row) => row[index]?.text !== '') && !isImplied(grid, index, count, given);

/** Whether the command line named the column's value, and every row has the same value. */
function isImplied(
  { columns, rows }: Grid,
  index: number,
  count: number,
  given: ReadonlySet<string>,
): boolean {
  const { impliedBy } = columns[index] ?? {};
  if (impliedBy === undefined || !given.has(impliedBy)) return false;
  return rows.slice(0, count).every((row) => row[index]?.text === rows[0]?.[index]?.text);
}

function* textsOf({ heads, rows }: Grid): Generator<string> {
  yield* heads;
  for (const row of rows) for (const { text } of row) yield text;
}

const wantedWidths = ({ columns, heads, rows }: Grid, textWidth: TextWidth): number[] =>
  columns.map((_, index) =>
    rows.reduce(
      (widest, row) => Math.max(widest, textWidth.width(row[index]?.text ?? '')),
      textWidth.width(heads[index] ?? ''),
    ),
  );

/** Leaves room for later rows: for any time, for values of the usual width, and the rest for the last column that can be cut. */
function withRoomForMore(grid: Grid, textWidth: TextWidth, width: number): number[] {
  const longest = grid.columns.findLastIndex(({ firstLine, neverCut }) => firstLine ?? !neverCut);
  return wantedWidths(grid, textWidth).map((wanted, index) => {
    if (index === longest) return Math.max(wanted, width);
    const { moment, usualWidth = 0 } = grid.columns[index] ?? {};
    return Math.max(wanted, moment ? widestClockTime : usualWidth);
  });
}

/** The header, then a line for each row. */
async function drawGrid(
  grid: Grid,
  records: readonly JsonObject[],
  { shown, widths }: Layout,
  textWidth: TextWidth,
  screen: Screen,
  total?: JsonObject,
): Promise<string[]> {
  const { style, glyphs, hint } = screen;
  const heads = shown.map((index, place) =>
    style.bold(textWidth.cut(grid.heads[index] ?? '', widths[place] ?? 0)),
  );
  const rows = grid.rows.map((row, at) =>
    shown.map((index, place) => {
      const width = widths[place] ?? 0;
      const column = grid.columns[index];
      const { text, tone, hasMore } = row[index] ?? { text: '' };
      if (column?.chart) {
        return drawBars(columnValue(records[at] as JsonObject, column), width, style, glyphs);
      }
      const cut = textWidth.cut(text, width);
      if (column?.firstLine && (hasMore || cut !== text)) hint(column.firstLine.hint);
      if (total && records[at] === total) return style.bold(cut);
      return tone === undefined ? cut : style[tone](cut);
    }),
  );
  return drawRows(
    [heads, ...rows],
    widths,
    shown.map((index) => grid.standsRight[index] ?? false),
  );
}

/** A caption below a table with bars: the period that the bars cover. */
function captions(
  { columns }: Grid,
  record: JsonObject | undefined,
  { shown, widths }: Layout,
  textWidth: TextWidth,
  { now, glyphs, style, width }: Screen,
): string[] {
  return columns.flatMap((column, index) => {
    if (!column.chart || record === undefined) return [];
    const buckets = columnValue(record, column);
    const { since } = column.chart;
    const said = describeBars(buckets, widths[shown.indexOf(index)] ?? 0, { since, now, glyphs });
    return said === undefined ? [] : ['', style.dim(textWidth.cut(said, width))];
  });
}
