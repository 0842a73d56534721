import { UnavailableError } from '../../errors.ts';
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
  /** Called when a look fails because the service cannot be reached, once until a look succeeds again. */
  onOutage(failure: UnavailableError): void;
  onOutageEnd(): void;
}

const betweenLooksMs = 2_000;

/** Gives the last records of a list that begins with the newest, and then each new record, the oldest first. */
export async function* follow(options: FollowOptions): AsyncGenerator<Page> {
  const { last, onMissing } = options;
  const known = new RecentKeys();
  const isKnown = (record: JsonObject): boolean => known.has(keyOf(record));
  let before = await look(options, Math.max(last, largestPage));
  for (const record of before.records) known.add(keyOf(record));
  yield { records: before.records.slice(0, last).toReversed() };

  for (;;) {
    await pause(options);
    const now = await look(options, largestPage);
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

/** Looks until the service can be reached. */
async function look(options: FollowOptions, count: number): Promise<Page> {
  for (let isOutage = false; ; isOutage = true) {
    try {
      const page = await options.readNewest(count);
      if (isOutage) options.onOutageEnd();
      return page;
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      if (!isOutage) options.onOutage(error);
      await pause(options);
    }
  }
}

async function pause({ clock, signal }: FollowOptions): Promise<void> {
  await wait(clock, betweenLooksMs, signal);
  signal.throwIfAborted();
}

const keyOf = (record: JsonObject): string => textOf(record.id) ?? stringifyJson(record);
