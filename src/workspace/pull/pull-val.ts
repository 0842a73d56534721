// Writes the code of a val into its file. A file that is overwritten or merged is always kept first.
import type { Context } from '../../core/command-line/command.ts';
import { BadResponseError, ConflictError, LocalError, NotFoundError } from '../../core/errors.ts';
import { sh } from '../../core/lib/hint.ts';
import { hasLoneSurrogate } from '../../core/lib/visible.ts';
import { asCode, hasSameCode, withLineEnds } from '../code.ts';
import { commandsAfterMerge, conflictOf } from '../conflicts.ts';
import type { Backup } from '../data/backup.ts';
import { replaceBelow } from '../disk/write-files.ts';
import { type FileStatus, isConflict, valOf } from '../file-status.ts';
import { mergeTexts } from '../git/merge-file.ts';
import type { Local } from '../read/local.ts';
import type { RemoteVal, ValWithCode } from '../read/remote-val.ts';
import { codeOfVersion, withCode } from '../read/remotes.ts';
import { noteSync, type Session } from '../session.ts';
import { nextCommands, rulesOf } from '../states.ts';
import { nameOfService, pathTo } from '../workspace.ts';

interface PullOptions {
  merge: boolean;
  force: boolean;
  dryRun: boolean;
  /** The user named the val. */
  isNamed: boolean;
}

export interface PullContext {
  context: Context;
  session: Session;
  backup: Backup;
  options: PullOptions;
}

export interface PullResult {
  status: 'pulled' | 'merged' | 'unchanged' | 'kept' | 'planned';
  remote: RemoteVal | undefined;
  /** The marks that a merge left. */
  conflict?: ConflictError;
}

export async function pullFile(pullContext: PullContext, fileStatus: FileStatus): Promise<PullResult> {
  const { session, options } = pullContext;
  const { merge, force, dryRun, isNamed } = options;
  const listed = valOf(fileStatus);
  const { state, local } = fileStatus;
  const entry = rulesOf(state);
  const kind = force ? entry.pullForced : entry.pull;
  const isMerged = state === 'both changed' && merge;
  const isWritten = kind === 'write' || (kind === 'add' && isNamed);
  // What is written is read, if only its hash was told.
  const remote = listed && (isMerged || isWritten) ? await withCode(session, listed) : undefined;
  if (isMerged && local !== undefined && remote !== undefined)
    return mergeVal(pullContext, { ...fileStatus, local, remote });
  if (isWritten && remote !== undefined) {
    if (dryRun) return { status: 'planned', remote };
    await overwrite(pullContext, fileStatus, remote);
    return { status: 'pulled', remote };
  }
  if (isConflict(fileStatus)) throw conflictOf(fileStatus, session);
  if (listed === undefined ? isNamed : isWritten) throw notThere(session, fileStatus);
  return { status: state === 'unchanged' ? 'unchanged' : 'kept', remote: listed };
}

function notThere({ workspace }: Session, fileStatus: FileStatus): NotFoundError {
  const path = pathTo(workspace, fileStatus.file);
  const service = nameOfService(workspace.service);
  return new NotFoundError(
    `There is no val "${fileStatus.name}" on ${service}, so ${path} was left as it is.`,
    {
      hint: nextCommands('new', [path]),
    },
  );
}

interface StatusOfBoth extends FileStatus {
  local: Local;
  remote: ValWithCode;
}

const overwrite = (pullContext: PullContext, fileStatus: FileStatus, remote: ValWithCode): Promise<void> =>
  write(pullContext, fileStatus, remote, withLineEnds(writableText(remote), fileStatus.local?.code.lineEnds));

/** The code of a val, if it can be written to a file. */
export function writableText({ id, name, code }: ValWithCode): string {
  if (!hasLoneSurrogate(code.text)) return code.text;
  throw new BadResponseError(
    `The code of "${name}" contains half of a character (a lone surrogate), so it cannot be written to a file as UTF-8.`,
    { hint: sh`To see the code, run ${['val', 'get', id]}.` },
  );
}

/** Throws if the file was saved after it was compared. */
async function write(
  { session, backup }: PullContext,
  { file, name, local }: FileStatus,
  val: RemoteVal,
  text: string,
): Promise<void> {
  const { workspace } = session;
  const before = local?.code.text;
  if (before !== undefined) backup.keep(file, before);
  // A last sync that is lost by a crash costs nothing, because both sides have the same code.
  replaceBelow(workspace.root, file, text, before, pathTo(workspace, file));
  await noteSync(session, name, val);
}

async function mergeVal(pullContext: PullContext, fileStatus: StatusOfBoth): Promise<PullResult> {
  const { session, context, options } = pullContext;
  const { local, remote, comparison } = fileStatus;
  const { code } = local;
  const path = pathTo(session.workspace, local.file);
  if (options.dryRun) return { status: 'planned', remote };
  const inFile = (text: string) => withLineEnds(text, code.lineEnds);
  const base = comparison?.base && (await codeOfVersion(session, remote, comparison.base));
  const texts = {
    here: code.text,
    base: inFile(base?.text ?? ''),
    there: inFile(writableText(remote)),
  };
  const merged = await mergeTexts(texts, context.host.env);
  if (merged === undefined) throw withoutGit(path);
  if (!merged.hasConflicts && hasSameCode(asCode(merged.text), remote.code)) throw nothingWouldStay(path);
  await write(pullContext, fileStatus, remote, merged.text);
  return { status: 'merged', remote, ...(merged.hasConflicts && { conflict: marksLeft(path) }) };
}

const withoutGit = (path: string): LocalError =>
  new LocalError(`${path} was not merged: git is not installed here.`, {
    hint: 'Install git, then run the command again.',
  });

const nothingWouldStay = (path: string): ConflictError =>
  new ConflictError(
    `${path} was not merged: the merge is the code of the service, so nothing of the file would stay.`,
    {
      ofMany: 'The merge is the code of the service, so nothing of the file would stay.',
      hint: [
        sh`To take the service's code, run ${['pull', path, '--force']}.`,
        sh`To overwrite it, run ${['push', path, '--force']}.`,
      ],
    },
  );

const marksLeft = (path: string): ConflictError =>
  new ConflictError(`${path} has conflicts, marked in the file.`, { hint: commandsAfterMerge(path) });
