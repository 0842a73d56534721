import { isObject, type JsonObject, type JsonValue, stringifyJson, stringifyLines } from '../lib/json.ts';
import { visibleLines } from '../lib/visible.ts';
import { createFieldSearch, withFields } from './fields.ts';
import { createStyle, type Style } from './style.ts';
import type { Output } from './view.ts';

export async function renderJson(value: JsonValue, output: Output): Promise<void> {
  const { kind, fields } = output;
  const search = createFieldSearch(output);
  search.searchIn((Array.isArray(value) ? value : [value]).filter(isObject));
  search.report(Array.isArray(value) ? 'No record has' : 'The record lacks');
  if (!Array.isArray(value)) return writeJson(withFields(value, fields), output);
  const items = value.map((item) => withFields(item, fields));
  if (kind !== 'ndjson') return writeJson(items, output);
  for (const item of items) await writeJson(item, output);
}

async function writeJson(value: JsonValue, { stdout, kind }: Output): Promise<void> {
  const indent = kind === 'ndjson' ? 0 : 2;
  const text = stdout.isTerminal
    ? paintJson(value, await createStyle(stdout.color), indent)
    : stringifyJson(value);
  await (Array.isArray(value) ? stdout.writeLong(`${text}\n`) : stdout.write(`${text}\n`));
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
export const jsonLines = (output: Output): ListWriter => ({
  async add(records) {
    const { stdout, fields } = output;
    const chosen = records.map((record) => withFields(record, fields));
    if (!stdout.isTerminal) return stdout.write(stringifyLines(chosen));
    for (const record of chosen) await writeJson(record, output);
  },
});

/** One array, written after the last page, so that a list that fails half-way writes nothing. */
export function jsonArray(output: Output): ListWriter {
  const { stdout, fields } = output;
  if (stdout.isTerminal) {
    const all: JsonValue[] = [];
    return {
      add(records) {
        for (const record of records) all.push(withFields(record, fields));
      },
      finish: () => writeJson(all, output),
    };
  }
  // The text of each page takes less memory than its records. All texts joined could be longer than V8's longest string.
  const pages: string[] = [];
  return {
    add(records) {
      pages.push(stringifyJson(records.map((record) => withFields(record, fields))).slice(1, -1));
    },
    async finish() {
      await stdout.write('[');
      for (const [index, page] of pages.entries()) await stdout.write(index > 0 ? `,${page}` : page);
      await stdout.write(']\n');
    },
  };
}
