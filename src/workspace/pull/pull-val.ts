// Writes the code of a val into its file. A file that is overwritten or merged is always kept first.
import { ConflictError, NotFoundError } from '../../core/errors.ts';
import { readBelow } from '../../core/files/files.ts';
import { nameFrom } from '../../core/files/val-names.ts';
import type { Outcome, OutcomeStatus } from '../../core/lib/outcome.ts';
import { codeOf, isSameCode, withLineEnds } from '../code.ts';
import { replaceBelow } from '../disk/write-files.ts';
import { type Examined, examineFile, nameThereOf, readLocalSide } from '../examine.ts';
import type { Look } from '../look.ts';
import { updateManifest, withName } from '../manifest.ts';
import { merge } from '../merge.ts';
import { conflictOf, nextSteps } from '../next-steps.ts';
import type { Backup } from '../records/backup.ts';
import { idAndVersion, type ReadVal, writableCode } from '../remote-vals.ts';
import { newestVersions, readVersion } from '../versions.ts';
import { nameOfService, pathTo } from '../workspace.ts';
import { recordThere } from '../write-records.ts';

export interface PullOptions {
  merge: boolean;
  force: boolean;
  dryRun: boolean;
  /** The user named the val. */
  isNamed: boolean;
  backup: Backup;
}

export interface Pulled {
  outcome: Outcome;
  /** The name that the val had here before, if it was renamed on the service. */
  nameBefore?: string;
  /** The marks that a merge left. */
  conflict?: ConflictError;
}

export async function pullVal(look: Look, val: Examined, options: PullOptions): Promise<Pulled> {
  const { dryRun, isNamed } = options;
  const nameThere = nameThereOf(val);
  if (nameThere !== undefined) return takeNameOver(look, val, nameThere, options);
  const outcome = (status: OutcomeStatus): Pulled => ({ outcome: { status, ...idAndVersion(val.there) } });
  const action = actionFor(val, options);
  if (action === 'keep') {
    if (isNamed && val.there === undefined) throw notThere(look, val);
    return outcome(val.code === 'unchanged' ? 'unchanged' : 'kept');
  }
  if (action === 'refuse') throw conflictOf(look.workspace, val);
  if (dryRun) return outcome('planned');
  const there = await readThere(look, val);
  if (action === 'merge') return mergeVal(look, val, there, options);
  overwrite(look, val, there, options);
  return { outcome: { status: 'pulled', ...idAndVersion(there) } };
}

type Action = 'keep' | 'overwrite' | 'merge' | 'refuse';

function actionFor({ status, code }: Examined, { merge, force, isNamed }: PullOptions): Action {
  switch (status) {
    case 'unchanged':
    case 'new':
    case 'deleted there':
      return 'keep';
    case 'missing here':
      return isNamed ? 'overwrite' : 'keep';
    case 'changed there':
      return 'overwrite';
    case 'changed here':
      return force ? 'overwrite' : 'keep';
    case 'renamed here':
      return force && code !== 'unchanged' ? 'overwrite' : 'keep';
    case 'unmerged':
      return force && code !== undefined ? 'overwrite' : 'refuse';
    case 'conflict':
      if (force) return 'overwrite';
      return merge ? 'merge' : 'refuse';
  }
}

function notThere({ workspace }: Look, { name, file, status }: Examined): NotFoundError {
  const path = pathTo(workspace, file);
  const service = nameOfService(workspace.service);
  const situation = status === 'deleted there' ? 'deleted there' : 'new';
  return new NotFoundError(`There is no val "${name}" on ${service}, so ${path} was left as it is.`, {
    hint: nextSteps(situation, [path]),
  });
}

async function readThere({ remotes }: Look, { name, there }: Examined): Promise<ReadVal> {
  const read = there?.id === undefined ? undefined : await remotes.read(there.id);
  if (read !== undefined) return read;
  throw new NotFoundError(`The service did not tell the id of the val "${name}", so it cannot be read.`, {
    hint: 'Find the id of the val on the service, and give it.',
  });
}

/** vals.json gets the new name first. After a crash in between, the val is compared without its record. */
async function takeNameOver(
  look: Look,
  val: Examined,
  nameThere: string,
  options: PullOptions,
): Promise<Pulled> {
  const { workspace } = look;
  const { file, name } = val;
  if (!options.dryRun) {
    updateManifest(workspace.root, withName(file, nameFrom(file) === nameThere ? undefined : nameThere));
    workspace.records.update(name, { name: nameThere });
  }
  const local = readLocalSide(look, { file, name: nameThere });
  if (local.here === undefined || options.dryRun) return { outcome: { status: 'planned' }, nameBefore: name };
  const renamed = await examineFile(look, { ...local, here: local.here });
  const pulled = await pullVal(look, renamed, options);
  return { ...pulled, outcome: { ...pulled.outcome, name: nameThere }, nameBefore: name };
}

function overwrite(look: Look, val: Examined, there: ReadVal, { backup }: Pick<PullOptions, 'backup'>): void {
  const { workspace } = look;
  const { file, name } = val;
  const path = pathTo(workspace, file);
  const before = readBelow(workspace.root, file, path);
  if (before !== undefined) refuseEdited(look, val, before);
  const code = withLineEnds(
    writableCode(there, name),
    before === undefined ? undefined : codeOf(before).lineEnds,
  );
  if (before !== undefined) backup.keep(file, before);
  // The file must be replaced first. Otherwise, after a crash, the old code would look like an edit.
  replaceBelow(workspace.root, file, code, before, path);
  recordThere(look, val.file, there);
}

/** The file was saved after it was compared. */
function refuseEdited({ workspace }: Look, val: Examined, text: string): void {
  if (val.here !== undefined && codeOf(text).blob === val.here.blob) return;
  throw conflictOf(workspace, val, 'conflict');
}

async function mergeVal(look: Look, val: Examined, there: ReadVal, { backup }: PullOptions): Promise<Pulled> {
  const { workspace } = look;
  const { file, name } = val;
  const path = pathTo(workspace, file);
  const before = readBelow(workspace.root, file, path) ?? '';
  refuseEdited(look, val, before);
  const { lineEnds } = codeOf(before);
  const same = (text: string | undefined) => text && withLineEnds(text, lineEnds);
  const base = same(await commonCode(look, val, there));
  const { text, conflicts } = merge(base, before, same(writableCode(there, name)) ?? '');
  backup.keep(file, before);
  replaceBelow(workspace.root, file, text, before, path);
  recordThere(look, val.file, there);
  const outcome: Outcome = { status: 'merged', ...idAndVersion(there) };
  if (conflicts === 0) return { outcome };
  return { outcome, conflict: marksLeft(path, conflicts) };
}

const marksLeft = (path: string, count: number): ConflictError =>
  new ConflictError(`${path} has ${count === 1 ? 'a conflict' : `${count} conflicts`}, marked in the file.`, {
    hint: nextSteps('unmerged', [path]),
  });

/** The newest code that both sides had: that of the record, or of a version that git has. */
async function commonCode(look: Look, val: Examined, there: ReadVal): Promise<string | undefined> {
  const { api, history } = look;
  const recorded = val.record?.code;
  for await (const { version, code } of newestVersions(api, there.id, there.version)) {
    const isCommon = isSameCode(code, recorded) || (await history?.newestPlaceOf(code)) !== undefined;
    if (isCommon) return code.text ?? (await readVersion(api, there.id, version))?.text;
  }
  return recorded?.text;
}
