import type { Api } from '../api/api.ts';
import { textAt } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { AuthError, ConflictError, NotFoundError, UsageError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import { asQuestion, didYouMean } from '../lib/suggest.ts';
import { namePattern } from '../lib/val-limits.ts';
import { chosenBaseUrl, type Settings } from '../settings/settings.ts';
import { listForLookup } from './my-vals.ts';
import type { Recalled, SeenVals } from './seen-vals.ts';

export interface FindOptions {
  settings: Settings;
  seen: SeenVals;
  clock: Clock;
  connect(): Promise<Api>;
  isForWriting: boolean;
  onRead(id: string, record: JsonObject, etag: string | undefined): void;
  namesToSuggest: readonly string[];
}

export interface NamedVal {
  id: string;
  name: string;
}

const shortestIdPrefix = 6;

/** The name is undefined if the user gave an id or the beginning of an id. */
type FoundVal = Pick<NamedVal, 'id'> & Partial<NamedVal>;

export function createFinder(options: FindOptions): (word: string) => Promise<FoundVal> {
  const { settings, seen, connect, namesToSuggest } = options;
  let listed: Promise<NamedVal[] | undefined> | undefined;
  async function readList(): Promise<NamedVal[] | undefined> {
    const pages = await listForLookup({ ...options, api: await connect() });
    if (pages === undefined) return undefined;
    const vals: NamedVal[] = [];
    for await (const records of pages) {
      for (const val of records.flatMap(namedOf)) vals.push(val);
    }
    return vals;
  }
  const listOnce = () => {
    listed ??= readList();
    return listed;
  };

  return async (word) => {
    const recalled = await seen.recall();
    const remembered = await currentVals(
      word,
      recalled.mine.filter(({ name }) => name === word),
    );
    if (remembered !== undefined) return only(remembered, `are named "${word}"`);
    const fromMemory = () => byIdPrefix(recalled, word);
    // A name has precedence over the beginning of an id. So the list of vals is read first if the word can be a name.
    const early = namePattern.test(word) ? undefined : fromMemory();
    if (early !== undefined) return early;
    if (!hasToken(settings)) {
      const val = fromMemory();
      if (val !== undefined) return val;
      throw withoutToken(settings, word);
    }
    const mine = await listOnce();
    const found = mine?.filter(({ name }) => name === word) ?? [];
    const current = found.length > 1 ? found : await currentVals(word, found);
    if (current !== undefined) return only(current, `are named "${word}"`);
    const val = fromMemory();
    if (val !== undefined) return val;
    const names = [
      ...namesToSuggest,
      ...recalled.mine.map(({ name }) => name),
      ...(mine ?? []).map(({ name }) => name),
    ];
    throw unknownName(word, names, mine !== undefined);
  };

  /** Asks the service for the current names, because a write by an outdated name could change another val. */
  async function currentVals(name: string, vals: readonly NamedVal[]): Promise<NamedVal[] | undefined> {
    if (vals.length === 0) return undefined;
    if (vals.length === 1 && !options.isForWriting) return [...vals];
    const api = await connect();
    const current: NamedVal[] = [];
    for (const { id } of vals) {
      const read = await api.recordWithEtag(routes.getVal(id)).catch(undefinedIfGone);
      if (read === undefined) continue;
      const nameNow = textAt(read.record, 'name') ?? name;
      if (nameNow === name) {
        current.push({ id, name });
        options.onRead(id, read.record, read.etag);
      } else if (vals.length === 1) throw otherName({ id, name }, nameNow);
    }
    return current.length === 0 ? undefined : current;
  }
}

/** Checks that a val of vals.json still has its name on the service. */
export function createConfirm({
  connect,
  onRead,
}: Pick<FindOptions, 'connect' | 'onRead'>): (val: NamedVal) => Promise<void> {
  return async (val) => {
    const api = await connect();
    const { record, etag } = await api.recordWithEtag(routes.getVal(val.id));
    onRead(val.id, record, etag);
    const nameNow = textAt(record, 'name') ?? val.name;
    if (nameNow !== val.name) throw otherName(val, nameNow);
  };
}

const hasToken = (settings: Settings): boolean => settings.local.value || settings.token !== undefined;

function undefinedIfGone(error: unknown): undefined {
  if (error instanceof NotFoundError) return undefined;
  throw error;
}

const namedOf = (record: JsonObject): NamedVal[] => {
  const id = textAt(record, 'id');
  const name = textAt(record, 'name');
  return id === undefined || name === undefined ? [] : [{ id, name }];
};

function byIdPrefix({ vals }: Recalled, word: string): FoundVal | undefined {
  const whole = vals.find(({ id }) => id === word);
  if (whole !== undefined) return { id: whole.id };
  if (word.length < shortestIdPrefix) return undefined;
  const prefix = word.toLowerCase();
  const found = vals.filter(({ id }) => id.toLowerCase().startsWith(prefix));
  if (found.length === 0) return undefined;
  return { id: only(found, `have ids that begin with "${word}"`).id };
}

const mostShown = 10;

function only(found: readonly NamedVal[], alike: string): NamedVal {
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const each = found.slice(0, mostShown).map(({ id, name }) => `${id} (${name})`);
  const more = found.length > mostShown ? [`${found.length - mostShown} more`] : [];
  throw new UsageError(`${found.length} vals ${alike}: ${[...each, ...more].join(' and ')}.`, {
    hint: 'Give the whole id of the val that you mean.',
  });
}

const otherName = ({ id, name }: NamedVal, nameNow: string): ConflictError =>
  new ConflictError(`The val "${name}" is named "${nameNow}" on the service. Nothing was done.`, {
    hint: `To use the val "${nameNow}", give its id: ${id}.`,
  });

const withoutToken = (settings: Settings, word: string): AuthError => {
  const { origin, href } = chosenBaseUrl(settings);
  return new AuthError(`The val "${word}" cannot be found by its name: there is no token for ${origin}.`, {
    hint: [
      { text: 'To sign in', command: 'login', input: { baseUrl: href } },
      "Or set VALS_TOKEN, or give the val's whole id.",
    ],
  });
};

function unknownName(word: string, names: readonly string[], isListed: boolean): NotFoundError {
  const inFolder = names.find((name) => name.endsWith(`/${word}`));
  const suggestion = inFolder === undefined ? didYouMean(word, names) : asQuestion([`"${inFolder}"`]);
  return new NotFoundError(`There is no val named ${word}.${suggestion}`, {
    hint: isListed
      ? { text: 'To list your vals', command: 'ls' }
      : 'This service cannot list vals, so give the id. Once this machine has seen a val, its name works too.',
  });
}
