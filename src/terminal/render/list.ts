import { type JsonObject, lookUp } from '../../lib/json.ts';
import type { Page } from '../../lib/page.ts';
import type { ListResult, OutcomesResult } from '../result.ts';
import type { Sink } from '../streams.ts';
import { createListWriter } from './list-writers.ts';
import type { RenderOptions } from './options.ts';

export async function renderList(result: ListResult, stdout: Sink, options: RenderOptions): Promise<void> {
  const missingFields = createMissingFields(result, options);
  await writeList(result, stdout, options, missingFields.searchIn);
  missingFields.report();
}

export function renderOutcomes(
  { rows, columns }: OutcomesResult,
  stdout: Sink,
  options: RenderOptions,
): Promise<void> {
  // Outcomes are shown without a pager, so that the command ends by itself.
  const unpaged = { ...stdout, writeLong: stdout.write };
  // Outcomes are shown even after an interrupt, because they report changes.
  const interruptibleIfReadOnly = async <T>(work: () => T | Promise<T>) => work();
  return writeList({ kind: 'list', rows, ...(columns && { columns }) }, unpaged, {
    ...options,
    interruptibleIfReadOnly,
  });
}

async function writeList(
  result: ListResult,
  stdout: Sink,
  options: RenderOptions,
  beforePage: (page: Page) => void = () => {},
): Promise<void> {
  const writer = createListWriter(result, stdout, options);
  const pages = Symbol.asyncIterator in result.rows ? result.rows : [{ records: result.rows }];
  let isEmpty = true;
  for await (const page of pages) {
    if (page.records.length === 0) continue;
    isEmpty = false;
    beforePage(page);
    await writer.add(page);
  }
  if (isEmpty) options.onEmpty?.();
  await options.interruptibleIfReadOnly(() => writer.finish());
}

const maxKeysInWarning = 20;

function createMissingFields(result: ListResult, { fields = [], commandColumns, warn }: RenderOptions) {
  const known = new Set((result.columns ?? commandColumns).flatMap(({ paths }) => paths));
  const missing = new Set(fields.filter((field) => !known.has(field)));
  const present = new Set<string>();
  const searchInRecord = (record: JsonObject) => {
    for (const field of missing) {
      if (lookUp(record, field) !== undefined) missing.delete(field);
    }
    if (present.size >= maxKeysInWarning) return;
    for (const key of Object.keys(record)) present.add(key);
  };
  return {
    searchIn({ records }: Page): void {
      if (missing.size > 0) for (const record of records) searchInRecord(record);
    },
    report(): void {
      if (missing.size === 0 || present.size === 0) return;
      const missingFields = [...missing].map((field) => `"${field}"`).join(' or ');
      const presentFields = [...present].slice(0, maxKeysInWarning).join(', ');
      warn(`No record has the field ${missingFields}. The fields are: ${presentFields}.`);
    },
  };
}
