// A command's result on stdout, in the one format that was asked for.

import { isObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { type Rows, rowsOfRecords, workOn } from '../lib/rows.ts';
import type { Column } from './column.ts';
import { tabSeparated, visibleLines } from './escape.ts';
import { columnText, project } from './fields.ts';
import { jsonRows, jsonText } from './json-text.ts';
import type { Format } from './output.ts';
import {
  AsJson,
  Differences,
  Following,
  InTurn,
  Outcomes,
  type Pages,
  Pieces,
  type Result,
  WithColumns,
} from './result.ts';
import type { Redactor, Sink } from './streams.ts';
import { createStyle } from './style.ts';
import type { GrowingTable } from './table.ts';

export interface RenderOptions extends Format {
  columns: readonly Column[];
  now: number;
  /** Takes the token out of a cell before it is escaped or cut. */
  redactor: Redactor;
  /** Does what may take long and can end half-way: where all is read, showing it is no more than that. */
  endable<T>(work: () => T | Promise<T>): Promise<T>;
  /** Called where a list has no records. */
  onEmpty?(): void;
  warn?(message: string): void;
}

export async function render(result: Result, stdout: Sink, options: RenderOptions): Promise<void> {
  if (result === undefined) return;
  if (result instanceof WithColumns)
    return render(result.result, stdout, { ...options, columns: result.columns });
  const { endable } = options;
  if (result instanceof AsJson) return endable(() => renderJson(result.value, stdout, options));
  if (result instanceof Pieces) return renderPieces(result.pieces, stdout);
  if (result instanceof InTurn) {
    for await (const each of result.results) await render(each, stdout, options);
    return;
  }
  if (result instanceof Outcomes) return render(result.rows, stdout, options);
  if (result instanceof Differences) return endable(() => renderDifferences(result, stdout, options));
  if (typeof result === 'string') return endable(() => renderText(result, stdout, options));
  const columns = options.fields?.map((field) => ({ header: field, paths: [field] })) ?? options.columns;
  const chosen = { ...options, columns };
  if (result instanceof Following) return renderFollowing(result.pages, stdout, chosen);
  if (isRecords(result)) return renderList([rowsOfRecords(result)], stdout, chosen);
  if (isPages(result)) return renderList(result, stdout, chosen);
  return endable(() => renderRecord(result, stdout, chosen));
}

async function renderText(text: string, stdout: Sink, options: RenderOptions): Promise<void> {
  const { kind, redactor, warn } = options;
  if (redactor.redact(text) !== text) {
    warn?.('The text holds your token. It is printed without it, so not byte for byte.');
  }
  if (kind !== 'text') return stdout.write(`${jsonText(text, redactor.redact)}\n`);
  await stdout.write(stdout.isTerminal ? visibleLines(text) : text);
}

/** A person sees them in colour; `patch` takes what a pipe gets. */
async function renderDifferences(
  { rows, text }: Differences,
  stdout: Sink,
  options: RenderOptions,
): Promise<void> {
  const { kind, fields, color, redactor } = options;
  if (kind !== 'text' || fields) return render(rows, stdout, options);
  if (!stdout.isTerminal && !color) return renderText(text, stdout, options);
  const { paintDiff } = await import('./diff-text.ts');
  await stdout.write(await paintDiff(text, { color, redact: redactor.redact }));
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
  const { kind, fields, redactor } = options;
  const chosen = (each: JsonValue) => (fields && isObject(each) ? project(each, fields) : each);
  const whole = Array.isArray(value) ? value.map(chosen) : chosen(value);
  if (kind === 'ndjson') {
    const lines = [whole].flat().map((line) => `${jsonText(line, redactor.redact)}\n`);
    return stdout.write(lines.join(''));
  }
  const text = jsonText(whole, redactor.redact, stdout.isTerminal ? 2 : undefined);
  // What turns the direction of writing stands in strings, where an escape means the same.
  await stdout.write(`${kind === 'text' && stdout.isTerminal ? visibleLines(text) : text}\n`);
}

async function renderRecord(record: JsonObject, stdout: Sink, options: RenderOptions): Promise<void> {
  const { kind, columns, fields, redactor } = options;
  if (kind !== 'text') {
    const indent = stdout.isTerminal && kind === 'json' ? 2 : undefined;
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
  const { kind, fields, redactor } = options;
  const chosen = (rows: Rows): Rows =>
    fields ? rowsOfRecords(rows.records().map((record) => project(record, fields))) : rows;
  const pieces: (string | Buffer)[] = [];
  const records: JsonObject[] = [];
  let empty = true;
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    empty = false;
    if (kind === 'ndjson') {
      await stdout.write(await workOn(rows, () => jsonRows(chosen(rows), '\n', redactor)));
    } else if (kind === 'json' && stdout.isTerminal) {
      pieces.push(
        await workOn(rows, () => jsonText([...chosen(rows).records()], redactor.redact, 2).slice(2, -2)),
      );
    } else if (kind === 'json') {
      pieces.push(await workOn(rows, () => withoutLast(jsonRows(chosen(rows), ',', redactor))));
    } else if (stdout.isTerminal) {
      for (const record of await workOn(rows, () => rows.records())) records.push(record);
    } else {
      pieces.push(await workOn(rows, () => tabLines(rows, options)));
    }
  }
  if (empty) options.onEmpty?.();
  await options.endable(() => writeWhole({ pieces, records, empty }, stdout, options));
}

async function writeWhole(
  { pieces, records, empty }: { pieces: (string | Buffer)[]; records: JsonObject[]; empty: boolean },
  stdout: Sink,
  options: RenderOptions,
): Promise<void> {
  const { kind, columns } = options;
  if (kind === 'json') {
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
  if (options.kind !== 'text') return renderList(pages, stdout, { ...options, kind: 'ndjson' });
  let table: GrowingTable | undefined;
  for await (const rows of pages) {
    if (stdout.isTerminal) {
      const { createGrowingTable } = await import('./table.ts');
      table ??= createGrowingTable(options.columns, await look(stdout, options));
      await stdout.write(await table.append(await workOn(rows, () => rows.records())));
    } else {
      await stdout.write(await workOn(rows, () => tabLines(rows, options)));
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
