import type { JsonObject, JsonValue } from '../lib/json.ts';
import { visible } from '../lib/visible.ts';
import { describeBars, drawBars } from './chart.ts';
import { type Column, columnValue, isNeverCut } from './column.ts';
import { drawRows } from './draw-table.ts';
import { type Fitted, type Layout, layOut } from './layout.ts';
import { type Cell, type CellOptions, cellOf, type Screen } from './screen.ts';
import { createTextWidth, type TextWidth } from './text-width.ts';
import { clockTime, widestClockTime } from './times.ts';

export interface TableOptions {
  givenKeys: ReadonlySet<string>;
  userChoseColumns: boolean;
  total?: JsonObject;
}

export async function formatTable(
  records: readonly JsonObject[],
  columns: readonly Column[],
  screen: Screen,
  { givenKeys, userChoseColumns, total }: TableOptions,
): Promise<string> {
  const all = total ? [...records, total] : records;
  const isNeeded = ({ column, cells }: FilledColumn) => {
    const withoutTotal = cells.slice(0, records.length);
    return withoutTotal.some(({ text }) => text !== '') && !isImplied(column, withoutTotal, givenKeys);
  };
  const filled = fillColumns(all, columns, screen).filter((column) => userChoseColumns || isNeeded(column));
  const textWidth = await textWidthFor(filled, screen);
  const layout = layOut(measure(filled, textWidth), screen.width);
  hintAtHiddenColumns(filled, layout, screen);
  const lines = await drawTable(layout.shown, all, textWidth, screen, total);
  return withLineBreaks([...lines, ...captions(filled, total ?? records[0], layout, textWidth, screen)]);
}

function hintAtHiddenColumns(
  filled: readonly FilledColumn[],
  { shown, leftOut }: Layout<MeasuredColumn>,
  { hint }: Screen,
): void {
  for (const { column } of filled) {
    if (column.kind === 'longText' && fittedWidth(column, shown) === undefined) hint(column.hint);
  }
  if (leftOut === 0) return;
  const columnCount = leftOut === 1 ? '1 column' : `${leftOut} columns`;
  hint([
    `The terminal is too narrow for ${columnCount}.`,
    { text: 'To see every column', input: { json: true } },
  ]);
}

/** The first rows decide the columns and their widths. Later rows use the same columns. */
export function createGrowingTable(
  columns: readonly Column[],
  screen: Screen,
  { givenKeys }: Pick<TableOptions, 'givenKeys'>,
): (records: readonly JsonObject[]) => Promise<string> {
  const options = { writeMoment: clockTime };
  let shown: readonly FittedColumn[] | undefined;

  async function begin(records: readonly JsonObject[]): Promise<string[]> {
    const isNeeded = ({ column, cells }: FilledColumn) => !isImplied(column, cells, givenKeys);
    const filled = fillColumns(records, columns, screen, options).filter(isNeeded);
    const textWidth = await textWidthFor(filled, screen);
    const measured = withRoomForMore(measure(filled, textWidth), screen.width);
    ({ shown } = layOut(measured, screen.width));
    return drawTable(shown, records, textWidth, screen);
  }

  async function addRows(
    records: readonly JsonObject[],
    firstColumns: readonly FittedColumn[],
  ): Promise<string[]> {
    const filled = firstColumns.map((first) => ({
      ...first,
      cells: records.map((record) => cellOf(record, first.column, screen, options)),
    }));
    const textWidth = await textWidthFor(filled, screen);
    const [_header, ...rows] = await drawTable(filled, records, textWidth, screen);
    return rows;
  }

  return async (records) => withLineBreaks(shown ? await addRows(records, shown) : await begin(records));
}

const withLineBreaks = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

interface FilledColumn {
  column: Column;
  head: string;
  cells: readonly Cell[];
  alignedRight: boolean;
}

type MeasuredColumn = FilledColumn & { wantedWidth: number };
type FittedColumn = Fitted<MeasuredColumn>;

const fittedWidth = (column: Column, shown: readonly FittedColumn[]): number | undefined =>
  shown.find((each) => each.column === column)?.width;

function fillColumns(
  records: readonly JsonObject[],
  columns: readonly Column[],
  screen: Screen,
  options?: CellOptions,
): FilledColumn[] {
  return columns.map((column) => {
    const alignedRight = isFigure(records, column);
    return {
      // A number that is cut looks like another number.
      column: alignedRight && column.kind === 'text' ? { ...column, neverCut: true } : column,
      head: visible(column.header.toUpperCase()),
      cells: records.map((record) => cellOf(record, column, screen, options)),
      alignedRight,
    };
  });
}

function isFigure(records: readonly JsonObject[], column: Column): boolean {
  if (column.kind === 'number') return true;
  const values = records.map((record) => columnValue(record, column)).filter((value) => value !== undefined);
  const isNumber = (value: JsonValue) => typeof value === 'number';
  return values.length > 0 && values.every(isNumber);
}

const isImplied = (
  { impliedBy = [] }: Column,
  cells: readonly Cell[],
  givenKeys: ReadonlySet<string>,
): boolean =>
  impliedBy.some((key) => givenKeys.has(key)) && cells.every(({ text }) => text === cells[0]?.text);

const textWidthFor = (filled: readonly FilledColumn[], { glyphs }: Screen): Promise<TextWidth> =>
  createTextWidth(textsOf(filled), glyphs.ellipsis);

function* textsOf(filled: readonly FilledColumn[]): Generator<string> {
  for (const { head, cells } of filled) {
    yield head;
    for (const { text } of cells) yield text;
  }
}

const measure = (filled: readonly FilledColumn[], { width }: TextWidth): MeasuredColumn[] =>
  filled.map((each) => ({
    ...each,
    wantedWidth: each.cells.reduce((widest, { text }) => Math.max(widest, width(text)), width(each.head)),
  }));

/** Later rows may be longer, so the last column with free text gets the rest of the line. */
function withRoomForMore(measured: readonly MeasuredColumn[], width: number): MeasuredColumn[] {
  const lastText = measured.findLast(({ column }) => !isNeverCut(column));
  return measured.map((each) => {
    const { kind, reservedWidth = 0 } = each.column;
    const reserved = kind === 'moment' ? widestClockTime : reservedWidth;
    return { ...each, wantedWidth: Math.max(each.wantedWidth, each === lastText ? width : reserved) };
  });
}

function drawTable(
  shown: readonly FittedColumn[],
  records: readonly JsonObject[],
  textWidth: TextWidth,
  { style, glyphs, hint }: Screen,
  total?: JsonObject,
): Promise<string[]> {
  const drawCell = ({ column, cells, width }: FittedColumn, record: JsonObject, row: number) => {
    if (column.kind === 'chart') return drawBars(columnValue(record, column), { width, style, glyphs });
    const { text, tone, hasMore }: Cell = cells[row] ?? { text: '' };
    const cut = textWidth.cut(text, width);
    if (column.kind === 'longText' && (hasMore || cut !== text)) hint(column.hint);
    if (record === total) return style.bold(cut);
    return tone === undefined ? cut : style[tone](cut);
  };
  const header = shown.map(({ head, width }) => style.bold(textWidth.cut(head, width)));
  const rows = records.map((record, row) => shown.map((column) => drawCell(column, record, row)));
  return drawRows([header, ...rows], shown);
}

function captions(
  filled: readonly FilledColumn[],
  record: JsonObject | undefined,
  { shown }: Layout<MeasuredColumn>,
  textWidth: TextWidth,
  { now, glyphs, style, width }: Screen,
): string[] {
  return filled.flatMap(({ column }) => {
    if (column.kind !== 'chart' || record === undefined) return [];
    const buckets = columnValue(record, column);
    const { since } = column;
    const caption = describeBars(buckets, fittedWidth(column, shown) ?? 0, { since, now, glyphs });
    return caption === undefined ? [] : ['', style.dim(textWidth.cut(caption, width))];
  });
}
