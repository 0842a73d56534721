import { type JsonObject, type Page, stringifyJson } from '../lib/json.ts';
import { visible, visibleLines } from '../lib/visible.ts';
import { cellOf } from './cell.ts';
import { type Column, column, columnsFor, columnText, createFieldSearch, tabCell } from './column.ts';
import { gap } from './layout.ts';
import {
  type DiffsResult,
  describeRows,
  type ListResult,
  moreRecords,
  type OutcomeRow,
  pagesOf,
  type RecordResult,
  type Result,
  type Say,
  warnWith,
} from './out.ts';
import { jsonArray, jsonLines, type ListWriter, renderJson } from './render-json.ts';
import type { Screen } from './screen.ts';
import type { Style } from './style.ts';
import type { DrawnTable } from './table.ts';
import { createTextWidth } from './text-width.ts';

export async function render(result: Result, screen: Screen, say: Say): Promise<void> {
  switch (result.kind) {
    case 'record':
      return renderRecord(result, screen, say);
    case 'list':
      return renderList(result, screen, say);
    case 'diffs':
      return renderDiffs(result, screen, say);
    case 'json':
      return renderJson(result.value, screen, say);
    case 'text':
      return typeof result.text === 'string'
        ? renderText(result.text, screen, say)
        : renderPieces(result.text, screen);
    case 'nothing':
      return;
  }
}

async function renderRecord(result: RecordResult, screen: Screen, say: Say): Promise<void> {
  const { record } = result;
  const { kind, fields, forPerson } = screen;
  if (kind !== 'text') return renderJson(record, screen, say);
  const search = createFieldSearch(screen.fields);
  search.searchIn([record]);
  warnWith(say)(search.warning('The record lacks'));
  const columns = shownColumns(result.columns, screen);
  if (!forPerson) return screen.write(tabLines([record], columns));
  const { formatBlocks, formatRecord } = await import('./format-record.ts');
  if (result.forPerson !== undefined && !fields) {
    const { columns: chosen, text } = result.forPerson;
    const lines = visibleLines(screen.redact(text));
    return screen.write(`${await formatBlocks([record], chosen, screen)}\n${lines.replace(/\n?$/, '\n')}`);
  }
  await screen.write(await formatRecord(record, columns, fields !== undefined, screen));
}

async function renderText(text: string, screen: Screen, say: Say): Promise<void> {
  if (screen.redact(text) !== text) {
    say({
      kind: 'warning',
      text: 'The text contained your token. The token was removed, so the output differs from the original.',
    });
  }
  if (screen.kind !== 'text') return screen.write(`${stringifyJson(text)}\n`);
  await screen.write(screen.isTerminal ? visibleLines(text) : text);
}

async function renderPieces(pieces: AsyncIterable<Buffer>, screen: Screen): Promise<void> {
  const decoder = new TextDecoder();
  let isMidLine = false;
  for await (const piece of screen.redactPieces(pieces)) {
    const text = screen.isTerminal ? visibleLines(decoder.decode(piece, { stream: true })) : piece;
    if (typeof text === 'string' && text !== '') isMidLine = !text.endsWith('\n');
    await screen.write(text);
  }
  // The shell's prompt must start on a new line.
  if (isMidLine) await screen.write('\n');
}

async function renderDiffs({ rows, diffs, columns }: DiffsResult, screen: Screen, say: Say): Promise<void> {
  const { kind, fields, forPerson, width, writeHints } = screen;
  if (kind !== 'text' || fields)
    return renderList({ kind: 'list', rows, ...(columns && { columns }) }, screen, say);
  if (!forPerson) {
    for (const { heading = '' } of diffs)
      if (heading !== '') say({ kind: 'note', text: heading, minor: true });
    return renderText(diffs.map(({ patch }) => patch).join(''), screen, say);
  }
  const style = await screen.style();
  const blocks: string[] = [];
  for (const { heading = '', forTerminal } of diffs) {
    const title = visible(writeHints(heading));
    const titleLines = title === '' ? [] : (await createTextWidth([title])).wrap(title, width);
    const lines = visibleLines(forTerminal).split('\n');
    blocks.push(
      [...titleLines.map((line) => style.yellow(line)), ...lines.map((line) => paintLine(line, style))].join(
        '\n',
      ),
    );
  }
  await screen.write(blocks.join('\n'));
}

function paintLine(line: string, { bold, cyan, green, red, dim }: Style): string {
  if (line === '') return line;
  if (/^(?:---|\+\+\+) /.test(line)) return bold(line);
  if (line.startsWith('@@')) return cyan(line);
  if (line.startsWith('+')) return green(line);
  if (line.startsWith('-')) return red(line);
  return line.startsWith('\\') ? dim(line) : line;
}

export async function renderRow(
  row: OutcomeRow,
  columns: readonly Column[],
  screen: Screen,
  say: Say,
): Promise<void> {
  const { kind, fields, forPerson, writeHints } = screen;
  if (kind !== 'text' || fields) return renderList({ kind: 'list', rows: [row], columns }, screen, say);
  const records = describeRows([row], writeHints);
  if (!forPerson) return screen.write(tabLines(records, columns));
  await screen.write(await formatLines(records, columns, screen));
}

/** For records that come one after the other: a line each, without a header and without columns of one width. */
async function formatLines(
  records: readonly JsonObject[],
  columns: readonly Column[],
  screen: Screen,
): Promise<string> {
  const style = await screen.style();
  const lineOf = (record: JsonObject) =>
    columns
      .map((column) => cellOf(record, column, screen, 'lasting'))
      .filter(({ text }) => text !== '')
      .map(({ text, tone }) => (tone === undefined ? text : style[tone](text)))
      .join(gap);
  return records.map((record) => `${lineOf(record)}\n`).join('');
}

async function renderList(result: ListResult, screen: Screen, say: Say): Promise<void> {
  const writer = writerFor(result, screen, say);
  const search = createFieldSearch(screen.fields);
  let isEmpty = true;
  let end: Page['end'];
  for await (const page of pagesOf(result.rows, screen.writeHints)) {
    end = page.end;
    if (page.records.length === 0) continue;
    isEmpty = false;
    search.searchIn(page.records);
    await writer.add(page.records);
  }
  await writer.finish?.();
  // If there is an error, it says why there are no rows.
  if (isEmpty && result.error === undefined)
    say({ kind: 'hint', text: result.emptyHint ?? 'The list is empty.' });
  const more = moreRecords(end);
  // A script must learn that its list is not whole, so this line is written in a pipe too.
  if (more !== undefined)
    say({ kind: 'note', text: `${more} To see them, add --limit N or --all.`, minor: true });
  warnWith(say)(search.warning('No record has'));
}

function writerFor(result: ListResult, screen: Screen, say: Say): ListWriter {
  switch (screen.kind) {
    case 'ndjson':
      return jsonLines(screen);
    case 'json':
      return jsonArray(screen);
    case 'text':
      if (!screen.forPerson) return tabSeparated(result, screen);
      return result.goesOn ? growing(result, screen, say) : wholeList(result, screen, say);
  }
}

function tabSeparated(result: ListResult, screen: Screen): ListWriter {
  const columns = shownColumns(result.columns, screen);
  return { add: (records) => screen.write(tabLines(records, columns)) };
}

const tabLines = (records: readonly JsonObject[], columns: readonly Column[]): string =>
  records
    .map((record) => `${columns.map((column) => tabCell(columnText(record, column))).join('\t')}\n`)
    .join('');

/** A table is as wide as all of its rows need. */
function wholeList(result: ListResult, screen: Screen, say: Say): ListWriter {
  const all: JsonObject[] = [];
  return {
    add(records) {
      for (const record of records) all.push(record);
    },
    async finish() {
      if (all.length > 0) await screen.write(await formatRecords(all, result, screen, say));
    },
  };
}

const growing = (result: ListResult, screen: Screen, say: Say): ListWriter => ({
  async add(records) {
    const text = result.inBlocks
      ? `${await formatRecords(records, result, screen, say)}\n`
      : await formatLines(records, shownColumns(result.columns, screen), screen);
    await screen.write(text);
  },
});

async function formatRecords(
  records: readonly JsonObject[],
  { columns: resultColumns, inBlocks, total }: ListResult,
  screen: Screen,
  say: Say,
): Promise<string> {
  const { fields } = screen;
  const columns = shownColumns(resultColumns, screen);
  if (inBlocks && !fields) {
    const { formatBlocks } = await import('./format-record.ts');
    return formatBlocks(records, columns, screen);
  }
  const { formatTable } = await import('./table.ts');
  const options = fields ? { userChoseColumns: true } : { total };
  return textOf(await formatTable(records, columns, screen, options), say);
}

function textOf({ text, hints }: DrawnTable, say: Say): string {
  for (const hint of hints) say({ kind: 'hint', text: hint });
  return text;
}

function shownColumns(
  columns: readonly Column[] = [],
  { fields, forPerson }: Pick<Screen, 'fields' | 'forPerson'>,
): Column[] {
  return fields?.map((field) => column(field)) ?? columnsFor(columns, forPerson ? 'terminal' : 'pipe');
}
