// Finds the status of each file: reads its val, and where the codes differ asks compare/ which side is newer.

import type { Context } from '../../core/command-line/command.ts';
import { asValsError, InterruptedError, type ValsError } from '../../core/errors.ts';
import { forEach } from '../../core/http/request/limiter.ts';
import { hasSameCode } from '../code.ts';
import { findBeyondHistory } from '../compare/committed-codes.ts';
import { compareFiles } from '../compare/compare-files.ts';
import { compareWithLastSyncs, type SyncedFile } from '../compare/since-last-sync.ts';
import type { Comparison, FileAndCode, LastSync, Pair, ValVersion } from '../compare/types.ts';
import { type FileStatus, fileStatusOf, type State } from '../file-status.ts';
import { filesOfLfs } from '../git/lfs.ts';
import type { Repository } from '../git/repository.ts';
import { noteSync, type Session } from '../session.ts';
import { type DeletedFiles, findDeletedFiles, noDeletedFiles, noteIdsWithoutFile } from './deleted-files.ts';
import type { Local } from './local.ts';
import type { Remote, RemoteVal } from './remote-val.ts';
import {
  codeOfVersion,
  findRemote,
  hasOneVersion,
  isOthers,
  newestVersions,
  readVal,
  withVersion,
} from './remotes.ts';

/** A file that could not be compared has an error. */
type Result = FileStatus | FailedFile;

interface FailedFile {
  file: string;
  name: string;
  error: ValsError;
}

interface Found {
  /** In the order of the files. After a failure that concerns all vals, those that were not compared have it. */
  results: readonly Result[];
  deletedFiles: DeletedFiles;
}

export interface SearchOptions {
  /** Which commits are searched for deleted files. */
  searches: 'none' | 'recent commits' | 'all commits';
  /** The file or the val is overwritten, whichever is newer, so nothing is read to tell. */
  force?: boolean;
  /** For a command that does nothing if one file cannot be compared: aborted then, which ends the other requests. */
  stopping?: AbortController;
}

/** Their codes differ. All such vals are compared at once. */
interface Differing extends FileAndCode {
  local: Local;
  remote: RemoteVal;
}

const recentCommits = 100;

export async function compareAll(
  { out: { say }, host: { signal } }: Context,
  session: Session,
  locals: readonly Local[],
  { searches, force = false, stopping }: SearchOptions,
): Promise<Found> {
  const results = new Map<Local, Result>();
  const differing: Differing[] = [];
  let failure: ValsError | undefined;
  let finished = 0;
  const show = () => say({ kind: 'progress', text: `Comparing ${finished} of ${locals.length} vals` });
  const failed = ({ file, name }: Local, error: ValsError) => ({ file, name, error });
  show();
  const attempt = async (local: Local, work: () => Promise<void>) => {
    if (failure !== undefined) return;
    try {
      await work();
    } catch (caught) {
      if (stopping?.signal.aborted) return;
      const error = asValsError(caught);
      if (error === signal.reason || error instanceof InterruptedError) throw error;
      if (stopping !== undefined || error.scope === 'all') failure ??= error;
      stopping?.abort(error);
      results.set(local, failed(local, error));
    }
  };
  await forEach(locals, 'auto', async (local) => {
    await attempt(local, async () => {
      const found = await findOne(session, local, force);
      if ('state' in found) results.set(local, found);
      else differing.push(found);
    });
    finished += 1;
    show();
  });
  const compared = await compareDiffering(session, differing, attempt);
  for (const [{ local, remote }, comparison] of compared) {
    // The list of its versions could not be read.
    if (results.has(local)) continue;
    // The list of its versions, which may have been read meanwhile, tells whose it is.
    const state = (await isOthers(session, remote)) ? 'not yours' : stateOf(comparison);
    results.set(local, fileStatusOf(state, local, remote, comparison));
  }
  const inOrder = () =>
    locals.flatMap((local) => results.get(local) ?? (failure === undefined ? [] : failed(local, failure)));
  if (failure !== undefined) return { results: inOrder(), deletedFiles: noDeletedFiles };
  const statuses = inOrder().filter((result): result is FileStatus => !('error' in result));
  await noteUnchanged(session, statuses);
  if (searches === 'none') return { results: inOrder(), deletedFiles: noDeletedFiles };
  const most = searches === 'all commits' ? undefined : recentCommits;
  const deletedFiles = await findDeletedFiles(session, statuses, { most });
  noteIdsWithoutFile(say, session, statuses, deletedFiles);
  return { results: inOrder(), deletedFiles };
}

/** Those without an answer could not be compared. `attempt` does nothing after a failure that concerns all. */
async function compareDiffering(
  session: Session,
  differing: readonly Differing[],
  attempt: (local: Local, work: () => Promise<void>) => Promise<void>,
): Promise<Map<Differing, Comparison>> {
  const { repository, workspace, lastSyncs } = session;
  const compared = new Map<Differing, Comparison>();
  const undecided = new Set(differing);
  const decide = (each: Differing, comparison: Comparison) => {
    compared.set(each, comparison);
    undecided.delete(each);
  };
  const withLastSync = new Map<Differing, SyncedFile>();
  await forEach(differing, 'auto', (each) =>
    attempt(each.local, async () => {
      const { lastSync } = each;
      if (lastSync && (await isOfPresentVersion(session, lastSync, each.remote)))
        withLastSync.set(each, { ...each, lastSync });
    }),
  );
  const { changedSince, asCommitted } = await compareWithLastSyncs([...withLastSync.values()], repository);
  for (const [each, file] of withLastSync) {
    if (changedSince.has(file)) decide(each, { state: 'changed here' });
    // Somebody pulled or pushed code, and then took the file back without a commit here, as by `git stash`. Otherwise, after
    // the next edit, the code that the service has would look like the base of that edit.
    if (asCommitted.has(file)) lastSyncs.remove(each.local.name);
  }
  for (const [each, limit] of await findBeyondHistory([...undecided], repository))
    decide(each, { state: 'conflict', reason: { kind: 'git', limit } });
  const pairs = new Map<Differing, Pair>();
  await forEach([...undecided], 'auto', (each) =>
    attempt(each.local, async () => {
      const read = (version: ValVersion) => codeOfVersion(session, each.remote, version);
      pairs.set(each, { ...each, versions: await newestVersions(session, each.remote), read });
    }),
  );
  const files = [...pairs.values()];
  const comparisons = await explain(
    files,
    await compareFiles(files, { repository, env: workspace.env }),
    repository,
  );
  for (const [index, each] of [...pairs.keys()].entries()) {
    const comparison = comparisons[index];
    if (comparison !== undefined) decide(each, comparison);
  }
  return compared;
}

/** Adds what git knows besides: whether `git pull` may help, and which codes Git LFS keeps. */
async function explain(
  pairs: readonly Pair[],
  compared: readonly Comparison[],
  repository: Repository | undefined,
): Promise<readonly Comparison[]> {
  if (repository === undefined || compared.every(({ state }) => state === 'changed here')) return compared;
  const canPull = await repository.hasUpstream();
  const unshared = pairs.filter((_pair, index) => compared[index]?.reason?.kind === 'no shared code');
  const inLfs = await filesOfLfs(
    repository,
    unshared.map(({ file }) => file),
  );
  return compared.map((each, index) => {
    const isInLfs = inLfs.has(pairs[index]?.file ?? '');
    return { ...each, canPull, ...(isInLfs && { reason: { kind: 'git', limit: 'lfs' } }) };
  });
}

const stateOf = ({ state }: Comparison): State => (state === 'conflict' ? 'both changed' : state);

async function findOne(session: Session, local: Local, force: boolean): Promise<FileStatus | Differing> {
  const found = await findRemote(session, local.name, local.code);
  if (found.kind === 'val') return compareCodes(session, local, found, force);
  const known = await findKnownVal(session, local, found);
  if (known === undefined) {
    return fileStatusOf(local.code.hasMarks ? 'marks' : 'new', local, found);
  }
  if (known === 'gone') return fileStatusOf('deleted there', local, found);
  // A list may lack a val.
  const isNamed = local.name === known.name || known.owner !== undefined;
  return isNamed ? compareCodes(session, local, known, force) : fileStatusOf('renamed there', local, known);
}

/** The val of a last sync that counts, or of an id in vals.json. */
async function findKnownVal(
  session: Session,
  { name }: Local,
  { kind }: Remote,
): Promise<RemoteVal | 'gone' | undefined> {
  const { lastSyncs, manifestIds, repository } = session;
  const { id: withLastSync, commit } = lastSyncs.of(name) ?? {};
  // A last sync counts while its commit is in the history of HEAD.
  const counts = commit === undefined || repository === undefined || (await repository.hasCommit(commit));
  const id = (kind === 'unknown' ? manifestIds.get(name) : undefined) ?? (counts ? withLastSync : undefined);
  if (id === undefined) return undefined;
  return (await readVal(session, id)) ?? 'gone';
}

async function compareCodes(
  session: Session,
  local: Local,
  found: RemoteVal,
  force: boolean,
): Promise<FileStatus | Differing> {
  if (hasSameCode(local.code, found.code)) {
    return fileStatusOf('unchanged', local, found, { state: 'unchanged' });
  }
  if (local.code.hasMarks) return fileStatusOf('marks', local, found);
  const remote = force ? found : await withVersion(session, found);
  if (await isOthers(session, remote)) return fileStatusOf('not yours', local, remote);
  if (force) return fileStatusOf('changed here', local, remote);
  const known = session.lastSyncs.of(local.name);
  const lastSync = known?.id === remote.id ? known : undefined;
  return { local, remote, file: local.file, here: local.code, there: remote.code, lastSync };
}

/** A last sync without a number is of a val that was made then, or of one whose number nobody told. */
async function isOfPresentVersion(
  session: Session,
  { blob, version }: LastSync,
  remote: RemoteVal,
): Promise<boolean> {
  if (blob !== remote.code.blob) return false;
  return version === undefined ? hasOneVersion(session, remote) : version === remote.version;
}

/** Both sides have the same code, so the last sync says so. */
async function noteUnchanged(session: Session, statuses: readonly FileStatus[]): Promise<void> {
  await forEach(statuses, 'auto', async ({ state, name, remote }) => {
    if (state !== 'unchanged' || remote.kind !== 'val') return;
    const before = session.lastSyncs.of(name);
    // After a push whose answer was lost, for example. Without the number, the next edit would be a conflict with one's own code.
    const isOtherCode = before !== undefined && before.blob !== remote.code.blob;
    await noteSync(session, name, isOtherCode ? await withVersion(session, remote) : remote);
  });
}
