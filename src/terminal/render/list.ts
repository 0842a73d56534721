// A list on stdout: a table at a terminal, a line per record in a pipe, one array or one record per line in JSON.
import { type JsonObject, lookUp } from '../../lib/json.ts';
import { interruptibleIfLarge } from '../../lib/page.ts';
import type { ListResult, OutcomesResult } from '../result.ts';
import type { Sink } from '../streams.ts';
import { createListWriter } from './list-writers.ts';
import type { RenderOptions } from './options.ts';

export async function renderList(result: ListResult, stdout: Sink, options: RenderOptions): Promise<void> {
  const { inspect, warnOfUnknown } = createFieldCheck(result, options);
  await writeList(result, stdout, options, inspect);
  warnOfUnknown();
}

export function renderOutcomes(
  { rows }: OutcomesResult,
  stdout: Sink,
  options: RenderOptions,
): Promise<void> {
  // Outcomes are shown without a pager, because the user waits for the shell's prompt.
  const unpaged = { ...stdout, writeLong: stdout.write };
  // Outcomes are shown even after an interrupt.
  const interruptibleUnlessWritten = async <T>(work: () => T | Promise<T>) => work();
  // Outcomes leave out keys without a value, so a missing field is no reason for a warning.
  const inspect = () => {};
  return writeList({ kind: 'list', rows }, unpaged, { ...options, interruptibleUnlessWritten }, inspect);
}

async function writeList(
  result: ListResult,
  stdout: Sink,
  options: RenderOptions,
  inspect: (records: readonly JsonObject[]) => void,
): Promise<void> {
  const writer = createListWriter(result, stdout, options);
  const pages = Symbol.asyncIterator in result.rows ? result.rows : [{ records: result.rows }];
  let isEmpty = true;
  for await (const page of pages) {
    if (page.records.length === 0) continue;
    isEmpty = false;
    if (options.fields) await interruptibleIfLarge(page, () => inspect(page.records));
    await writer.add(page);
  }
  if (isEmpty) options.onEmpty?.();
  await options.interruptibleUnlessWritten(() => writer.finish());
}

const maxKeysInWarning = 20;

/** Finds the names in --fields that are neither a column nor a key of any record. */
function createFieldCheck(result: ListResult, { fields = [], columns, warn }: RenderOptions) {
  const known = new Set((result.columns ?? columns).flatMap(({ paths }) => paths));
  const unseen = new Set(fields.filter((field) => !known.has(field)));
  const keys = new Set<string>();
  return {
    inspect(records: readonly JsonObject[]): void {
      if (unseen.size === 0) return;
      for (const record of records) {
        for (const field of unseen) if (lookUp(record, field) !== undefined) unseen.delete(field);
        if (keys.size < maxKeysInWarning) for (const key of Object.keys(record)) keys.add(key);
      }
    },
    warnOfUnknown(): void {
      if (unseen.size === 0 || keys.size === 0) return;
      const present = [...keys].slice(0, maxKeysInWarning).join(', ');
      const missing = [...unseen].map((field) => `"${field}"`).join(' or ');
      warn(`No record has the field ${missing}. The fields are: ${present}.`);
    },
  };
}
