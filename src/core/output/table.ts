import type { Hints } from '../lib/hint.ts';
import type { JsonObject } from '../lib/json.ts';
import { longestValName } from '../lib/vals.ts';
import { visible } from '../lib/visible.ts';
import { type Cell, cellOf } from './cell.ts';
import type { Column } from './column.ts';
import { formatBlocks } from './format-record.ts';
import { gap, layOut, type Sized } from './layout.ts';
import type { Screen } from './screen.ts';
import { createTextWidth, type TextWidth } from './text-width.ts';

export interface TableOptions {
  /** Columns without a value are shown, too. */
  userChoseColumns?: boolean;
  /** The last row. */
  total?: JsonObject | undefined;
}

export interface DrawnTable {
  text: string;
  /** How to see what was cut or left out. */
  hints: readonly Hints[];
}

/** Records whose columns do not fit beside each other are shown as blocks. */
export async function formatTable(
  records: readonly JsonObject[],
  columns: readonly Column[],
  screen: Screen,
  { userChoseColumns = false, total }: TableOptions = {},
): Promise<DrawnTable> {
  const rows = total === undefined ? records : [...records, total];
  const { filled, textWidth } = await fillColumns(columns, rows, screen);
  const used = filled.filter(({ cells }) => userChoseColumns || cells.some(({ text }) => text !== ''));
  const shown = layOut(withoutIds(used, screen.width), screen.width);
  if (shown === undefined) return { text: await formatBlocks(records, columns, screen), hints: [] };
  const leftOut = used.filter(({ column }) => !shown.some((each) => each.column === column));
  const boldRow = total === undefined ? undefined : records.length;
  const { lines, hints } = await drawTable(shown, textWidth, screen, boldRow);
  return { text: linesOf(lines), hints: [...leftOut.flatMap(hintOf), ...hints] };
}

/** An id says nothing to a person, so it is left out before a long text, such as an error, is cut. */
function withoutIds(columns: readonly FilledColumn[], width: number): readonly FilledColumn[] {
  const wanted = columns.reduce((sum, each) => sum + each.width, gap.length * (columns.length - 1));
  const isTextCut = wanted > width && columns.some(({ column }) => column.kind === 'longText');
  return isTextCut ? columns.filter(({ column }) => column.kind !== 'id') : columns;
}

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

interface FilledColumn extends Sized {
  column: Column;
  head: string;
  cells: readonly Cell[];
  alignedRight: boolean;
}

/** Of a long text, such as an error, its beginning says much. A name is of use only whole. */
const readableText = 20;

async function fillColumns(
  columns: readonly Column[],
  records: readonly JsonObject[],
  screen: Screen,
): Promise<{ filled: FilledColumn[]; textWidth: TextWidth }> {
  const withCells = columns.map((column) => ({
    column,
    head: visible(column.header.toUpperCase()),
    cells: records.map((record) => cellOf(record, column, screen, 'short')),
  }));
  const texts = withCells.flatMap(({ head, cells }) => [head, ...cells.map(({ text }) => text)]);
  const textWidth = await createTextWidth(texts, screen.glyphs.ellipsis);
  const filled = withCells.map(({ column, head, cells }) => {
    const values = cells.filter(({ text }) => text !== '');
    const areNumbers = values.length > 0 && values.every(({ isNumber }) => isNumber);
    const holdsText = column.kind === 'text' || column.kind === 'longText';
    return {
      ...{ column, head, cells },
      alignedRight: areNumbers,
      neverCut: values.length > 0 ? values.every(({ neverCut }) => neverCut) : !holdsText,
      droppable: column.droppable,
      readableWidth: column.kind === 'longText' ? readableText : longestValName,
      width: values.reduce((most, { text }) => Math.max(most, textWidth.width(text)), textWidth.width(head)),
    };
  });
  return { filled, textWidth };
}

const hintOf = ({ column }: FilledColumn): Hints[] => (column.kind === 'longText' ? [column.hint] : []);

async function drawTable(
  shown: readonly FilledColumn[],
  textWidth: TextWidth,
  screen: Screen,
  boldRow?: number,
): Promise<{ lines: string[]; hints: Hints[] }> {
  const style = await screen.style();
  const cut = new Set<FilledColumn>();
  const header = shown.map(({ head, width }) => style.bold(textWidth.cut(head, width)));
  const rows = (shown[0]?.cells ?? []).map((_, row) =>
    shown.map((column) => {
      const { text = '', tone, hasMore } = column.cells[row] ?? {};
      const fitting = textWidth.cut(text, column.width);
      if (hasMore || fitting !== text) cut.add(column);
      const shownTone = row === boldRow ? 'bold' : tone;
      return shownTone === undefined ? fitting : style[shownTone](fitting);
    }),
  );
  return { lines: await drawRows([header, ...rows], shown), hints: [...cut].flatMap(hintOf) };
}

/**
 * cli-table3 compares each cell with all rows before the cell, so one long table would take much longer than many
 * short tables.
 */
const rowsPerTable = 8;

const none = '';
const borders = {
  ...{ top: none, 'top-mid': none, 'top-left': none, 'top-right': none },
  ...{ bottom: none, 'bottom-mid': none, 'bottom-left': none, 'bottom-right': none },
  ...{ left: none, 'left-mid': none, mid: none, 'mid-mid': none, right: none, 'right-mid': none },
};

async function drawRows(
  rows: readonly (readonly string[])[],
  columns: readonly FilledColumn[],
): Promise<string[]> {
  const { default: Table } = await import('cli-table3');
  const lines: string[] = [];
  for (let from = 0; from < rows.length; from += rowsPerTable) {
    const table = new Table({
      chars: { ...borders, middle: gap },
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
      colWidths: columns.map(({ width }) => width),
      colAligns: columns.map(({ alignedRight }) => (alignedRight ? 'right' : 'left')),
    });
    for (const row of rows.slice(from, from + rowsPerTable)) table.push([...row]);
    for (const line of table.toString().split('\n')) lines.push(line.trimEnd());
  }
  return lines;
}
