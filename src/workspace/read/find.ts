// Compares files with their vals: by the list where it tells the codes, else by reading each val, and by the histories of
// both sides where the codes differ.

import type { Context } from '../../core/command-line/command.ts';
import { asValsError, InterruptedError, type ValsError } from '../../core/errors.ts';
import { isLfsPointer } from '../../core/files/read-text.ts';
import { forEach } from '../../core/http/request/limiter.ts';
import { hasSameCode } from '../code.ts';
import { compareFiles } from '../compare/compare-files.ts';
import type { Compared, FileAndVal, LastSync } from '../compare/types.ts';
import { compareWithLastSyncs } from '../compare/went-on.ts';
import { type Finding, findingOf } from '../findings.ts';
import { filesOfLfs } from '../git/lfs.ts';
import type { Repository } from '../git/repository.ts';
import { findGone, type Gone, noneGone } from './gone.ts';
import type { Local } from './local.ts';
import { type Look, noteSync } from './look.ts';
import type { Remote, RemoteVal } from './remotes.ts';

/** A file that could not be compared has an error. */
type Result = Finding | FailedFile;

interface FailedFile {
  file: string;
  name: string;
  error: ValsError;
}

interface Found {
  /** In the order of the files. After a failure that concerns all vals, those that were not looked at have it. */
  results: readonly Result[];
  gone: Gone;
}

export interface SearchOptions {
  /** Which commits are searched for deleted files. */
  searches: 'none' | 'recent commits' | 'all commits';
  /** With --force, every file that differs is sent, so no versions are read to find out which side is newer. */
  fileWins?: boolean;
}

/** Their codes differ. All such vals are compared at once. */
interface Differing extends FileAndVal {
  local: Local;
  remote: RemoteVal;
}

/** The last sync is of the version that the val has now, so the older ones need not be read, if it counts. */
interface Synced extends Omit<Differing, 'known'> {
  lastSync: LastSync;
}

const recentCommits = 100;

export async function findAll(
  { out: { say }, host: { signal } }: Context,
  look: Look,
  locals: readonly Local[],
  { searches, fileWins = false }: SearchOptions,
): Promise<Found> {
  const results = new Map<Local, Result>();
  const differing: Differing[] = [];
  const synced: Synced[] = [];
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
      const error = asValsError(caught);
      if (error === signal.reason || error instanceof InterruptedError) throw error;
      if (error.scope === 'all') failure ??= error;
      results.set(local, failed(local, error));
    }
  };
  await forEach(locals, 'auto', async (local) => {
    await attempt(local, async () => {
      const found = await findOne(look, local, fileWins);
      if ('state' in found) results.set(local, found);
      else if ('known' in found) differing.push(found);
      else synced.push(found);
    });
    finished += 1;
    show();
  });
  const { wentOn, wentBack } = await compareWithLastSyncs(synced, look.repository);
  for (const { local, remote } of wentOn)
    results.set(local, findingOf('changed here', local, remote, { status: 'changed here' }));
  const others = synced.filter((each) => !wentOn.has(each));
  // Somebody pulled or pushed code, and then took the file back without a commit here, as by `git stash`. Otherwise, after the
  // next edit, the code that the service has would look like the base of that edit.
  for (const { local } of wentBack) look.lastSyncs.remove(local.name);
  await forEach(others, 'auto', (each) =>
    attempt(each.local, async () => {
      const found = await withVersions(look, each);
      if ('state' in found) results.set(each.local, found);
      else differing.push(found);
    }),
  );
  const inOrder = () =>
    locals.flatMap((local) => results.get(local) ?? (failure === undefined ? [] : failed(local, failure)));
  if (failure !== undefined) return { results: inOrder(), gone: noneGone };
  const { repository, workspace } = look;
  const compared = await compareFiles(differing, { repository, env: workspace.env });
  const explained = await explain(differing, compared, repository);
  for (const [index, { local, remote }] of differing.entries()) {
    const each = explained[index] ?? { status: 'conflict' };
    const state = each.status === 'conflict' ? 'both changed' : each.status;
    results.set(local, findingOf(state, local, remote, each));
  }
  const findings = inOrder().filter((result): result is Finding => !('error' in result));
  const most = searches === 'all commits' ? undefined : recentCommits;
  const gone = searches === 'none' ? noneGone : await findGone(look, findings, { most });
  await noteSame(look, findings);
  return { results: inOrder(), gone };
}

/** What git says besides of files that are not simply newer. */
async function explain(
  differing: readonly Differing[],
  compared: readonly Compared[],
  repository: Repository | undefined,
): Promise<readonly Compared[]> {
  if (repository === undefined || compared.every(({ status }) => status === 'changed here')) return compared;
  const canPull = await repository.hasUpstream();
  const sharesNothing = (each: Compared | undefined) =>
    each?.status === 'conflict' && each.base === undefined && each.deleted === undefined;
  const asked = differing.flatMap(({ file }, index) => (sharesNothing(compared[index]) ? file : []));
  const ofLfs = await filesOfLfs(repository, asked);
  return compared.map((each, index) => {
    const { file = '', here } = differing[index] ?? {};
    if (!ofLfs.has(file)) return { ...each, canPull };
    return { ...each, canPull, limit: here && isLfsPointer(here.text) ? 'lfs pointer' : 'lfs' };
  });
}

async function findOne(look: Look, local: Local, fileWins: boolean): Promise<Finding | Differing | Synced> {
  const found = await look.remotes.find(local.name, local.code);
  if (found.kind === 'val') return compareWith(look, local, found, fileWins);
  const known = await knownVal(look, local, found);
  if (known === undefined) {
    return findingOf(local.code.hasMarks ? 'marks' : 'new', local, found);
  }
  if (known === 'gone') return findingOf('deleted there', local, found);
  // A list may lack a val.
  const isNamed = [local.name, ''].includes(known.name) || known.owner !== undefined;
  return isNamed ? compareWith(look, local, known, fileWins) : findingOf('renamed there', local, known);
}

/** The val of a last sync that counts, or of an id in vals.json. */
async function knownVal(
  { remotes, lastSyncs, written, repository }: Look,
  { name }: Local,
  { kind }: Remote,
): Promise<RemoteVal | 'gone' | undefined> {
  const { id: synced, commit } = lastSyncs.of(name) ?? {};
  // A last sync counts while its commit is in the history of HEAD.
  const counts = commit === undefined || repository === undefined || (await repository.hasCommit(commit));
  const id = (kind === 'unknown' ? written.get(name) : undefined) ?? (counts ? synced : undefined);
  if (id === undefined) return undefined;
  return (await remotes.read(id)) ?? 'gone';
}

async function compareWith(
  look: Look,
  local: Local,
  found: RemoteVal,
  fileWins: boolean,
): Promise<Finding | Differing | Synced> {
  if (hasSameCode(local.code, found.code)) {
    return findingOf('unchanged', local, found, { status: 'unchanged' });
  }
  if (local.code.hasMarks) return findingOf('marks', local, found);
  const remote = fileWins ? found : await look.remotes.withVersion(found);
  if (await look.remotes.isOthers(remote)) return findingOf('not yours', local, remote);
  if (fileWins) return findingOf('changed here', local, remote);
  const known = look.lastSyncs.of(local.name);
  const lastSync = known?.id === remote.id ? known : undefined;
  const differing = { local, remote, file: local.file, here: local.code, lastSync };
  return lastSync !== undefined && (await isOfPresent(look, lastSync, remote))
    ? { ...differing, lastSync }
    : withVersions(look, differing);
}

/** A last sync without a number is of a val that was made then, or of one whose number nobody told. */
async function isOfPresent(
  { remotes }: Look,
  { blob, version }: LastSync,
  remote: RemoteVal,
): Promise<boolean> {
  if (blob !== remote.code.blob) return false;
  return version === undefined ? remotes.hasOneVersion(remote) : version === remote.version;
}

async function withVersions(
  { remotes }: Look,
  differing: Omit<Differing, 'known'>,
): Promise<Finding | Differing> {
  const { local, remote } = differing;
  const known = await remotes.versions(remote);
  return (await remotes.isOthers(remote)) ? findingOf('not yours', local, remote) : { ...differing, known };
}

/** Both sides have the same code, so the last sync says so. */
async function noteSame(look: Look, findings: Iterable<Finding>): Promise<void> {
  for (const finding of findings)
    if (finding.state === 'unchanged' && finding.remote.kind === 'val')
      await noteSync(look, finding.name, finding.remote);
}
