// A command's result on stdout, in the one format that was asked for.

import { isObject, type JsonObject, type JsonValue, lookUp, stringifyJson } from '../lib/json.ts';
import { type Rows, rowsOfRecords, workOn } from '../lib/rows.ts';
import { type Column, columnsFor } from './column.ts';
import { tabSeparated, visibleLines } from './escape.ts';
import { columnText, project } from './fields.ts';
import { jsonRows, paintJson, withoutToken } from './json-text.ts';
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
import type { Screen } from './screen.ts';
import type { Redactor, Sink } from './streams.ts';
import { createStyle } from './style.ts';

export interface RenderOptions extends Format {
  columns: readonly Column[];
  now: number;
  /** Takes the token out of a cell before it is escaped or cut. */
  redactor: Redactor;
  /** Does what may take long and can end half-way: where all is read, showing it is no more than that. */
  endable<T>(work: () => T | Promise<T>): Promise<T>;
  /** The options and arguments that were given. */
  given: ReadonlySet<string>;
  /** Called where a list has no records. */
  onEmpty?(): void;
  warn(message: string): void;
  hint(message: string): void;
}

interface Layout {
  /** Each record as a block of lines. */
  inBlocks?: boolean;
  /** Of all rows together. */
  total?: JsonObject;
  /** What it is made of may lack what was asked for. */
  isOpen?: boolean;
}

export async function render(result: Result, stdout: Sink, options: RenderOptions): Promise<void> {
  if (result instanceof WithColumns) {
    const { columns, inBlocks, total } = result;
    return renderAny(result.result, stdout, { ...options, columns }, { inBlocks, total });
  }
  const { endable } = options;
  if (result instanceof AsJson) return endable(() => renderJson(result.value, stdout, options));
  if (result instanceof Pieces) return renderPieces(result.pieces, stdout);
  if (result instanceof InTurn) {
    for await (const each of result.results) await render(each, stdout, options);
    return;
  }
  // Keys without a value are left out of outcomes. Who had something done waits for the prompt, not for a pager.
  if (result instanceof Outcomes) {
    return renderAny(result.rows, { ...stdout, writeLong: stdout.write }, options, { isOpen: true });
  }
  if (result instanceof Differences) return endable(() => renderDifferences(result, stdout, options));
  if (typeof result === 'string') return endable(() => renderText(result, stdout, options));
  if (result !== undefined) await renderAny(result, stdout, options, {});
}

async function renderAny(
  result: WithColumns['result'],
  stdout: Sink,
  options: RenderOptions,
  layout: Layout,
): Promise<void> {
  const { fields, screen } = options;
  const columns =
    fields?.map((field) => ({ header: field, paths: [field] })) ??
    columnsFor(options.columns, screen ? 'terminal' : 'pipe');
  const chosen = { ...options, columns };
  if (result instanceof Following) return renderFollowing(result.pages, stdout, chosen, layout);
  if (!isRecords(result) && !isPages(result))
    return options.endable(() => renderRecord(result, stdout, chosen));
  const missing = layout.isOpen ? undefined : missingFields(options);
  const pages = isRecords(result) ? [rowsOfRecords(result)] : result;
  await renderList(pages, stdout, chosen, layout, missing?.look);
  missing?.report();
}

async function renderText(text: string, stdout: Sink, { kind, redactor, warn }: RenderOptions) {
  const clean = (written: string) => () => {
    warn('The text holds your token. It is printed without it, so not byte for byte.');
    return written;
  };
  if (kind !== 'text') {
    const redacted = () => `${stringifyJson(withoutToken(text, redactor))}\n`;
    return stdout.write(`${stringifyJson(text)}\n`, () => clean(redacted())());
  }
  const shown = (part: string) => (stdout.isTerminal ? visibleLines(part) : part);
  await stdout.write(shown(text), () => clean(shown(redactor.redact(text)))());
}

/** A person sees them in colour, with their sides named; `patch` takes what a pipe gets. */
async function renderDifferences(
  { rows, sections }: Differences,
  stdout: Sink,
  options: RenderOptions,
): Promise<void> {
  const { kind, fields, screen } = options;
  if (kind !== 'text' || fields) return renderAny(rows, stdout, options, {});
  if (!screen) return renderText(sections.map(({ patch }) => patch).join(''), stdout, options);
  const { formatSections } = await import('./diff-text.ts');
  await stdout.writeLong(await formatSections(sections, await screenOf(stdout, options)));
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
  const { kind, fields } = options;
  const chosen = (each: JsonValue) => (fields && isObject(each) ? project(each, fields) : each);
  if (kind !== 'ndjson') {
    return writeJson(Array.isArray(value) ? value.map(chosen) : chosen(value), stdout, options);
  }
  for (const each of [value].flat()) await writeJson(chosen(each), stdout, options);
}

/** Indented and in colour at a terminal, and only there. */
async function writeJson(value: JsonValue, stdout: Sink, options: RenderOptions): Promise<void> {
  const { kind, color, redactor } = options;
  const style = await createStyle(stdout.isTerminal && color);
  const text = (each: JsonValue) =>
    `${stdout.isTerminal ? paintJson(each, style, kind === 'ndjson' ? 0 : 2) : stringifyJson(each)}\n`;
  const clean = () => text(withoutToken(value, redactor));
  await (Array.isArray(value) ? stdout.writeLong(text(value), clean) : stdout.write(text(value), clean));
}

async function renderRecord(record: JsonObject, stdout: Sink, options: RenderOptions): Promise<void> {
  const { kind, columns, fields, screen } = options;
  if (kind !== 'text') return writeJson(fields ? project(record, fields) : record, stdout, options);
  if (!screen) return stdout.write(tabLine(record, options));
  const { formatRecord } = await import('./record.ts');
  await stdout.write(
    await formatRecord(record, columns, fields !== undefined, await screenOf(stdout, options)),
  );
}

/** Only --ndjson writes as pages arrive: what fails half-way leaves nothing behind in any other format. */
async function renderList(
  pages: Pages | Iterable<Rows>,
  stdout: Sink,
  options: RenderOptions,
  layout: Layout,
  look: (records: readonly JsonObject[]) => void = () => {},
): Promise<void> {
  const { kind, fields, screen, redactor } = options;
  const inMemory = kind === 'json' ? stdout.isTerminal : kind === 'text' && screen;
  const chosen = (rows: Rows): Rows =>
    fields ? rowsOfRecords(rows.records.map((record) => project(record, fields))) : rows;
  const clean = (rows: Rows, after: ',' | '\n') => () =>
    rows.records.map((record) => stringifyJson(withoutToken(record, redactor)) + after).join('');
  const pieces: Piece[] = [];
  const records: JsonObject[] = [];
  let empty = true;
  for await (const rows of pages) {
    if (rows.records.length === 0) continue;
    empty = false;
    if (fields) await workOn(rows, () => look(rows.records));
    if (inMemory) {
      const part = await workOn(rows, () => (kind === 'json' ? chosen(rows) : rows).records);
      for (const record of part) records.push(record);
    } else if (kind === 'text') {
      pieces.push({ output: await workOn(rows, () => tabLines(rows, options)) });
    } else if (kind === 'json') {
      const part = await workOn(rows, () => chosen(rows));
      pieces.push({ output: await workOn(rows, () => jsonRows(part, ',')), clean: clean(part, ',') });
    } else if (stdout.isTerminal) {
      for (const record of chosen(rows).records) await writeJson(record, stdout, options);
    } else {
      const part = await workOn(rows, () => chosen(rows));
      await stdout.write(await workOn(rows, () => jsonRows(part, '\n')), clean(part, '\n'));
    }
  }
  if (empty) options.onEmpty?.();
  await options.endable(() => writeWhole({ pieces, records, inMemory }, stdout, options, layout));
}

interface Piece {
  output: string | Buffer;
  /** What stands there without the token. */
  clean?: () => string;
}

async function writeWhole(
  { pieces, records, inMemory }: { pieces: Piece[]; records: JsonObject[]; inMemory: boolean },
  stdout: Sink,
  options: RenderOptions,
  layout: Layout,
): Promise<void> {
  const { kind } = options;
  if (kind === 'json' && inMemory) return writeJson(records, stdout, options);
  if (kind === 'json') {
    await stdout.write('[');
    for (const [index, { output, clean }] of pieces.entries()) {
      const isLast = index === pieces.length - 1;
      await stdout.write(isLast ? withoutLast(output) : output, clean && (() => ended(clean(), isLast)));
    }
    await stdout.write(']\n');
  } else if (records.length > 0) {
    await stdout.writeLong(await arranged(records, layout, await screenOf(stdout, options), options));
  } else {
    for (const { output } of pieces) await stdout.write(output);
  }
}

async function arranged(
  records: readonly JsonObject[],
  { inBlocks, total }: Layout,
  screen: Screen,
  { columns, fields, given }: RenderOptions,
): Promise<string> {
  if (inBlocks && !fields) {
    const { formatBlocks } = await import('./record.ts');
    return formatBlocks(records, columns, screen);
  }
  const { formatTable } = await import('./table.ts');
  return formatTable(records, columns, screen, {
    given,
    chosen: fields !== undefined,
    total: fields ? undefined : total,
  });
}

/** A table that grows keeps its columns; the other formats are written as they come anyway. */
async function renderFollowing(
  pages: Pages,
  stdout: Sink,
  options: RenderOptions,
  layout: Layout,
): Promise<void> {
  if (options.kind !== 'text') return renderList(pages, stdout, { ...options, kind: 'ndjson' }, {});
  const append = options.screen ? await appender(stdout, options, layout) : undefined;
  for await (const rows of pages) {
    const shown = await append?.(rows.records);
    await stdout.write(shown ?? (await workOn(rows, () => tabLines(rows, options))));
  }
}

async function appender(
  stdout: Sink,
  options: RenderOptions,
  layout: Layout,
): Promise<(records: readonly JsonObject[]) => Promise<string>> {
  const screen = await screenOf(stdout, options);
  if (layout.inBlocks) {
    return async (records) => `${await arranged(records, layout, screen, options)}\n`;
  }
  const { createGrowingTable } = await import('./table.ts');
  return createGrowingTable(options.columns, screen, options).append;
}

const screenOf = async (
  stdout: Sink,
  { color, now, links, glyphs, redactor, hint }: RenderOptions,
): Promise<Screen> => ({
  width: stdout.width,
  style: await createStyle(color),
  glyphs,
  now,
  links,
  redact: redactor.redact,
  hint,
});

/** Which of the fields no record has, though the command's own columns do not know them either. */
function missingFields({ fields = [], columns, warn }: RenderOptions) {
  const known = new Set(columns.flatMap(({ paths }) => paths));
  const unseen = new Set(fields.filter((field) => !known.has(field)));
  const keys = new Set<string>();
  return {
    look(records: readonly JsonObject[]): void {
      if (unseen.size === 0) return;
      for (const record of records) {
        for (const field of unseen) if (lookUp(record, field) !== undefined) unseen.delete(field);
        if (keys.size < mostNamed) for (const key of Object.keys(record)) keys.add(key);
      }
    },
    report(): void {
      if (unseen.size === 0 || keys.size === 0) return;
      const there = [...keys].slice(0, mostNamed).join(', ');
      warn(`No record has ${[...unseen].map((field) => `"${field}"`).join(' or ')}. There are: ${there}.`);
    },
  };
}

/** A warning is to be read. */
const mostNamed = 20;

const tabLine = (record: JsonObject, { columns, redactor }: RenderOptions): string =>
  `${columns.map((column) => tabSeparated(redactor.redact(columnText(record, column)))).join('\t')}\n`;

const tabLines = (rows: Rows, options: RenderOptions): string =>
  rows.records.map((record) => tabLine(record, options)).join('');

const withoutLast = (output: string | Buffer): string | Buffer =>
  typeof output === 'string' ? output.slice(0, -1) : output.subarray(0, -1);
const ended = (text: string, isLast: boolean): string => (isLast ? text.slice(0, -1) : text);

const isRecords = (result: WithColumns['result']): result is readonly JsonObject[] => Array.isArray(result);
const isPages = (result: JsonObject | Pages): result is Pages => Symbol.asyncIterator in result;
