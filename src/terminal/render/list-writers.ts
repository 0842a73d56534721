// Writes the pages of a list, in each format. Only --ndjson writes while pages arrive. In every other format, a list that
// fails half-way writes nothing.
import { type JsonObject, stringifyEach } from '../../lib/json.ts';
import { interruptibleIfLarge, type Page } from '../../lib/page.ts';
import { project } from '../fields.ts';
import { withoutToken } from '../json-text.ts';
import type { ListLayout } from '../result.ts';
import type { Sink } from '../streams.ts';
import { writeJson } from './json.ts';
import { arrange, type RenderOptions, screenOf, shownColumns, tabLine } from './options.ts';

interface ListWriter {
  /** Takes a page that is not empty. */
  add(page: Page): Promise<void>;
  /** Called after the last page. */
  finish(): Promise<void>;
}

export function createListWriter(layout: ListLayout, stdout: Sink, options: RenderOptions): ListWriter {
  switch (options.kind) {
    case 'ndjson':
      return jsonLines(stdout, options);
    case 'json':
      return stdout.isTerminal ? indentedArray(stdout, options) : compactArray(stdout, options);
    case 'text':
      return options.screen ? table(layout, stdout, options) : tabLines(layout, stdout, options);
  }
}

function jsonLines(stdout: Sink, options: RenderOptions): ListWriter {
  return {
    async add(page) {
      const records = withFields(page, options);
      if (stdout.isTerminal) {
        for (const record of records) await writeJson(record, stdout, options);
      } else {
        const { text, clean } = jsonOf(records, '\n', options);
        await stdout.write(await interruptibleIfLarge(page, text), clean);
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

/** Writes page by page, because the text of a very long list could exceed the longest string of V8. */
function compactArray(stdout: Sink, options: RenderOptions): ListWriter {
  const pages: { text: string; clean: () => string }[] = [];
  return {
    async add(page) {
      const { text, clean } = jsonOf(withFields(page, options), ',', options);
      pages.push({ text: await interruptibleIfLarge(page, text), clean });
    },
    async finish() {
      await stdout.write('[');
      for (const [index, { text, clean }] of pages.entries()) {
        // No comma after the last record.
        const end = index === pages.length - 1 ? -1 : undefined;
        await stdout.write(text.slice(0, end), () => clean().slice(0, end));
      }
      await stdout.write(']\n');
    },
  };
}

function tabLines({ columns: own }: ListLayout, stdout: Sink, options: RenderOptions): ListWriter {
  const columns = shownColumns(own, options);
  const pages: string[] = [];
  return {
    async add(page) {
      const lines = () => page.records.map((record) => tabLine(record, columns, options.redactor)).join('');
      pages.push(await interruptibleIfLarge(page, lines));
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
      await stdout.writeLong(await arrange(records, layout, await screenOf(stdout, options), options));
    },
  };
}

const withFields = ({ records }: Page, { fields }: RenderOptions): readonly JsonObject[] =>
  fields ? records.map((record) => project(record, fields)) : records;

/** The records with a separator after each, and the same without the token. */
const jsonOf = (records: readonly JsonObject[], separator: '\n' | ',', { redactor }: RenderOptions) => ({
  text: () => stringifyEach(records, separator),
  clean: () =>
    stringifyEach(
      records.map((record) => withoutToken(record, redactor)),
      separator,
    ),
});
