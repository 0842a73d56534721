import type { JsonObject, Page } from '../lib/json.ts';
import { type Column, column, columnsFor, columnText, tabCell } from './column.ts';
import { createFieldSearch } from './fields.ts';
import type { Say } from './out.ts';
import { changedSomething } from './outcome.ts';
import { jsonArray, jsonLines, type ListWriter } from './render-json.ts';
import { type ListResult, moreRecords, outcomesIn, pagesOf } from './result.ts';
import type { Screen } from './screen.ts';
import type { Table } from './table.ts';

export async function renderList(result: ListResult, screen: Screen, say: Say): Promise<void> {
  const writer = await writerFor(result, screen, say);
  const search = createFieldSearch(screen, say);
  let isEmpty = true;
  let end: Page['end'];
  for await (const page of await pagesOf(result.rows, screen.writeHints)) {
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
  search.report('No record has');
}

function writerFor(result: ListResult, screen: Screen, say: Say): ListWriter | Promise<ListWriter> {
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

export const tabLines = (records: readonly JsonObject[], columns: readonly Column[]): string =>
  records
    .map((record) => `${columns.map((column) => tabCell(columnText(record, column))).join('\t')}\n`)
    .join('');

/** A table is as wide as all of its rows need. */
function wholeList(result: ListResult, screen: Screen, say: Say): ListWriter {
  // A list of what was done is shown without a pager, so that the command ends by itself.
  const isOutcome = result.error !== undefined || changedSomething(outcomesIn(result));
  const all: JsonObject[] = [];
  return {
    add(records) {
      for (const record of records) all.push(record);
    },
    async finish() {
      if (all.length === 0) return;
      const text = await formatRecords(all, result, screen, say);
      await (isOutcome ? screen.write(text) : screen.writeLong(text));
    },
  };
}

async function growing(result: ListResult, screen: Screen, say: Say): Promise<ListWriter> {
  if (result.inBlocks)
    return { add: async (records) => screen.write(`${await formatRecords(records, result, screen, say)}\n`) };
  const { createGrowingTable } = await import('./table.ts');
  const format = createGrowingTable(shownColumns(result.columns, screen), screen);
  return { add: async (records) => screen.write(textOf(await format(records), say)) };
}

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

function textOf({ text, hints }: Table, say: Say): string {
  for (const hint of hints) say({ kind: 'hint', text: hint });
  return text;
}

export function shownColumns(
  columns: readonly Column[] = [],
  { fields, forPerson }: Pick<Screen, 'fields' | 'forPerson'>,
): Column[] {
  return fields?.map((field) => column(field)) ?? columnsFor(columns, forPerson ? 'terminal' : 'pipe');
}
