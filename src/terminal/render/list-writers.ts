// Only --ndjson writes while pages arrive. The other formats write after the last page, so a list that fails half-way
// writes nothing.
import { type JsonObject, parseJson, stringifyJson, stringifyLines } from '../../lib/json.ts';
import type { Page } from '../../lib/page.ts';
import { project } from '../fields.ts';
import { withoutToken } from '../json-text.ts';
import type { ListLayout } from '../result.ts';
import type { Sink } from '../streams.ts';
import { formatRecords, tabLines } from './format-records.ts';
import { writeJson } from './json.ts';
import { type RenderOptions, screenOf, shownColumns } from './options.ts';

interface ListWriter {
  add(page: Page): Promise<void>;
  finish(): Promise<void>;
}

export function createListWriter(layout: ListLayout, stdout: Sink, options: RenderOptions): ListWriter {
  switch (options.kind) {
    case 'ndjson':
      return jsonLines(stdout, options);
    case 'json':
      return stdout.isTerminal ? indentedArray(stdout, options) : compactArray(stdout, options);
    case 'text':
      return options.forPerson ? table(layout, stdout, options) : tabRows(layout, stdout, options);
  }
}

function jsonLines(stdout: Sink, options: RenderOptions): ListWriter {
  return {
    async add(page) {
      const records = withFields(page, options);
      if (stdout.isTerminal) {
        for (const record of records) await writeJson(record, stdout, options);
      } else {
        const text = stringifyLines(records);
        const textIfTokenFound = () =>
          stringifyLines(records.map((each) => withoutToken(each, options.redactor)));
        await stdout.write(text, textIfTokenFound);
      }
    },
    async finish() {},
  };
}

function indentedArray(stdout: Sink, options: RenderOptions): ListWriter {
  const records: JsonObject[] = [];
  return {
    async add(page) {
      for (const record of withFields(page, options)) records.push(record);
    },
    finish: () => writeJson(records, stdout, options),
  };
}

/**
 * Keeps the text of each page, because the records would take more memory. The texts are not joined, because the joined
 * text could be longer than V8's longest string.
 */
function compactArray(stdout: Sink, options: RenderOptions): ListWriter {
  const arrays: string[] = [];
  return {
    async add(page) {
      arrays.push(stringifyJson(withFields(page, options)));
    },
    async finish() {
      await stdout.write('[');
      for (const [index, array] of arrays.entries()) {
        if (index > 0) await stdout.write(',');
        const textIfTokenFound = () =>
          itemsOf(stringifyJson(withoutToken(parseJson(array), options.redactor)));
        await stdout.write(itemsOf(array), textIfTokenFound);
      }
      await stdout.write(']\n');
    },
  };
}

const itemsOf = (jsonArray: string): string => jsonArray.slice(1, -1);

function tabRows({ columns: resultColumns }: ListLayout, stdout: Sink, options: RenderOptions): ListWriter {
  const columns = shownColumns(resultColumns, options);
  const pages: string[] = [];
  return {
    async add(page) {
      pages.push(await tabLines(page, columns, options.redactor));
    },
    async finish() {
      for (const text of pages) await stdout.write(text);
    },
  };
}

function table(layout: ListLayout, stdout: Sink, options: RenderOptions): ListWriter {
  const records: JsonObject[] = [];
  return {
    async add(page) {
      for (const record of page.records) records.push(record);
    },
    async finish() {
      if (records.length === 0) return;
      await stdout.writeLong(await formatRecords(records, layout, await screenOf(stdout, options), options));
    },
  };
}

const withFields = ({ records }: Page, { fields }: RenderOptions): readonly JsonObject[] =>
  fields ? records.map((record) => project(record, fields)) : records;
