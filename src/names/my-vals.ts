import type { Api } from '../api/api.ts';
import type { Paging } from '../api/lists/pages.ts';
import { changedAtOf, isTooLong, ownerOf, textAt } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { UnavailableError, ValsError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Hints } from '../lib/hint.ts';
import { type JsonObject, stringifyJson } from '../lib/json.ts';
import type { Page } from '../lib/page.ts';
import type { Settings } from '../settings/settings.ts';
import type { SeenVals } from './seen-vals.ts';

export async function openMyVals(
  api: Api,
  seen: SeenVals,
  paging: Paging,
): Promise<AsyncGenerator<Page> | undefined> {
  // A 404 here means that there is no service at the address, so it is an error.
  const id = (await seen.recall()).me ?? textAt(await api.record(routes.me()), 'id');
  if (id === undefined) return undefined;
  try {
    const pages = api.pages(routes.userVals(id), paging);
    const first = await pages.next();
    return (async function* () {
      if (first.done) return;
      yield first.value;
      yield* pages;
    })();
  } catch (error) {
    if (error instanceof ValsError && [404, 405].includes(error.facts.status ?? 0)) return undefined;
    throw error;
  }
}

export interface Lookup {
  api: Api;
  seen: SeenVals;
  clock: Clock;
  settings: Settings;
}

export const mostForAll = 200_000;

type Purpose = 'to find a name' | 'to get all vals' | 'to copy all vals';

const hints: Record<Purpose, Hints> = {
  'to find a name': "Give the val's id instead of its name.",
  'to get all vals': {
    text: 'To add a single val to a workspace',
    command: 'pull',
    input: { vals: true },
  },
  'to copy all vals': 'Omit --all, and give the names or ids of the vals.',
};

export async function listForLookup(
  { api, seen, clock, settings }: Lookup,
  purpose: Purpose,
  {
    mustBeWhole = false,
    mostSeconds = settings.timeout.value,
  }: Pick<Paging, 'mustBeWhole'> & { mostSeconds?: number } = {},
): Promise<AsyncGenerator<readonly JsonObject[]> | undefined> {
  const isForAll = purpose !== 'to find a name';
  const seconds = isForAll ? Number.POSITIVE_INFINITY : mostSeconds;
  const hint = hints[purpose];
  const began = clock.now();
  const pages = await openMyVals(api, seen, { all: true, mustBeWhole });
  if (pages === undefined) return undefined;
  return (async function* () {
    let count = 0;
    for await (const { records } of pages) {
      yield records.filter(isKept);
      count += records.length;
      if (count > mostForAll)
        throw listTooLong(`has more than ${mostForAll.toLocaleString('en')} entries`, hint);
      if (clock.now() - began > seconds * 1_000) {
        throw listTooLong(`did not end within ${seconds} s`, hint);
      }
    }
  })();
}

/** Skips records with very long texts, because the callers keep these texts of all vals in memory. */
function isKept(record: JsonObject): boolean {
  const texts = [textAt(record, 'id'), textAt(record, 'name'), changedAtOf(record), ownerOf(record)?.id];
  return ![...texts, stringifyJson(record.version ?? null)].some((text = '') => isTooLong(text));
}

const listTooLong = (problem: string, hint: Hints): UnavailableError =>
  new UnavailableError(`The service's list of vals ${problem}.`, { hint });
