// Records for a person's eyes: an aligned table, or key and value lines, cut to the terminal's width.
import type { Column } from '../command.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { visible } from './escape.ts';
import { cellText, columnValue } from './fields.ts';
import { linked } from './link.ts';
import { createRuler, type Ruler } from './ruler.ts';
import type { Style } from './style.ts';

export interface TableOptions {
  width: number;
  style: Style;
  now: number;
  /** Whether addresses become links. */
  links: boolean;
  redact(text: string): string;
}

const gap = '  ';
const narrowestColumn = 4;

export async function formatTable(
  records: readonly JsonObject[],
  columns: readonly Column[],
  options: TableOptions,
): Promise<string> {
  const head = columns.map(({ header }) => visible(header.toUpperCase()));
  const rows = records.map((record) => columns.map((column) => cell(record, column, options)));
  const ruler = await createRuler([head, ...rows].flat());
  const widths = head.map((title, index) =>
    rows.reduce((widest, row) => Math.max(widest, ruler.width(row[index] ?? '')), ruler.width(title)),
  );
  const fitting = shrink(widths, columns, options.width - gap.length * (columns.length - 1));
  const [headLine = ''] = layOut([head], fitting, options.width, ruler);
  const lines = layOut(rows, fitting, options.width, ruler, (row, index) => {
    const tone = toneOf(records[row] ?? {}, columns[index]);
    return tone === undefined ? (text) => text : options.style[tone];
  });
  return [options.style.bold(headLine), ...lines].map((line) => `${line}\n`).join('');
}

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
      whole: column.whole,
    })),
    ...rest.map((key) => ({ key: visible(key), value: screenText(record[key], options), whole: false })),
  ].filter(({ value }) => onlyColumns || value !== '');
  const ruler = await createRuler(pairs.flatMap(({ key, value }) => [key, value]));
  const widestKey = Math.max(0, ...pairs.map(({ key }) => ruler.width(key)));
  const keyWidth = Math.min(widestKey, Math.floor(options.width / 2));
  return pairs
    .map(({ key, value, whole }) => {
      const room = Math.max(narrowestColumn, options.width - keyWidth - gap.length);
      const cut = whole ? value : ruler.cut(value, room);
      const shown = options.links ? linked(cut, value) : cut;
      return `${options.style.bold(ruler.fit(key, keyWidth))}${gap}${shown}\n`;
    })
    .join('');
}

function layOut(
  rows: readonly string[][],
  widths: number[],
  width: number,
  ruler: Ruler,
  paint: (row: number, column: number) => (text: string) => string = () => (text) => text,
): string[] {
  return rows.map((row, rowIndex) => {
    const cells = row.map((text, index) => ruler.fit(text, widths[index] ?? 0));
    const line = cells.join(gap).trimEnd();
    // More columns than the terminal has room for, even at their narrowest.
    if (ruler.width(line) > width) return ruler.cut(line, width);
    return cells
      .map((text, index) => paint(rowIndex, index)(text))
      .join(gap)
      .trimEnd();
  });
}

function cell(record: JsonObject, column: Column, options: TableOptions): string {
  const text = screenText(columnValue(record, column), options);
  if (column.look) return visible(column.look(text).text);
  return column.moment ? age(text, options.now) : text;
}

const toneOf = (record: JsonObject, column: Column | undefined): keyof Style | undefined =>
  column?.look?.(cellText(columnValue(record, column))).tone;

/** No line is this long, and measuring the whole of a long text takes minutes. */
const longestText = 2_000;

function screenText(value: JsonValue | undefined, { redact }: TableOptions): string {
  const text = redact(cellText(value));
  return visible(text.length > longestText ? `${text.slice(0, longestText)}…` : text);
}

/** The widest columns give way until all fit; those that are useless when cut, last. */
function shrink(widths: number[], columns: readonly Column[], available: number): number[] {
  const shrunk = [...widths];
  let excess = shrunk.reduce((sum, width) => sum + width, 0) - available;
  for (const isLast of [false, true]) {
    const candidates = [...shrunk.keys()].filter((index) => isLast || !columns[index]?.whole);
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
