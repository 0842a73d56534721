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
  givenOptions: ReadonlySet<string>;
  userChoseColumns: boolean;
  total?: JsonObject;
}

export async function formatTable(
  records: readonly JsonObject[],
  columns: readonly Column[],
  screen: Screen,
  { givenOptions, userChoseColumns, total }: TableOptions,
): Promise<string> {
  const all = total ? [...records, total] : records;
  const isNeeded = ({ column, cells }: FilledColumn) => {
    const withoutTotal = cells.slice(0, records.length);
    return withoutTotal.some(({ text }) => text !== '') && !isImplied(column, withoutTotal, givenOptions);
  };
  const filled = fillColumns(all, columns, screen).filter((column) => userChoseColumns || isNeeded(column));
  const textWidth = await textWidthFor(filled, screen);
  const layout = layOut(columnsOf(filled), wantedWidths(filled, textWidth), screen.width);
  hintAtHiddenColumns(columnsOf(filled), layout, screen);
  const lines = await drawTable(filled, all, layout, textWidth, screen, total);
  return withLineBreaks([...lines, ...captions(filled, total ?? records[0], layout, textWidth, screen)]);
}

function hintAtHiddenColumns(columns: readonly Column[], { shown, missing }: Layout, { hint }: Screen): void {
  for (const [index, { firstLine }] of columns.entries()) {
    if (firstLine && !shown.includes(index)) hint(firstLine.hint);
  }
  if (missing === 0) return;
  const columnCount = missing === 1 ? '1 column' : `${missing} columns`;
  hint(`The terminal is too narrow for ${columnCount}. Add --json to see every column.`);
}

export interface GrowingTable {
  append(records: readonly JsonObject[]): Promise<string>;
}

/** The first records decide which columns are shown, and how wide they are. */
export function createGrowingTable(
  columns: readonly Column[],
  screen: Screen,
  { givenOptions }: Pick<TableOptions, 'givenOptions'>,
): GrowingTable {
  const fill = (records: readonly JsonObject[], wanted: readonly Column[]) =>
    fillColumns(records, wanted, screen, { writeMoment: clockTime });
  let first: { columns: readonly FilledColumn[]; layout: Layout } | undefined;

  async function begin(records: readonly JsonObject[]): Promise<string[]> {
    const isNeeded = ({ column, cells }: FilledColumn) => !isImplied(column, cells, givenOptions);
    const filled = fill(records, columns).filter(isNeeded);
    const textWidth = await textWidthFor(filled, screen);
    const widths = withRoomForMore(filled, textWidth, screen.width);
    const layout = layOut(columnsOf(filled), widths, screen.width);
    first = { columns: filled, layout };
    return drawTable(filled, records, layout, textWidth, screen);
  }

  async function addRows(
    records: readonly JsonObject[],
    { columns: firstColumns, layout }: NonNullable<typeof first>,
  ): Promise<string[]> {
    const filled = fill(records, columnsOf(firstColumns)).map((each, index) => ({
      ...each,
      alignedRight: firstColumns[index]?.alignedRight ?? false,
    }));
    const textWidth = await textWidthFor(filled, screen);
    const [_header, ...rows] = await drawTable(filled, records, layout, textWidth, screen);
    return rows;
  }

  return {
    async append(records) {
      const lines = first ? await addRows(records, first) : await begin(records);
      return withLineBreaks(lines);
    },
  };
}

const withLineBreaks = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

interface FilledColumn {
  column: Column;
  head: string;
  cells: readonly Cell[];
  alignedRight: boolean;
}

const columnsOf = (filled: readonly FilledColumn[]): Column[] => filled.map(({ column }) => column);

function fillColumns(
  records: readonly JsonObject[],
  columns: readonly Column[],
  screen: Screen,
  options: CellOptions = {},
): FilledColumn[] {
  return columns.map((column) => {
    const alignedRight = isFigure(records, column);
    return {
      // A number that is cut looks like another number.
      column: alignedRight ? { ...column, neverCut: true } : column,
      head: visible(column.header.toUpperCase()),
      cells: records.map((record) => cellOf(record, column, screen, options)),
      alignedRight,
    };
  });
}

function isFigure(records: readonly JsonObject[], column: Column): boolean {
  if (column.formatNumber) return true;
  const values = records.map((record) => columnValue(record, column)).filter((value) => value !== undefined);
  const isNumber = (value: JsonValue) => typeof value === 'number' || value instanceof JsonNumber;
  return values.length > 0 && values.every(isNumber);
}

const isImplied = (
  { impliedBy }: Column,
  cells: readonly Cell[],
  givenOptions: ReadonlySet<string>,
): boolean =>
  impliedBy !== undefined &&
  givenOptions.has(impliedBy) &&
  cells.every(({ text }) => text === cells[0]?.text);

const textWidthFor = (filled: readonly FilledColumn[], { glyphs }: Screen): Promise<TextWidth> =>
  createTextWidth(textsOf(filled), glyphs.ellipsis);

function* textsOf(filled: readonly FilledColumn[]): Generator<string> {
  for (const { head, cells } of filled) {
    yield head;
    for (const { text } of cells) yield text;
  }
}

const wantedWidths = (filled: readonly FilledColumn[], { width }: TextWidth): number[] =>
  filled.map(({ head, cells }) =>
    cells.reduce((widest, { text }) => Math.max(widest, width(text)), width(head)),
  );

function withRoomForMore(filled: readonly FilledColumn[], textWidth: TextWidth, width: number): number[] {
  const longest = filled.findLastIndex(({ column: { firstLine, neverCut } }) => firstLine ?? !neverCut);
  return wantedWidths(filled, textWidth).map((wanted, index) => {
    if (index === longest) return Math.max(wanted, width);
    const { moment, reservedWidth = 0 } = filled[index]?.column ?? {};
    return Math.max(wanted, moment ? widestClockTime : reservedWidth);
  });
}

function drawTable(
  filled: readonly FilledColumn[],
  records: readonly JsonObject[],
  { shown, widths }: Layout,
  textWidth: TextWidth,
  screen: Screen,
  total?: JsonObject,
): Promise<string[]> {
  const { style, glyphs, hint } = screen;
  const visibleColumns = shown.flatMap((index) => filled[index] ?? []);
  const drawn = visibleColumns.map(({ column, head, cells }, place) => {
    const width = widths[place] ?? 0;
    const drawCell = ({ text, tone, hasMore }: Cell, record: JsonObject) => {
      if (column.chart) return drawBars(columnValue(record, column), width, style, glyphs);
      const cut = textWidth.cut(text, width);
      if (column.firstLine && (hasMore || cut !== text)) hint(column.firstLine.hint);
      if (record === total) return style.bold(cut);
      return tone === undefined ? cut : style[tone](cut);
    };
    return [
      style.bold(textWidth.cut(head, width)),
      ...records.map((record, row) => drawCell(cells[row] ?? { text: '' }, record)),
    ];
  });
  const rowCount = 1 + records.length;
  const rows = Array.from({ length: rowCount }, (_, row) => drawn.map((column) => column[row] ?? ''));
  return drawRows(
    rows,
    widths,
    visibleColumns.map(({ alignedRight }) => alignedRight),
  );
}

function captions(
  filled: readonly FilledColumn[],
  record: JsonObject | undefined,
  { shown, widths }: Layout,
  textWidth: TextWidth,
  { now, glyphs, style, width }: Screen,
): string[] {
  return columnsOf(filled).flatMap((column, index) => {
    if (!column.chart || record === undefined) return [];
    const buckets = columnValue(record, column);
    const { since } = column.chart;
    const caption = describeBars(buckets, widths[shown.indexOf(index)] ?? 0, { since, now, glyphs });
    return caption === undefined ? [] : ['', style.dim(textWidth.cut(caption, width))];
  });
}
