// Writes the code of a val into its file. A file that is overwritten or merged is always kept first.
import type { Context } from '../../core/command-line/command.ts';
import { BadResponseError, ConflictError, LocalError, NotFoundError } from '../../core/errors.ts';
import { sh } from '../../core/lib/hint.ts';
import { hasLoneSurrogate } from '../../core/lib/visible.ts';
import { asCode, hasSameCode, withLineEnds } from '../code.ts';
import { commandsAfterMerge, conflictOf } from '../conflicts.ts';
import { replaceBelow } from '../disk/write-files.ts';
import { type Finding, isConflict, valOf } from '../findings.ts';
import { mergeTexts } from '../git/merge-file.ts';
import type { Backup } from '../own-data/own-folder.ts';
import type { Local } from '../read/local.ts';
import { type Look, noteSync } from '../read/look.ts';
import type { ReadVal, RemoteVal } from '../read/remotes.ts';
import { entryOf, nextCommands } from '../states.ts';
import { nameOfService, pathTo } from '../workspace.ts';

interface PullOptions {
  merge: boolean;
  force: boolean;
  dryRun: boolean;
  /** The user named the val. */
  isNamed: boolean;
}

export interface Pulling {
  context: Context;
  look: Look;
  backup: Backup;
  options: PullOptions;
}

export interface PullResult {
  status: 'pulled' | 'merged' | 'unchanged' | 'kept' | 'planned';
  remote: RemoteVal | undefined;
  /** The marks that a merge left. */
  conflict?: ConflictError;
}

export async function pullFinding(pulling: Pulling, finding: Finding): Promise<PullResult> {
  const { look, options } = pulling;
  const { merge, force, dryRun, isNamed } = options;
  const listed = valOf(finding);
  const { state, local } = finding;
  const entry = entryOf(state);
  const kind = force ? entry.pullForced : entry.pull;
  const isMerged = state === 'both changed' && merge;
  const isWritten = kind === 'write' || (kind === 'add' && isNamed);
  // What is written is read, if only its hash was told.
  const remote = listed && (isMerged || isWritten) ? await look.remotes.withCode(listed) : undefined;
  if (isMerged && local !== undefined && remote !== undefined)
    return mergeVal(pulling, { ...finding, local, remote });
  if (isWritten && remote !== undefined) {
    if (dryRun) return { status: 'planned', remote };
    await overwrite(pulling, finding, remote);
    return { status: 'pulled', remote };
  }
  if (isConflict(finding)) throw conflictOf(finding, look);
  if (listed === undefined ? isNamed : isWritten) throw notThere(look, finding);
  return { status: state === 'unchanged' ? 'unchanged' : 'kept', remote: listed };
}

function notThere({ workspace }: Look, finding: Finding): NotFoundError {
  const path = pathTo(workspace, finding.file);
  const service = nameOfService(workspace.service);
  return new NotFoundError(`There is no val "${finding.name}" on ${service}, so ${path} was left as it is.`, {
    hint: nextCommands('new', [path]),
  });
}

interface FindingOfBoth extends Finding {
  local: Local;
  remote: ReadVal;
}

const overwrite = (pulling: Pulling, finding: Finding, remote: ReadVal): Promise<void> =>
  write(pulling, finding, remote, withLineEnds(writableText(remote), finding.local?.code.lineEnds));

/** The code of a val, if it can be written to a file. */
export function writableText({ id, name, code }: ReadVal): string {
  if (!hasLoneSurrogate(code.text)) return code.text;
  throw new BadResponseError(
    `The code of "${name}" contains half of a character (a lone surrogate), so it cannot be written to a file as UTF-8.`,
    { hint: sh`To see the code, run ${['val', 'get', id]}.` },
  );
}

/** Throws if the file was saved after it was compared. */
async function write(
  { look, backup }: Pulling,
  { file, name, local }: Finding,
  val: RemoteVal,
  text: string,
): Promise<void> {
  const { workspace } = look;
  const before = local?.code.text;
  if (before !== undefined) backup.keep(file, before);
  // A last sync that is lost by a crash costs nothing, because both sides have the same code.
  replaceBelow(workspace.root, file, text, before, pathTo(workspace, file));
  await noteSync(look, name, val);
}

async function mergeVal(pulling: Pulling, finding: FindingOfBoth): Promise<PullResult> {
  const { look, context, options } = pulling;
  const { local, remote, comparison } = finding;
  const { code } = local;
  const path = pathTo(look.workspace, local.file);
  if (options.dryRun) return { status: 'planned', remote };
  const inFile = (text: string) => withLineEnds(text, code.lineEnds);
  const base = comparison?.base && (await look.remotes.codeOf(remote, comparison.base));
  const texts = {
    here: code.text,
    base: inFile(base?.text ?? ''),
    there: inFile(writableText(remote)),
  };
  const merged = await mergeTexts(texts, context.host.env);
  if (merged === undefined) throw withoutGit(path);
  if (!merged.hasConflicts && hasSameCode(asCode(merged.text), remote.code)) throw nothingWouldStay(path);
  await write(pulling, finding, remote, merged.text);
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
