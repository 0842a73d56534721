import type { ServiceRequest } from '../request.ts';
import type { Caller } from '../store/caller.ts';
import {
  changePositions,
  type RecordPosition,
  recordPositions,
  valPositions,
  versionPositions,
} from '../store/positions.ts';
import type { Store } from '../store/store.ts';
import { importLinks } from './imports.ts';
import { readShownRun } from './shown-run.ts';

const valsOnPage = 20;
const versionsOnPage = 20;
const runsOnPage = 20;
const runsOfVal = 10;
/** More of them would make the page of 100,000 runs slower than that of ten. */
const mostSummarized = 100;

export async function homeData(store: Store, { owner }: Caller, after: RecordPosition | undefined) {
  const { vals, next } = await store.pages.changedVals(owner, { limit: valsOnPage, after });
  return {
    vals,
    lastRuns: await store.pages.lastResults(vals),
    next: next && changePositions.write(next),
    isFirst: after === undefined,
  };
}

export async function searchData(
  store: Store,
  caller: Caller,
  { text, after }: { text: string; after: readonly [number] | undefined },
) {
  const found = await store.search(caller, text, {
    onlyOwn: false,
    limit: valsOnPage,
    ...(after && { after }),
  });
  const own = found.items.filter(({ author }) => author.id === caller.owner.id);
  return {
    text,
    vals: found.items,
    lastRuns: await store.pages.lastResults(own),
    next: found.next && valPositions.write(found.next),
    isFirst: after === undefined,
  };
}

export async function valData(
  store: Store,
  request: ServiceRequest,
  id: string,
  after: readonly [number] | undefined,
) {
  const { caller } = request;
  const val = await store.val(caller, id);
  const isOwn = caller !== undefined && val.author.id === caller.owner.id;
  const runs = isOwn ? await store.runs(caller, id, { limit: runsOfVal }) : undefined;
  const { items, next } = await store.versions(caller, id, {
    limit: versionsOnPage,
    ...(after && { after }),
  });
  return {
    val,
    linkOf: await importLinks(store, request, val),
    versions: { items, next: next && versionPositions.write(next), isFirst: after === undefined },
    runs: runs?.records.map(({ json }) => readShownRun(json)),
  };
}

export async function versionData(
  store: Store,
  request: ServiceRequest,
  id: string,
  { version, from }: { version: number; from: number | undefined },
) {
  const { caller } = request;
  const val = await store.version(caller, id, version);
  const { older, newer } = await store.pages.versionsAround(id, version);
  const compared = from ?? older;
  return {
    val,
    before: compared === undefined ? undefined : await store.version(caller, id, compared),
    isCurrent: newer === undefined,
    older,
    newer,
    linkOf: await importLinks(store, request, val),
  };
}

interface WantedRuns {
  val: string | undefined;
  error: 'failed' | 'passed' | undefined;
  after: RecordPosition | undefined;
}

export async function runsData(store: Store, caller: Caller, { val: id, error: tag, after }: WantedRuns) {
  const read = (limit: number, filter: { tag?: string; after?: RecordPosition }) =>
    id === undefined
      ? store.records(caller, 'runs', { limit, ...filter })
      : store.runs(caller, id, { limit, ...filter });
  const { records, more } = await read(runsOnPage, { ...(tag && { tag }), ...(after && { after }) });
  const latest = await read(mostSummarized, {});
  const last = more ? records.at(-1) : undefined;
  return {
    runs: records.map(({ json }) => readShownRun(json)),
    summarized: latest.records.map(({ json }) => readShownRun(json)),
    hasMore: latest.more,
    only: tag,
    val: id === undefined ? undefined : await store.val(caller, id),
    next: last && recordPositions.write([last.at, last.position]),
    isFirst: after === undefined,
  };
}

export async function runData(store: Store, caller: Caller, id: string) {
  const { json, logs } = await store.run(caller, id);
  const run = readShownRun(json);
  const isVersionThere = run.version !== undefined && (await store.pages.hasVersion(run.val.id, run.version));
  return { run, logs, isVersionThere };
}
