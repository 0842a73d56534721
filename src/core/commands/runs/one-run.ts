import type { Context } from '../../command-line/command.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import { type Api, ifPresent } from '../../http/api.ts';
import { largestPage } from '../../http/lists/pages.ts';
import { type JsonObject, textAt } from '../../lib/json.ts';
import { type Column, column, longText, moment } from '../../output/column.ts';
import type { RecordResult } from '../../output/out.ts';
import * as routes from '../../routes.ts';
import { runColumns } from '../shared/columns.ts';

/** In a pipe: what a list has, and then what only one run has. */
const columns: Column[] = [
  ...runColumns.map((each) => (each.header === 'ended' ? moment('ended', ...each.paths) : each)),
  column('by', 'reporter.username'),
  longText('logs', [], ''),
];

/** Undefined if there is no such run, or if the service has no route for one run. */
export async function readRunById(context: Context, id: string): Promise<RecordResult | undefined> {
  const record = await runWithId(await context.api(), id);
  return record && { kind: 'record', record, columns };
}

/** `word` is the beginning of an id, as the list shows it, or the whole id of a run that cannot be read alone. */
export async function findListedRun(context: Context, word: string): Promise<RecordResult> {
  if (word === '') throw new UsageError('The id of the run is empty.', { hint: 'Give the id of a run.' });
  const api = await context.api();
  const listed = await findInList(api, word);
  const id = textAt(listed, 'id') ?? word;
  // A word that looks like an id was asked for before.
  const record = routes.looksLikeId(word) ? undefined : await runWithId(api, id);
  if (record === undefined)
    context.out.say({ kind: 'note', text: 'The service does not keep what a run printed.' });
  return { kind: 'record', record: record ?? listed, columns };
}

const runWithId = (api: Api, id: string): Promise<JsonObject | undefined> =>
  ifPresent(() => api.record(routes.getRun(id)));

/** An account may have any number of runs, so only the newest are searched. Each 100 of them cost a request. */
export const mostSearched = (word: string): number => (routes.looksLikeId(word) ? 1_000 : largestPage);

async function findInList(api: Api, word: string): Promise<JsonObject> {
  const beginning = word.toLowerCase();
  const newest = api.pages(routes.myRuns({}), { limit: mostSearched(word) });
  for await (const { records } of newest) {
    const found = records.filter((run) => textAt(run, 'id')?.toLowerCase().startsWith(beginning));
    const [first, second] = found;
    if (second !== undefined) throw severalRuns(word, found);
    if (first !== undefined) return first;
  }
  throw new NotFoundError(`There is no run ${word} among the newest.`);
}

const severalRuns = (word: string, runs: readonly JsonObject[]): UsageError =>
  new UsageError(
    `${runs.length} runs have ids that begin with "${word}": ${runs.map((run) => textAt(run, 'id')).join(' and ')}.`,
    { hint: 'Give the whole id of the run that you mean.' },
  );
