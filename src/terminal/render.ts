// A command's result on stdout, in the one format that was asked for.
import {
  AsJson,
  type Column,
  Following,
  InTurn,
  type Pages,
  Pieces,
  type Result,
  WithColumns,
} from '../cli/command.ts';
import { isObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { type Rows, rowsOfRecords } from '../lib/rows.ts';
import { tabSeparated, visibleLines } from './escape.ts';
import { columnText, project } from './fields.ts';
import { jsonRows, jsonText } from './json-text.ts';
import type { Redactor, Sink } from './streams.ts';
import { createStyle } from './style.ts';
import type { GrowingTable } from './table.ts';

export interface RenderOptions {
  format: 'json' | 'ndjson' | 'text';
  fields: string[] | undefined;
  columns: readonly Column[];
  color: boolean;
  now: number;
  /** Whether the terminal makes links of addresses. */
  links: boolean;
  /** Takes the token out of a cell before it is escaped or cut. */
  redactor: Redactor;
  /** Called where a list has no records. */
  onEmpty(): void;
}

export async function render(result: Result, stdout: Sink, options: RenderOptions): Promise<void> {
  if (result === undefined) return;
  if (result instanceof WithColumns)
    return render(result.result, stdout, { ...options, columns: result.columns });
  if (result instanceof AsJson) return renderJson(result.value, stdout, options);
  if (result instanceof Pieces) return renderPieces(result.pieces, stdout);
  if (result instanceof InTurn) {
    for await (const each of result.results) await render(each, stdout, options);
    return;
  }
  if (typeof result === 'string') return renderText(result, stdout, options);
  const columns = options.fields?.map((field) => ({ header: field, paths: [field] })) ?? options.columns;
  const chosen = { ...options, columns };
  if (result instanceof Following) return renderFollowing(result.pages, stdout, chosen);
  if (isRecords(result)) return renderList([rowsOfRecords(result)], stdout, chosen);
  if (isPages(result)) return renderList(result, stdout, chosen);
  return renderRecord(result, stdout, chosen);
}

async function renderText(text: string, stdout: Sink, { format, redactor }: RenderOptions): Promise<void> {
  if (format !== 'text') return stdout.write(`${jsonText(text, redactor.redact)}\n`);
  await stdout.write(stdout.isTerminal ? visibleLines(text) : text);
}

/** As they come; at a terminal harmless, and with the prompt on a line of its own. */
async function renderPieces(pieces: AsyncIterable<Buffer>, stdout: Sink): Promise<void> {
  const decoder = new TextDecoder();
  let last = '\n';
  for await (const piece of pieces) {
    const text = stdout.isTerminal ? visibleLines(decoder.decode(piece, { stream: true })) : '';
    last = text.at(-1) ?? last;
    await stdout.write(stdout.isTerminal ? text : piece);
  }
  if (last !== '\n') await stdout.write('\n');
}

async function renderJson(value: JsonValue, stdout: Sink, options: RenderOptions): Promise<void> {
  const { format, fields, redactor } = options;
  const chosen = (each: JsonValue) => (fields && isObject(each) ? project(each, fields) : each);
  const whole = Array.isArray(value) ? value.map(chosen) : chosen(value);
  if (format === 'ndjson') {
    const lines = [whole].flat().map((line) => `${jsonText(line, redactor.redact)}\n`);
    return stdout.write(lines.join(''));
  }
  const text = jsonText(whole, redactor.redact, stdout.isTerminal ? 2 : undefined);
  // What turns the direction of writing stands in strings, where an escape means the same.
  await stdout.write(`${format === 'text' && stdout.isTerminal ? visibleLines(text) : text}\n`);
}

async function renderRecord(record: JsonObject, stdout: Sink, options: RenderOptions): Promise<void> {
  const { format, columns, fields, redactor } = options;
  if (format !== 'text') {
    const indent = stdout.isTerminal && format === 'json' ? 2 : undefined;
    return stdout.write(`${jsonText(fields ? project(record, fields) : record, redactor.redact, indent)}\n`);
  }
  if (!stdout.isTerminal) return stdout.write(tabLine(record, options));
  const { formatRecord } = await import('./table.ts');
  await stdout.write(await formatRecord(record, columns, fields !== undefined, await look(stdout, options)));
}

/** Only --ndjson writes as pages arrive: what fails half-way leaves nothing behind in any other format. */
async function renderList(
  pages: Pages | Iterable<Rows>,
  stdout: Sink,
  options: RenderOptions,
): Promise<void> {
  const { format, columns, fields, redactor } = options;
  const chosen = (rows: Rows): Rows =>
    fields ? rowsOfRecords(rows.records().map((record) => project(record, fields))) : rows;
  const pieces: (string | Buffer)[] = [];
  const records: JsonObject[] = [];
  let empty = true;
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    empty = false;
    if (format === 'ndjson') {
      await stdout.write(jsonRows(chosen(rows), '\n', redactor));
    } else if (format === 'json' && stdout.isTerminal) {
      pieces.push(jsonText([...chosen(rows).records()], redactor.redact, 2).slice(2, -2));
    } else if (format === 'json') {
      pieces.push(withoutLast(jsonRows(chosen(rows), ',', redactor)));
    } else if (stdout.isTerminal) {
      for (const record of rows.records()) records.push(record);
    } else {
      pieces.push(tabLines(rows, options));
    }
  }
  if (empty) options.onEmpty();

  if (format === 'json') {
    const [open, comma, close] = stdout.isTerminal && !empty ? ['[\n', ',\n', '\n]\n'] : ['[', ',', ']\n'];
    await stdout.write(open);
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await stdout.write(comma);
      await stdout.write(piece);
    }
    await stdout.write(close);
  } else if (records.length > 0) {
    const { formatTable } = await import('./table.ts');
    await stdout.write(await formatTable(records, columns, await look(stdout, options)));
  } else {
    for (const piece of pieces) await stdout.write(piece);
  }
}

/** A table that grows keeps its columns; the other formats are written as they come anyway. */
async function renderFollowing(pages: Pages, stdout: Sink, options: RenderOptions): Promise<void> {
  if (options.format !== 'text') return renderList(pages, stdout, { ...options, format: 'ndjson' });
  let table: GrowingTable | undefined;
  for await (const rows of pages) {
    if (stdout.isTerminal) {
      const { createGrowingTable } = await import('./table.ts');
      table ??= createGrowingTable(options.columns, await look(stdout, options));
      await stdout.write(await table.append(rows.records()));
    } else {
      await stdout.write(tabLines(rows, options));
    }
  }
}

const look = async (stdout: Sink, { color, now, links, redactor }: RenderOptions) => ({
  width: stdout.width,
  style: await createStyle(color),
  now,
  links,
  redact: redactor.redact,
});

const tabLine = (record: JsonObject, { columns, redactor }: RenderOptions): string =>
  `${columns.map((column) => tabSeparated(redactor.redact(columnText(record, column)))).join('\t')}\n`;

const tabLines = (rows: Rows, options: RenderOptions): string =>
  rows
    .records()
    .map((record) => tabLine(record, options))
    .join('');

const withoutLast = (output: string | Buffer): string | Buffer =>
  typeof output === 'string' ? output.slice(0, -1) : output.subarray(0, -1);

const isRecords = (result: Result): result is readonly JsonObject[] => Array.isArray(result);
const isPages = (result: JsonObject | Pages): result is Pages => Symbol.asyncIterator in result;
