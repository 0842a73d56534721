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
  // Outcomes are shown without a pager, so that the command ends by itself.
  const unpaged = { ...stdout, writeLong: stdout.write };
  // Outcomes are shown even after an interrupt, because they report changes.
  const interruptibleUnlessWritten = async <T>(work: () => T | Promise<T>) => work();
  // An outcome omits empty keys, so a missing field is not a typing mistake.
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

function createFieldCheck(result: ListResult, { fields = [], commandColumns, warn }: RenderOptions) {
  const known = new Set((result.columns ?? commandColumns).flatMap(({ paths }) => paths));
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
