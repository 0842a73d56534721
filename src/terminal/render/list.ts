// A list on stdout: a table at a terminal, a line per record in a pipe, one array or one record per line in JSON.
import { type JsonObject, lookUp } from '../../lib/json.ts';
import { interruptibleIfLarge } from '../../lib/page.ts';
import type { ListResult, OutcomesResult } from '../result.ts';
import type { Sink } from '../streams.ts';
import { createListWriter } from './list-writers.ts';
import type { RenderOptions } from './options.ts';

export async function renderList(result: ListResult, stdout: Sink, options: RenderOptions): Promise<void> {
  const unknown = findUnknownFields(result, options);
  await writeList(result, stdout, options, unknown.look);
  unknown.warn();
}

export function renderOutcomes(
  { rows }: OutcomesResult,
  stdout: Sink,
  options: RenderOptions,
): Promise<void> {
  // No pager, because the user waits for the prompt.
  const unpaged = { ...stdout, writeLong: stdout.write };
  // Outcomes are shown even after an interrupt.
  const endable = async <T>(work: () => T | Promise<T>) => work();
  // No warning about unknown fields, because outcomes leave out keys without a value.
  const look = () => {};
  return writeList({ kind: 'list', rows }, unpaged, { ...options, endable }, look);
}

async function writeList(
  result: ListResult,
  stdout: Sink,
  options: RenderOptions,
  look: (records: readonly JsonObject[]) => void,
): Promise<void> {
  const writer = createListWriter(result, stdout, options);
  const pages = Symbol.asyncIterator in result.rows ? result.rows : [{ records: result.rows }];
  let isEmpty = true;
  for await (const page of pages) {
    if (page.records.length === 0) continue;
    isEmpty = false;
    if (options.fields) await interruptibleIfLarge(page, () => look(page.records));
    await writer.add(page);
  }
  if (isEmpty) options.onEmpty?.();
  await options.endable(() => writer.finish());
}

/** The most keys that a warning names. */
const mostNamed = 20;

/** Finds the fields that no record has and that are no column of the command. */
function findUnknownFields(result: ListResult, { fields = [], columns, warn }: RenderOptions) {
  const known = new Set((result.columns ?? columns).flatMap(({ paths }) => paths));
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
    warn(): void {
      if (unseen.size === 0 || keys.size === 0) return;
      const there = [...keys].slice(0, mostNamed).join(', ');
      const missing = [...unseen].map((field) => `"${field}"`).join(' or ');
      warn(`No record has the field ${missing}. The fields are: ${there}.`);
    },
  };
}
