import type { Reader } from '../database/database.ts';
import { importedIds, valIdIn } from '../imports.ts';
import { type ServiceRequest, spacePrefix } from '../request.ts';
import type { Caller } from '../store/caller.ts';
import { valsWithText } from '../store/lists.ts';
import { changedVals, lastResults, readableIds, versionsAround } from '../store/page-reads.ts';
import {
  changePositions,
  type RecordPosition,
  recordPositions,
  valPositions,
  versionPositions,
} from '../store/positions.ts';
import { findRecords } from '../store/records.ts';
import { findRun, runsOfVal } from '../store/runs.ts';
import type { Val } from '../store/val-rows.ts';
import { visibleVal } from '../store/vals.ts';
import { hasVersion, pageOfVersions, visibleVersion } from '../store/versions.ts';
import type { LinkOf } from './code-card.ts';
import { valAddress } from './parts.ts';
import { readShownRun } from './shown-run.ts';

const valsOnPage = 20;
const versionsOnPage = 20;
const runsOnPage = 20;
const runsOnValPage = 10;
/** More of them would make the page of 100,000 runs slower than that of ten. */
const mostSummarized = 100;

export async function homeData(db: Reader, { owner }: Caller, after: RecordPosition | undefined) {
  const { vals, next } = await changedVals(db, owner, { limit: valsOnPage, after });
  return {
    vals,
    lastRuns: await lastResults(db, vals),
    next: next && changePositions.write(next),
    isFirst: after === undefined,
  };
}

export type HomeData = Awaited<ReturnType<typeof homeData>>;

export async function searchData(
  db: Reader,
  caller: Caller,
  { text, after }: { text: string; after: readonly [number] | undefined },
) {
  const found = await valsWithText(db, caller, text, {
    onlyOwn: false,
    limit: valsOnPage,
    ...(after && { after }),
  });
  const own = found.items.filter(({ author }) => author.id === caller.owner.id);
  return {
    text,
    vals: found.items,
    lastRuns: await lastResults(db, own),
    next: found.next && valPositions.write(found.next),
    isFirst: after === undefined,
  };
}

export type SearchData = Awaited<ReturnType<typeof searchData>>;

export async function valData(
  db: Reader,
  request: ServiceRequest,
  id: string,
  after: readonly [number] | undefined,
) {
  const { caller } = request;
  const val = await visibleVal(db, caller, id);
  const isOwn = caller !== undefined && val.author.id === caller.owner.id;
  const runs = isOwn ? await runsOfVal(db, caller, id, { limit: runsOnValPage }) : undefined;
  const { items, next } = await pageOfVersions(db, caller, id, {
    limit: versionsOnPage,
    ...(after && { after }),
  });
  return {
    val,
    linkOf: await importLinks(db, request, val),
    versions: { items, next: next && versionPositions.write(next), isFirst: after === undefined },
    /** Runs are shown to the owner alone. */
    runs: runs?.records.map(({ json }) => readShownRun(json)),
  };
}

export type ValData = Awaited<ReturnType<typeof valData>>;

export async function versionData(
  db: Reader,
  request: ServiceRequest,
  id: string,
  { version, from }: { version: number; from: number | undefined },
) {
  const { caller } = request;
  const val = await visibleVersion(db, caller, id, version);
  const { older, newer } = await versionsAround(db, id, version);
  const compared = from ?? older;
  return {
    val,
    /** The version that this one is compared with. The first version has none. */
    before: compared === undefined ? undefined : await visibleVersion(db, caller, id, compared),
    older,
    newer,
    linkOf: await importLinks(db, request, val),
  };
}

export type VersionData = Awaited<ReturnType<typeof versionData>>;

/** Links from the imports in the code to those vals that the visitor may read. */
async function importLinks(
  db: Reader,
  { caller, origin, space }: ServiceRequest,
  { code }: Val,
): Promise<LinkOf> {
  const readable = await readableIds(db, caller, importedIds(code, origin));
  return (specifier) => {
    const id = valIdIn(specifier, origin);
    return id !== undefined && readable.has(id) ? valAddress(spacePrefix(space), id) : undefined;
  };
}

interface WantedRuns {
  val: string | undefined;
  error: 'failed' | 'passed' | undefined;
  after: RecordPosition | undefined;
}

export async function runsData(db: Reader, caller: Caller, { val: id, error: tag, after }: WantedRuns) {
  const read = (limit: number, filter: { tag?: string; after?: RecordPosition }) =>
    id === undefined
      ? findRecords(db, 'runs', { ownerId: caller.owner.id }, { limit, ...filter })
      : runsOfVal(db, caller, id, { limit, ...filter });
  const { records, more } = await read(runsOnPage, { ...(tag && { tag }), ...(after && { after }) });
  const latest = await read(mostSummarized, {});
  const last = more ? records.at(-1) : undefined;
  return {
    runs: records.map(({ json }) => readShownRun(json)),
    /** The newest runs, which the bars count, and whether there are older ones. */
    summarized: latest.records.map(({ json }) => readShownRun(json)),
    hasMore: latest.more,
    only: tag,
    val: id === undefined ? undefined : await visibleVal(db, caller, id),
    next: last && recordPositions.write([last.at, last.position]),
    isFirst: after === undefined,
  };
}

export type RunsData = Awaited<ReturnType<typeof runsData>>;

export async function runData(db: Reader, caller: Caller, id: string) {
  const { json, logs } = await findRun(db, caller, id);
  const run = readShownRun(json);
  const isVersionThere = run.version !== undefined && (await hasVersion(db, run.val.id, run.version));
  return { run, logs, isVersionThere };
}

export type RunData = Awaited<ReturnType<typeof runData>>;
