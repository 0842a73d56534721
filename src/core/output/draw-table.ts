import { gap } from './layout.ts';

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

export async function drawRows(
  rows: readonly (readonly string[])[],
  columns: readonly { width: number; alignedRight: boolean }[],
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
