import { isObject, type JsonObject, type JsonValue, stringifyJson, stringifyLines } from '../lib/json.ts';
import { visibleLines } from '../lib/visible.ts';
import { createFieldSearch, withFields } from './column.ts';
import { type Say, warnWith } from './out.ts';
import type { Screen } from './screen.ts';
import type { Style } from './style.ts';

export async function renderJson(value: JsonValue, screen: Screen, say: Say): Promise<void> {
  const { kind, fields } = screen;
  const search = createFieldSearch(screen.fields);
  search.searchIn((Array.isArray(value) ? value : [value]).filter(isObject));
  warnWith(say)(search.warning(Array.isArray(value) ? 'No record has' : 'The record lacks'));
  if (!Array.isArray(value)) return writeJson(withFields(value, fields), screen);
  const items = value.map((item) => withFields(item, fields));
  if (kind !== 'ndjson') return writeJson(items, screen);
  for (const item of items) await writeJson(item, screen);
}

async function writeJson(value: JsonValue, screen: Screen): Promise<void> {
  const indent = screen.kind === 'ndjson' ? 0 : 2;
  const text = screen.isTerminal ? paintJson(value, await screen.style(), indent) : stringifyJson(value);
  await screen.write(`${text}\n`);
}

/** A string, with the colon that makes it a key, or anything else that is not punctuation. */
const tokens = /("(?:[^"\\]+|\\.)*")(:?)|[\w.+-]+/g;

const paintJson = (value: JsonValue, { cyan, green, yellow, dim }: Style, indent: number): string =>
  visibleLines(stringifyJson(value, indent)).replace(tokens, (token, text?: string, colon?: string) => {
    if (text === undefined) return token === 'null' ? dim(token) : yellow(token);
    return colon ? cyan(text) + colon : green(text);
  });

export interface ListWriter {
  add(records: readonly JsonObject[]): Promise<void> | void;
  finish?(): Promise<void>;
}

/** For --ndjson: each page is written when it arrives. */
export const jsonLines = (screen: Screen): ListWriter => ({
  async add(records) {
    const { fields } = screen;
    const chosen = records.map((record) => withFields(record, fields));
    if (!screen.isTerminal) return screen.write(stringifyLines(chosen));
    for (const record of chosen) await writeJson(record, screen);
  },
});

/** One array, written after the last page, so that a list that fails half-way writes nothing. */
export function jsonArray(screen: Screen): ListWriter {
  const { fields } = screen;
  if (screen.isTerminal) {
    const all: JsonValue[] = [];
    return {
      add(records) {
        for (const record of records) all.push(withFields(record, fields));
      },
      finish: () => writeJson(all, screen),
    };
  }
  // The text of each page takes less memory than its records. All texts joined could be longer than V8's longest string.
  const pages: string[] = [];
  return {
    add(records) {
      pages.push(stringifyJson(records.map((record) => withFields(record, fields))).slice(1, -1));
    },
    async finish() {
      await screen.write('[');
      for (const [index, page] of pages.entries()) await screen.write(index > 0 ? `,${page}` : page);
      await screen.write(']\n');
    },
  };
}
