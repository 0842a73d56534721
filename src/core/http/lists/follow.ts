import { type Clock, wait } from '../../lib/clock.ts';
import { type JsonObject, type Page, stringifyJson, textOf } from '../../lib/json.ts';
import { largestPage, RecentKeys } from './pages.ts';

export interface FollowOptions {
  /** Reads so many of the newest records. `end` is set if the list may go on. */
  readNewest(count: number): Promise<Page>;
  last: number;
  clock: Clock;
  signal: AbortSignal;
  /** Called if more records came than one look reads. */
  onMissing(): void;
}

const betweenLooksMs = 2_000;

/** Gives the last records of a list that begins with the newest, and then each new record, the oldest first. */
export async function* follow(options: FollowOptions): AsyncGenerator<Page> {
  const { readNewest, last, clock, signal, onMissing } = options;
  const known = new RecentKeys();
  const isKnown = (record: JsonObject): boolean => known.has(keyOf(record));
  let before = await readNewest(Math.max(last, largestPage));
  for (const record of before.records) known.add(keyOf(record));
  yield { records: before.records.slice(0, last).toReversed() };

  for (;;) {
    await wait(clock, betweenLooksMs, signal);
    signal.throwIfAborted();
    const now = await readNewest(largestPage);
    const lastKnown = now.records.findLastIndex(isKnown);
    if (lastKnown === -1 && now.end !== undefined) onMissing();
    // Records below the last known one may be old: they come up from the next page when others are deleted.
    const mayBeOld = before.end !== undefined && lastKnown !== -1;
    const fresh = now.records
      .slice(0, mayBeOld ? lastKnown : now.records.length)
      .filter((record) => !isKnown(record));
    for (const record of now.records) known.add(keyOf(record));
    if (fresh.length > 0) yield { records: fresh.toReversed() };
    before = now;
  }
}

const keyOf = (record: JsonObject): string => textOf(record.id) ?? stringifyJson(record);
