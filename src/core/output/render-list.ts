// --ndjson and the lines of a pipe are written while pages arrive. The other formats write after the last page, so a list
// that fails half-way writes nothing.
import {
  type JsonObject,
  type JsonValue,
  lookUp,
  type Page,
  stringifyJson,
  stringifyLines,
} from '../lib/json.ts';
import type { Screen } from './cell.ts';
import { type Column, column, columnsFor, columnText, tabCell } from './column.ts';
import { project } from './fields.ts';
import { paintJson } from './json-text.ts';
import type { Messages } from './messages.ts';
import { changedSomething } from './outcome.ts';
import type { Output } from './output.ts';
import { type ListResult, moreRecords, outcomesIn, pagesOf } from './result.ts';
import type { Sink } from './streams.ts';
import { createStyle } from './style.ts';

export async function renderList(result: ListResult, output: Output): Promise<void> {
  const missingFields = createMissingFields(output);
  // A list of what was done is shown without a pager, so that the command ends by itself.
  const isOutcome = result.error !== undefined || changedSomething(outcomesIn(result));
  const { stdout } = output;
  const shown = isOutcome ? { ...output, stdout: { ...stdout, writeLong: stdout.write } } : output;
  await writeList(result, shown, missingFields.searchIn);
  missingFields.report();
}

export async function writeList(
  result: ListResult,
  output: Output,
  beforePage: (page: Page) => void = () => {},
): Promise<void> {
  const writer = createListWriter(result, output);
  let isEmpty = true;
  let end: Page['end'];
  for await (const page of await pagesOf(result.rows, output.writeHints)) {
    end = page.end;
    if (page.records.length === 0) continue;
    isEmpty = false;
    beforePage(page);
    await writer.add(page.records);
  }
  // The error says why there are no rows.
  const emptyHint = result.error === undefined ? (result.emptyHint ?? output.empty) : undefined;
  const { messages, format } = output;
  if (isEmpty && emptyHint !== undefined) messages.say({ kind: 'hint', text: emptyHint });
  await writer.finish();
  const more = moreRecords(end);
  // A script must learn that its list is not whole, so this line is written in a pipe too.
  if (more !== undefined && !format.quiet)
    messages.say({ kind: 'note', text: `${more} To see them, add --limit N or --all.` });
}

interface ListWriter {
  add(records: readonly JsonObject[]): Promise<void> | void;
  finish(): Promise<void>;
}

function createListWriter(layout: ListResult, output: Output): ListWriter {
  const { stdout, format } = output;
  const chosen = (records: readonly JsonObject[]) => withFields(records, format.fields);
  switch (format.kind) {
    case 'ndjson':
      return jsonLines(output);
    case 'json':
      if (stdout.isTerminal) return afterLastPage((all) => writeJson([...chosen(all)], output));
      return textsOfPages(stdout, (records) => stringifyJson(chosen(records)).slice(1, -1), jsonArray);
    case 'text':
      return format.forPerson ? table(layout, output) : tabRows(layout, output);
  }
}

const jsonLines = (output: Output): ListWriter => ({
  async add(records) {
    const { stdout, format } = output;
    const chosen = withFields(records, format.fields);
    if (!stdout.isTerminal) return stdout.write(stringifyLines(chosen));
    for (const record of chosen) await writeJson(record, output);
  },
  async finish() {},
});

function table(layout: ListResult, output: Output): ListWriter {
  return afterLastPage(async (all) => {
    if (all.length === 0) return;
    const screen = await screenOf(output);
    await output.stdout.writeLong(await formatRecords(all, layout, screen, output));
  });
}

function tabRows(layout: ListResult, output: Output): ListWriter {
  const columns = shownColumns(layout.columns, output);
  return { add: (records) => output.stdout.write(tabLines(records, columns)), async finish() {} };
}

function afterLastPage(write: (all: readonly JsonObject[]) => Promise<void>): ListWriter {
  const all: JsonObject[] = [];
  return {
    add(records) {
      for (const record of records) all.push(record);
    },
    finish: () => write(all),
  };
}

const jsonArray = { open: '[', between: ',', close: ']\n' };

/**
 * Keeps the text of each page, because the records would take more memory. The texts are not joined, because the joined
 * text could be longer than V8's longest string.
 */
function textsOfPages(
  { write }: Sink,
  textOf: (records: readonly JsonObject[]) => string,
  { open, between, close }: { open: string; between: string; close: string },
): ListWriter {
  const texts: string[] = [];
  return {
    add: (records) => void texts.push(textOf(records)),
    async finish() {
      await write(open);
      for (const [index, text] of texts.entries()) await write(index > 0 ? between + text : text);
      await write(close);
    },
  };
}

const withFields = (
  records: readonly JsonObject[],
  fields: readonly string[] | undefined,
): readonly JsonObject[] => (fields ? records.map((record) => project(record, fields)) : records);

export async function writeJson(value: JsonValue, { stdout, format }: Output): Promise<void> {
  const indent = format.kind === 'ndjson' ? 0 : 2;
  const text = stdout.isTerminal
    ? paintJson(value, await createStyle(format.color), indent)
    : stringifyJson(value);
  await (Array.isArray(value) ? stdout.writeLong(`${text}\n`) : stdout.write(`${text}\n`));
}

export const tabLines = (records: readonly JsonObject[], columns: readonly Column[]): string =>
  records
    .map((record) => `${columns.map((column) => tabCell(columnText(record, column))).join('\t')}\n`)
    .join('');

export async function formatRecords(
  records: readonly JsonObject[],
  { columns: resultColumns, inBlocks, total }: ListResult,
  screen: Screen,
  output: Output,
): Promise<string> {
  const { fields } = output.format;
  const columns = shownColumns(resultColumns, output);
  if (inBlocks && !fields) {
    const { formatBlocks } = await import('./format-record.ts');
    return formatBlocks(records, columns, screen);
  }
  const { formatTable } = await import('./table.ts');
  return formatTable(records, columns, screen, {
    userChoseColumns: fields !== undefined,
    total: fields ? undefined : total,
  });
}

export function shownColumns(
  resultColumns: readonly Column[] | undefined,
  { format, columns }: Output,
): Column[] {
  if (format.fields) return format.fields.map((field) => column(field));
  return columnsFor(resultColumns ?? columns, format.forPerson ? 'terminal' : 'pipe');
}

export const screenOf = async (output: Output): Promise<Screen> => ({
  width: output.stdout.width,
  style: await createStyle(output.format.color),
  glyphs: output.format.glyphs,
  now: output.now(),
  redact: output.redactor.redact,
  hint: (text) => output.messages.say({ kind: 'hint', text }),
});

const maxKeysInWarning = 20;

function createMissingFields({ format, messages }: Output) {
  const missing = new Set(format.fields);
  const present = new Set<string>();
  return {
    searchIn({ records }: Page): void {
      if (missing.size === 0) return;
      for (const record of records) {
        for (const field of missing) if (lookUp(record, field) !== undefined) missing.delete(field);
        if (present.size < maxKeysInWarning) for (const key of Object.keys(record)) present.add(key);
      }
    },
    report: () => warnOfMissingFields(messages, 'No record has', missing, present),
  };
}

export function warnOfMissingFieldsIn(record: JsonObject, { format, messages }: Output): void {
  const missing = (format.fields ?? []).filter((field) => lookUp(record, field) === undefined);
  warnOfMissingFields(messages, 'The record lacks', new Set(missing), new Set(Object.keys(record)));
}

function warnOfMissingFields(
  messages: Messages,
  subject: 'No record has' | 'The record lacks',
  missing: ReadonlySet<string>,
  present: ReadonlySet<string>,
): void {
  if (missing.size === 0 || present.size === 0) return;
  const missingFields = [...missing].map((field) => `"${field}"`).join(' or ');
  const presentFields = [...present].slice(0, maxKeysInWarning).join(', ');
  messages.say({
    kind: 'warning',
    text: `${subject} the field ${missingFields}. The fields are: ${presentFields}.`,
  });
}
