import type { JsonObject } from '../lib/json.ts';
import { visible } from '../lib/visible.ts';
import { type Cell, type CellForm, cellOf, type Screen } from './cell.ts';
import type { Column } from './column.ts';
import { drawRows } from './draw-table.ts';
import { formatBlocks } from './format-record.ts';
import { type Fitted, layOut } from './layout.ts';
import { createTextWidth, type TextWidth } from './text-width.ts';
import { widestClockTime } from './times.ts';

export interface TableOptions {
  userChoseColumns: boolean;
  total?: JsonObject;
}

/** Records whose columns do not fit beside each other are shown as blocks. */
export async function formatTable(
  records: readonly JsonObject[],
  columns: readonly Column[],
  screen: Screen,
  { userChoseColumns, total }: TableOptions,
): Promise<string> {
  const filled = columns
    .map((column) => fillColumn(column, records, screen, 'short'))
    .filter((each) => userChoseColumns || each.cells.some(({ text }) => text !== ''))
    .map((each) => (total === undefined ? each : withTotal(each, total, screen)));
  const textWidth = await textWidthFor(filled, screen);
  const shown = layOut(measure(filled, textWidth), screen.width);
  if (shown === undefined) return formatBlocks(records, columns, screen);
  for (const { column } of filled) {
    if (column.kind === 'longText' && !isAmong(shown, column)) screen.hint(column.hint);
  }
  return withLineBreaks(await drawTable(shown, textWidth, screen));
}

/** The first rows decide the columns and their widths. A later row takes more only for a value that is never cut. */
export function createGrowingTable(
  columns: readonly Column[],
  screen: Screen,
): (records: readonly JsonObject[]) => Promise<string> {
  let first: FittedColumn[] | undefined;

  return async (records) => {
    const filled = (first?.map(({ column }) => column) ?? columns).map((column) =>
      fillColumn(column, records, screen, 'lasting'),
    );
    const textWidth = await textWidthFor(filled, screen);
    const measured =
      first?.map((each, index) => widened(each, filled[index]?.cells ?? [], textWidth)) ??
      withRoomForMore(measure(filled, textWidth), screen.width);
    const shown = layOut(measured, screen.width);
    if (shown === undefined) return formatBlocks(records, columns, screen);
    const lines = await drawTable(shown, textWidth, screen);
    const isFirst = first === undefined;
    first ??= shown;
    return withLineBreaks(isFirst ? lines : lines.slice(1));
  };
}

const withLineBreaks = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

interface FilledColumn {
  column: Column;
  head: string;
  cells: readonly Cell[];
}

type MeasuredColumn = ReturnType<typeof measure>[number];
type FittedColumn = Fitted<MeasuredColumn>;

const fillColumn = (
  column: Column,
  records: readonly JsonObject[],
  screen: Screen,
  form: CellForm,
): FilledColumn => ({
  column,
  head: visible(column.header.toUpperCase()),
  cells: records.map((record) => cellOf(record, column, screen, form)),
});

const withTotal = (filled: FilledColumn, total: JsonObject, screen: Screen): FilledColumn => ({
  ...filled,
  cells: [...filled.cells, { ...cellOf(total, filled.column, screen, 'short'), tone: 'bold' }],
});

const textWidthFor = (filled: readonly FilledColumn[], { glyphs }: Screen): Promise<TextWidth> =>
  createTextWidth(textsOf(filled), glyphs.ellipsis);

function* textsOf(filled: readonly FilledColumn[]): Generator<string> {
  for (const { head, cells } of filled) {
    yield head;
    for (const { text } of cells) yield text;
  }
}

const measure = (filled: readonly FilledColumn[], textWidth: TextWidth) =>
  filled.map((each) => {
    const { column, cells, head } = each;
    const values = cells.filter(({ text }) => text !== '');
    const areNumbers = values.length > 0 && values.every(({ isNumber }) => isNumber);
    return {
      ...each,
      alignedRight: column.kind === 'number' || areNumbers,
      neverCut: values.length > 0 ? values.every(({ neverCut }) => neverCut) : !holdsText(column),
      droppable: column.droppable,
      wantedWidth: widest(cells, textWidth, textWidth.width(head)),
    };
  });

const holdsText = ({ kind }: Column): boolean => kind === 'text' || kind === 'longText';

const widest = (cells: readonly Cell[], { width }: TextWidth, atLeast: number): number =>
  cells.reduce((most, { text }) => Math.max(most, width(text)), atLeast);

const widened = (first: FittedColumn, cells: readonly Cell[], textWidth: TextWidth): MeasuredColumn => ({
  ...first,
  cells,
  droppable: undefined,
  wantedWidth: first.neverCut ? widest(cells, textWidth, first.width) : first.width,
});

/** Later rows may be longer, so the last column with free text gets the rest of the line. */
function withRoomForMore(measured: readonly MeasuredColumn[], width: number): MeasuredColumn[] {
  const lastText = measured.findLast(({ neverCut }) => !neverCut);
  return measured.map((each) => {
    const { kind, reservedWidth = 0 } = each.column;
    const reserved = kind === 'moment' ? widestClockTime : reservedWidth;
    return { ...each, wantedWidth: Math.max(each.wantedWidth, each === lastText ? width : reserved) };
  });
}

function drawTable(
  shown: readonly FittedColumn[],
  textWidth: TextWidth,
  { style, hint }: Screen,
): Promise<string[]> {
  const drawCell = ({ column, width }: FittedColumn, { text, tone, hasMore }: Cell) => {
    const cut = textWidth.cut(text, width);
    if (column.kind === 'longText' && (hasMore || cut !== text)) hint(column.hint);
    return tone === undefined ? cut : style[tone](cut);
  };
  const header = shown.map(({ head, width }) => style.bold(textWidth.cut(head, width)));
  const rows = (shown[0]?.cells ?? []).map((_, row) =>
    shown.map((each) => drawCell(each, each.cells[row] ?? { text: '' })),
  );
  return drawRows([header, ...rows], shown);
}

const isAmong = (shown: readonly FittedColumn[], column: Column): boolean =>
  shown.some((each) => each.column === column);
