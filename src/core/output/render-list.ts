import type { JsonObject, Page } from '../lib/json.ts';
import type { Screen } from './cell.ts';
import { type Column, column, columnsFor, columnText, tabCell } from './column.ts';
import { createFieldSearch } from './fields.ts';
import { changedSomething } from './outcome.ts';
import { jsonArray, jsonLines, type ListWriter } from './render-json.ts';
import { type ListResult, moreRecords, outcomesIn, pagesOf } from './result.ts';
import { type Output, screenOn } from './view.ts';

export async function renderList(result: ListResult, output: Output): Promise<void> {
  const { say, quiet } = output;
  const writer = await writerFor(result, output);
  const search = createFieldSearch(output);
  let isEmpty = true;
  let end: Page['end'];
  for await (const page of await pagesOf(result.rows, output.writeHints)) {
    end = page.end;
    if (page.records.length === 0) continue;
    isEmpty = false;
    search.searchIn(page.records);
    await writer.add(page.records);
  }
  await writer.finish?.();
  // If there is an error, it says why there are no rows.
  if (isEmpty && result.error === undefined) say({ kind: 'hint', text: result.emptyHint ?? output.empty });
  const more = moreRecords(end);
  // A script must learn that its list is not whole, so this line is written in a pipe too.
  if (more !== undefined && !quiet)
    say({ kind: 'note', text: `${more} To see them, add --limit N or --all.` });
  search.report('No record has');
}

function writerFor(result: ListResult, output: Output): ListWriter | Promise<ListWriter> {
  switch (output.kind) {
    case 'ndjson':
      return jsonLines(output);
    case 'json':
      return jsonArray(output);
    case 'text':
      if (!output.forPerson) return tabSeparated(result, output);
      return result.goesOn ? growing(result, output) : wholeList(result, output);
  }
}

function tabSeparated(result: ListResult, output: Output): ListWriter {
  const columns = shownColumns(result.columns, output);
  return { add: (records) => output.stdout.write(tabLines(records, columns)) };
}

export const tabLines = (records: readonly JsonObject[], columns: readonly Column[]): string =>
  records
    .map((record) => `${columns.map((column) => tabCell(columnText(record, column))).join('\t')}\n`)
    .join('');

/** A table is as wide as all of its rows need. */
function wholeList(result: ListResult, output: Output): ListWriter {
  const { stdout } = output;
  // A list of what was done is shown without a pager, so that the command ends by itself.
  const isOutcome = result.error !== undefined || changedSomething(outcomesIn(result));
  const all: JsonObject[] = [];
  return {
    add(records) {
      for (const record of records) all.push(record);
    },
    async finish() {
      if (all.length === 0) return;
      const text = await formatRecords(all, result, output);
      await (isOutcome ? stdout.write(text) : stdout.writeLong(text));
    },
  };
}

async function growing(result: ListResult, output: Output): Promise<ListWriter> {
  const { stdout } = output;
  if (result.inBlocks)
    return { add: async (records) => stdout.write(`${await formatRecords(records, result, output)}\n`) };
  const { createGrowingTable } = await import('./table.ts');
  const columns = shownColumns(result.columns, output);
  const format = createGrowingTable(columns, await screenWithHints(output));
  return { add: async (records) => stdout.write(await format(records)) };
}

async function formatRecords(
  records: readonly JsonObject[],
  { columns: resultColumns, inBlocks, total }: ListResult,
  output: Output,
): Promise<string> {
  const { fields } = output;
  const columns = shownColumns(resultColumns, output);
  const screen = await screenWithHints(output);
  if (inBlocks && !fields) {
    const { formatBlocks } = await import('./format-record.ts');
    return formatBlocks(records, columns, screen);
  }
  const { formatTable } = await import('./table.ts');
  return formatTable(records, columns, screen, fields ? { userChoseColumns: true } : { total });
}

const screenWithHints = (output: Output): Promise<Screen> =>
  screenOn(output.stdout, output, (text) => output.say({ kind: 'hint', text }));

export function shownColumns(resultColumns: readonly Column[] | undefined, output: Output): Column[] {
  if (output.fields) return output.fields.map((field) => column(field));
  return columnsFor(resultColumns ?? output.columns, output.forPerson ? 'terminal' : 'pipe');
}
