import { BadResponseError, ConflictError, NotFoundError, type Problem } from '../errors.ts';
import type { Hints } from '../lib/hint.ts';
import type { Outcome, OutcomeStatus } from '../lib/outcome.ts';
import { hasLoneSurrogate } from '../lib/visible.ts';
import { withoutId } from '../names/unknown-word.ts';
import { editMarkers, forget, forkFile, hasMarkers, notPulled } from './conflict-messages.ts';
import { replaceBelow } from './disk/write-files.ts';
import {
  type Examined,
  examine,
  type LocalTexts,
  localSideOf,
  readLocalTexts,
  recordIfSame,
} from './examine.ts';
import type { Backup } from './records/backup.ts';
import type { ValRecord } from './records/val-records.ts';
import { idAndVersion, type ReadVal, type RemoteVals } from './remote-vals.ts';
import { inOtherProject } from './sources/nested-project.ts';
import type { CodeState } from './state.ts';
import { merge } from './text/merge.ts';
import type { WorkspaceVal } from './vals.ts';
import { nameOf, pathTo, type Workspace } from './workspace.ts';

export interface PullOptions {
  merge: boolean;
  force: boolean;
  dryRun: boolean;
  isNamedInCommand: boolean;
  remark(remark: string | { subject: string; problem: Problem }, hints?: Hints): void;
  backup: Backup;
  isInOtherProject(file: string): boolean;
  onMove(val: WorkspaceVal): void;
  /** The val has neither a file nor a val on the service. */
  onGone(val: WorkspaceVal): void;
}

export async function pullVal(
  workspace: Workspace,
  remotes: RemoteVals,
  listed: WorkspaceVal & { record?: ValRecord },
  options: PullOptions,
): Promise<Outcome> {
  const texts = readLocalTexts(workspace, listed, listed.record);
  const examined = await examine(workspace, remotes, listed, localSideOf(texts));
  const { val, remote, code } = examined;
  const path = pathTo(workspace, val.file);
  const outcome = (word: OutcomeStatus): Outcome => ({
    status: word,
    ...idAndVersion(val.id, remote?.version),
  });
  if (remote?.id === undefined) return withoutRemote(workspace, examined, options);
  if (examined.name === 'other val') throw notPulled(workspace, examined);
  // A val that was only seen in the list has the code of the record.
  const codeThere = remote.code ?? texts.record?.code;
  if (code === 'unchanged' || codeThere === undefined) {
    if (!options.dryRun) recordAndRemember(workspace, examined, options);
    return outcome('unchanged');
  }
  if (code === 'changed here' && !options.force) {
    if (examined.isUnmerged && options.merge) throw notPulled(workspace, examined);
    if (examined.isUnmerged) options.remark({ subject: path, problem: hasMarkers }, editMarkers(path, code));
    return outcome('kept');
  }
  const isEdited = edited.has(code);
  const mayMerge = options.merge && !examined.isUnmerged;
  if (isEdited && !options.force && !mayMerge) throw notPulled(workspace, examined);
  if (options.isInOtherProject(val.file)) throw inOtherProject(path, 'pull');
  if (options.dryRun) return outcome('planned');
  const pull = {
    workspace,
    examined,
    texts,
    there: writable({ ...remote, code: codeThere }, val.name),
    options,
  };
  // To merge newer code into older code is to replace it.
  if (!isEdited || options.force || code === 'older here') {
    overwrite(pull);
    return outcome('pulled');
  }
  const conflicts = mergeInto(pull);
  if (conflicts === 0) return outcome('merged');
  throw new ConflictError(
    `${path} has ${conflicts === 1 ? 'a conflict' : `${conflicts} conflicts`}, marked in the file.`,
    { hint: editMarkers(path, 'changed here') },
  );
}

const edited: ReadonlySet<CodeState> = new Set(['changed here', 'conflict', 'differs', 'older here']);

function withoutRemote(
  workspace: Workspace,
  { val, code, here, isOthers }: Examined,
  { isNamedInCommand, remark, onGone }: PullOptions,
): Outcome {
  const path = pathTo(workspace, val.file);
  if (!isOthers && code !== 'deleted there' && (code !== 'gone' || !isNamedInCommand)) {
    if (isNamedInCommand) throw withoutId(workspace, val);
    if (code === 'gone') onGone(val);
    return { status: 'kept' };
  }
  const service = nameOf(workspace.service);
  const problem = isOthers
    ? {
        one: `is the file of a val on ${service} that belongs to another owner and that you may not read`,
        many: `are the files of vals on ${service} that belong to other owners and that you may not read`,
      }
    : {
        one: `has no val on ${service} any more, because the val was deleted or has another owner`,
        many: `have no vals on ${service} any more, because the vals were deleted or have another owner`,
      };
  const hint = here === undefined ? forget(path) : forkFile(path);
  if (isNamedInCommand) throw new NotFoundError(`${path} ${problem.one}.`, { hint });
  remark({ subject: path, problem }, here === undefined ? hint : 'The files were left as they are.');
  return { status: 'kept', ...idAndVersion(val.id, undefined) };
}

interface Pull {
  workspace: Workspace;
  examined: Examined;
  texts: LocalTexts;
  there: string;
  options: PullOptions;
}

function overwrite({ workspace, examined, texts, there, options }: Pull): void {
  const { file } = examined.val;
  const { code } = texts;
  // If the val only changed there, the service still has the code of the file, as an older version.
  if (code !== undefined && examined.code !== 'changed there') options.backup.keep(file, code);
  // `replaceBelow` must run first. Otherwise, after a crash, the old code would look like an edit.
  replaceBelow(workspace.root, file, there, code, pathTo(workspace, file));
  recordAndRemember(workspace, examined, options);
}

function mergeInto({ workspace, examined, texts, there, options }: Pull): number {
  const { file } = examined.val;
  const { code = '', record } = texts;
  // The record counts only if it is of this val.
  const { text, conflicts } = merge(examined.record && record?.code, code, there);
  options.backup.keep(file, code);
  replaceBelow(workspace.root, file, text, code, pathTo(workspace, file));
  recordAndRemember(workspace, examined, options);
  return conflicts;
}

/** A name that was changed in vals.json stays, except with --force. */
const takesName = ({ name }: Examined, { force }: PullOptions): boolean =>
  name === 'renamed there' || (name === 'renamed here' && force);

function recordAndRemember(workspace: Workspace, examined: Examined, options: PullOptions): void {
  const { val, remote } = examined;
  // A new name is written to the record later, by `saveManifest`.
  recordIfSame(workspace, { ...examined, code: 'unchanged', val: { ...val, movedFrom: undefined } });
  const nameThere = remote?.name ?? val.name;
  const name = takesName(examined, options) ? nameThere : val.name;
  workspace.remember({ ...val, name });
  if (val.movedFrom !== undefined) {
    workspace.records.remove(val.movedFrom);
    options.onMove(val);
  }
  if (name !== val.name)
    options.remark(`The val "${val.name}" is named "${name}" on the service. vals.json was updated.`);
}

export function writable({ id, code }: Pick<ReadVal, 'id' | 'code'>, name: string): string {
  if (!hasLoneSurrogate(code)) return code;
  throw new BadResponseError(
    `The code of "${name}" contains half of a character (a lone surrogate), so it cannot be written to a file as UTF-8.`,
    { hint: { text: 'To see the code', command: 'val get', input: { val: id ?? name } } },
  );
}
