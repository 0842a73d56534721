import { isObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { visible } from '../lib/visible.ts';
import { type Cell, cellOf, firstLine } from './cell.ts';
import { type Column, column, moment } from './column.ts';
import { gap } from './layout.ts';
import type { Screen } from './screen.ts';
import { createTextWidth, type TextWidth } from './text-width.ts';
import { isMoment } from './times.ts';

const narrowestValue = 4;

const forPrograms: ReadonlySet<string> = new Set(['links']);

export async function formatRecord(
  record: JsonObject,
  columns: readonly Column[],
  userChoseColumns: boolean,
  screen: Screen,
): Promise<string> {
  if (userChoseColumns) return formatPairs(record, columns, screen, { showEmpty: true });
  const all = longLast([...columns, ...otherColumns(record, columns, screen)]);
  return formatPairs(record, all, screen, { showEmpty: false });
}

function otherColumns(record: JsonObject, columns: readonly Column[], screen: Screen): Column[] {
  const covered = new Set(columns.flatMap(({ paths }) => paths.map((path) => path.split('.')[0])));
  const others = Object.keys(record).filter((key) => !covered.has(key) && !forPrograms.has(key));
  return others.map((key) => {
    const value = oneLine(record[key], screen);
    const isTime = typeof value === 'string' && isMoment(value);
    return { ...(isTime ? moment(key) : column(key)), compute: () => value };
  });
}

function oneLine(value: JsonValue | undefined, { glyphs }: Screen): JsonValue | undefined {
  // A person, such as the author of a version, is shown by name.
  if (isObject(value) && typeof value.username === 'string') return value.username;
  if (typeof value !== 'string') return value;
  const { text, hasMore } = firstLine(value);
  return hasMore ? `${text} ${glyphs.ellipsis}` : text;
}

export async function formatBlocks(
  records: readonly JsonObject[],
  columns: readonly Column[],
  screen: Screen,
): Promise<string> {
  const blocks: string[] = [];
  for (const record of records) {
    blocks.push(await formatPairs(record, longLast(columns), screen, { showEmpty: false }));
  }
  return blocks.join('\n');
}

function longLast(columns: readonly Column[]): Column[] {
  const isLong = ({ kind }: Column) => kind === 'longText';
  return [...columns.filter((column) => !isLong(column)), ...columns.filter(isLong)];
}

async function formatPairs(
  record: JsonObject,
  columns: readonly Column[],
  screen: Screen,
  { showEmpty }: { showEmpty: boolean },
): Promise<string> {
  const pairs = columns
    .map((column) => ({
      key: visible(screen.redact(column.header)),
      cell: cellOf(record, column, screen, 'whole'),
      column,
    }))
    .filter(({ cell }) => showEmpty || cell.text !== '');
  const textWidth = await createTextWidth(
    pairs.flatMap(({ key, cell }) => [key, cell.text.replaceAll('\n', ' ')]),
    screen.glyphs.ellipsis,
  );
  const style = await screen.style();
  const widestKey = Math.max(0, ...pairs.map(({ key }) => textWidth.width(key)));
  const keyWidth = Math.min(widestKey, Math.floor(screen.width / 2));
  const indent = ' '.repeat(keyWidth + gap.length);
  const room = Math.max(narrowestValue, screen.width - indent.length);
  return pairs
    .map(({ key, cell, column }) => {
      const label = textWidth.cut(key, keyWidth);
      const padding = ' '.repeat(keyWidth - textWidth.width(label));
      const value = fitValue(cell, column, room, textWidth).join(`\n${indent}`);
      const painted = cell.tone ? style[cell.tone](value) : value;
      return `${style.bold(label)}${padding}${gap}${painted}\n`;
    })
    .join('');
}

function fitValue({ text, neverCut }: Cell, { kind }: Column, width: number, textWidth: TextWidth): string[] {
  if (kind === 'longText' || kind === 'moment')
    return text.split('\n').flatMap((line) => textWidth.wrap(line, width));
  // The user cannot open half of an address.
  const isWhole = neverCut || /^https?:\/\/\S+$/.test(text);
  return [isWhole ? text : textWidth.cut(text, width)];
}
