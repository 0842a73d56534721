// A command's result on stdout, in the one format that was asked for.
import { type Column, type Pages, type Result, Shown } from '../command.ts';
import type { JsonObject } from '../json.ts';
import { tabSeparated, visibleLines } from './escape.ts';
import { cellText, columnValue, project } from './fields.ts';
import { jsonText } from './json-text.ts';
import type { Sink } from './streams.ts';
import { createStyle } from './style.ts';

export interface RenderOptions {
  format: 'json' | 'ndjson' | 'text';
  fields: string[] | undefined;
  columns: readonly Column[];
  color: boolean;
  now: number;
  /** Takes the token out of a cell before it is escaped or cut. */
  redact(text: string): string;
  /** Called where a list has no records. */
  onEmpty(): void;
}

export async function render(result: Result, stdout: Sink, options: RenderOptions): Promise<void> {
  if (result === undefined) return;
  if (result instanceof Shown) return render(result.record, stdout, { ...options, columns: result.columns });
  if (typeof result === 'string') return renderText(result, stdout, options);
  const columns = options.fields?.map((field) => ({ header: field, paths: [field] })) ?? options.columns;
  const chosen = { ...options, columns };
  if (isRows(result)) return renderList([result], stdout, chosen);
  if (isPages(result)) return renderList(result, stdout, chosen);
  return renderRecord(result, stdout, chosen);
}

async function renderText(text: string, stdout: Sink, { format, redact }: RenderOptions): Promise<void> {
  if (format !== 'text') return stdout.write(`${jsonText(text, redact)}\n`);
  await stdout.write(stdout.isTerminal ? visibleLines(text) : text);
}

async function renderRecord(record: JsonObject, stdout: Sink, options: RenderOptions): Promise<void> {
  const { format, columns, fields, redact } = options;
  if (format !== 'text') {
    const indent = stdout.isTerminal && format === 'json' ? 2 : undefined;
    return stdout.write(`${jsonText(fields ? project(record, fields) : record, redact, indent)}\n`);
  }
  if (!stdout.isTerminal) return stdout.write(tabLine(record, options));
  const { formatRecord } = await import('./table.ts');
  await stdout.write(await formatRecord(record, columns, fields !== undefined, await look(stdout, options)));
}

/** Only --ndjson writes as pages arrive: what fails half-way leaves nothing behind in any other format. */
async function renderList(
  pages: Pages | Iterable<readonly JsonObject[]>,
  stdout: Sink,
  options: RenderOptions,
): Promise<void> {
  const { format, columns, fields, redact } = options;
  const chosen = (page: readonly JsonObject[]) =>
    fields ? page.map((record) => project(record, fields)) : page;
  const pieces: string[] = [];
  const records: JsonObject[] = [];
  let empty = true;
  for await (const page of pages) {
    if (page.length === 0) continue;
    empty = false;
    if (format === 'ndjson') {
      await stdout.write(
        chosen(page)
          .map((record) => `${jsonText(record, redact)}\n`)
          .join(''),
      );
    } else if (format === 'json') {
      pieces.push(withoutBrackets(jsonText([...chosen(page)], redact, stdout.isTerminal ? 2 : undefined)));
    } else if (stdout.isTerminal) {
      for (const record of page) records.push(record);
    } else {
      pieces.push(page.map((record) => tabLine(record, options)).join(''));
    }
  }
  if (empty) options.onEmpty();

  if (format === 'json') {
    const [open, comma, close] = stdout.isTerminal && !empty ? ['[\n', ',\n', '\n]\n'] : ['[', ',', ']\n'];
    await stdout.write(open);
    for (const [index, piece] of pieces.entries()) await stdout.write((index > 0 ? comma : '') + piece);
    await stdout.write(close);
  } else if (records.length > 0) {
    const { formatTable } = await import('./table.ts');
    await stdout.write(await formatTable(records, columns, await look(stdout, options)));
  } else {
    for (const piece of pieces) await stdout.write(piece);
  }
}

const look = async (stdout: Sink, { color, now, redact }: RenderOptions) => ({
  width: stdout.width,
  style: await createStyle(color),
  now,
  redact,
});

const tabLine = (record: JsonObject, { columns, redact }: RenderOptions): string =>
  `${columns.map((column) => tabSeparated(redact(cellText(columnValue(record, column))))).join('\t')}\n`;

/** The inside of an array's text, compact or indented. */
const withoutBrackets = (text: string): string =>
  text.startsWith('[\n') ? text.slice(2, -2) : text.slice(1, -1);

const isRows = (result: Result): result is readonly JsonObject[] => Array.isArray(result);
const isPages = (result: JsonObject | Pages): result is Pages => Symbol.asyncIterator in result;
