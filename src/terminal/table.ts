// Records for a person's eyes: an aligned table, or key and value lines, cut to the terminal's width.
import Table from 'cli-table3';
import stringWidth from 'string-width';
import type { Column } from '../command.ts';
import type { JsonObject } from '../json.ts';
import { visible } from './escape.ts';
import { cellText, columnValue } from './fields.ts';
import type { Style } from './style.ts';

export interface TableOptions {
  width: number;
  style: Style;
  now: number;
}

const gap = '  ';
const narrowestColumn = 4;
const noBorders = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
  ].map((part) => [part, '']),
);

export function formatTable(
  records: readonly JsonObject[],
  columns: readonly Column[],
  options: TableOptions,
): string {
  const head = columns.map(({ header }) => header.toUpperCase());
  const rows = records.map((record) => columns.map((column) => cell(record, column, options.now)));
  const widths = head.map((title, index) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[index] ?? ''))),
  );
  return layOut(
    [head.map((title) => options.style.bold(title)), ...rows],
    shrink(widths, options.width - gap.length * (columns.length - 1)),
  );
}

/** The columns first, then whatever else the service sent. */
export function formatRecord(
  record: JsonObject,
  columns: readonly Column[],
  onlyColumns: boolean,
  options: TableOptions,
): string {
  const covered = new Set(columns.flatMap(({ paths }) => paths.map((path) => path.split('.')[0])));
  const rest = onlyColumns ? [] : Object.keys(record).filter((key) => !covered.has(key));
  const pairs = [
    ...columns.map((column): [string, string] => [column.header, cell(record, column, options.now)]),
    ...rest.map((key): [string, string] => [visible(key), visible(cellText(record[key]))]),
  ].filter(([, value]) => onlyColumns || value !== '');
  if (pairs.length === 0) return '';
  const keyWidth = Math.max(...pairs.map(([key]) => displayWidth(key)));
  const valueWidth = Math.max(...pairs.map(([, value]) => displayWidth(value)));
  return layOut(
    pairs.map(([key, value]) => [options.style.bold(key), value]),
    [keyWidth, Math.max(narrowestColumn, Math.min(valueWidth, options.width - keyWidth - gap.length))],
  );
}

function layOut(rows: string[][], widths: number[]): string {
  const table = new Table({
    chars: { ...noBorders, middle: gap },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    // An empty column would be taken for one without a width.
    colWidths: widths.map((width) => Math.max(1, width)),
  });
  table.push(...rows);
  return `${table.toString().replace(/ +$/gm, '')}\n`;
}

function cell(record: JsonObject, column: Column, now: number): string {
  const text = visible(cellText(columnValue(record, column)));
  return column.moment ? age(text, now) : text;
}

/** The widest columns give way until all fit. */
function shrink(widths: number[], available: number): number[] {
  const shrunk = [...widths];
  let excess = shrunk.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const widest = Math.max(...shrunk);
    if (widest <= narrowestColumn) break;
    shrunk[shrunk.indexOf(widest)] = widest - 1;
    excess -= 1;
  }
  return shrunk;
}

/** Measuring what is not plain ASCII loads tables that cost 16 ms. */
const displayWidth = (text: string): number => (/^[ -~]*$/.test(text) ? text.length : stringWidth(text));

const units: [string, number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
];

function age(moment: string, now: number): string {
  const time = /^\d{4}-\d\d-\d\dT/.test(moment) ? Date.parse(moment) : Number.NaN;
  const seconds = Math.floor((now - time) / 1_000);
  if (Number.isNaN(time) || seconds < 0) return moment;
  if (seconds > 30 * 86_400) return moment.slice(0, 10);
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ['s', 1];
  return `${Math.floor(seconds / size)}${unit} ago`;
}
