// Carries out the steps of a push. Just before a write, record and file are read again, in that order. If anything is
// not as it was planned, the val is planned anew.
import type { JsonObject } from '../lib/json.ts';
import type { Outcome } from '../lib/outcome.ts';
import { forget } from './conflict-messages.ts';
import { existsBelow } from './disk/files.ts';
import { localSideOf, readLocalTexts } from './examine.ts';
import { isChange, planVal, type Step, sendsCode, stepFor } from './plan.ts';
import type { RecordFacts, ValRecord } from './records/val-records.ts';
import { idAndVersion, isSameVersion } from './remote-vals.ts';
import type { WorkspaceVal } from './vals.ts';
import { isTypedInside, pathTo, type Workspace } from './workspace.ts';
import { deleteFromService, moveVal, type Push, renameVal, sendVal } from './write-val.ts';

export async function carryOut(push: Push, step: Step): Promise<Outcome> {
  const { found } = step;
  const idAndVersionThere = idAndVersion(found.val.id, found.remote?.version);
  switch (step.kind) {
    case 'refuse':
    case 'ask':
      throw step.refusal;
    case 'behind':
      return { status: 'behind', ...idAndVersionThere };
    case 'leave':
      return leave(push, step, idAndVersionThere);
    case 'delete':
      return carryOutDeletion(push, step);
    case 'create':
    case 'send':
    case 'rename':
    case 'move':
      return carryOutChange(push, step);
  }
}

function leave({ workspace, options, dryRun, remark }: Push, step: Step, there: JsonObject): Outcome {
  const { found } = step;
  if (found.here !== undefined) {
    if (!dryRun) connect(workspace, found.val);
    return { status: 'unchanged', ...there };
  }
  if (found.code === 'gone') {
    // An earlier prune of this folder deleted the val, and was interrupted then.
    const wasDeletedHere = options.prune && found.recorded !== undefined;
    return { status: wasDeletedHere && !dryRun ? 'deleted' : 'skipped', ...there };
  }
  remarkGone({ workspace, options, remark }, step);
  return { status: 'skipped' };
}

/** vals.json gets the id, if it does not have the val or its id yet. */
function connect(workspace: Workspace, { file, name, id }: WorkspaceVal): void {
  const listed = workspace.vals.ofFile(file);
  workspace.remember({ file, name: listed?.name ?? name, id }, listed?.id);
}

function remarkGone(
  { workspace, options, remark }: Pick<Push, 'workspace' | 'options' | 'remark'>,
  { val }: Step,
): void {
  const path = pathTo(workspace, val.file);
  const mayBeRenamed = options.likelyMoves.some((move) => move.val.file === val.file);
  remark({ subject: path, problem: { one: 'is gone', many: 'are gone' } }, [
    { text: 'To restore the file', command: 'pull', input: { vals: [path] } },
    forget(path),
    ...(mayBeRenamed || !isTypedInside(workspace)
      ? []
      : [
          {
            text: 'To delete the vals on the service whose files are gone',
            command: 'push',
            input: { prune: true },
          },
        ]),
  ]);
}

async function carryOutChange(push: Push, planned: Step): Promise<Outcome> {
  const { workspace } = push;
  const val = currentVal(workspace, planned.val);
  // The record must be read before the code, see `readLocalTexts`.
  const { record, code } = readLocalTexts(workspace, val);
  if (code === undefined) {
    remarkGone(push, planned);
    return { status: 'skipped' };
  }
  const { here } = localSideOf({ record, code });
  const isSameFile = here?.hash === planned.found.here?.hash;
  const isSame = isSameFile && isSameEntry(val, planned.val) && isSameRecord(record, planned.found.recorded);
  const checked = isSame ? await withEtag(push, planned) : undefined;
  const step = checked ?? (await planAnew(push, planned, val, { record, code }));
  if (!isChange(step)) return carryOut(push, step);
  if (sendsCode(step)) {
    const path = pathTo(workspace, val.file);
    await push.checkCode(path, code, { isAsPlanned: isSameFile });
    push.onCode(path, code);
  }
  const ready = { ...step, code, record };
  if (step.kind === 'move') return moveVal(push, ready);
  if (step.kind !== 'rename') return sendVal(push, ready);
  return renameVal(push, ready, async (renamed) => {
    // The rename has put the new path into vals.json.
    const { movedFrom: _movedFrom, ...atItsPath } = val;
    return carryOut(push, await planAnew(push, step, atItsPath, { record: renamed, code }));
  });
}

/** Another command may have changed the id or the name in vals.json since the push began. */
function currentVal(workspace: Workspace, val: WorkspaceVal): WorkspaceVal {
  const listed = workspace.vals.ofFile(val.movedFrom ?? val.file);
  if (listed === undefined) return val;
  const { file, movedFrom, isNamesake } = val;
  return movedFrom === undefined ? listed : { ...listed, file, movedFrom, ...(isNamesake && { isNamesake }) };
}

const isSameEntry = (a: WorkspaceVal, b: WorkspaceVal): boolean => a.name === b.name && a.id === b.id;

const isSameRecord = (a: RecordFacts | undefined, b: RecordFacts | undefined): boolean =>
  a?.hash === b?.hash && a?.name === b?.name && a?.id === b?.id && isSameVersion(a?.version, b?.version);

/** Without an ETag, the val is read again. Returns undefined if it is not as it was planned. */
async function withEtag({ freshRemotes, dryRun }: Push, step: Step): Promise<Step | undefined> {
  const { remote } = step.found;
  const isSafe = remote?.id === undefined || remote.etag !== undefined || step.kind === 'move' || dryRun;
  if (isSafe) return step;
  const { remote: now, foreign } = await freshRemotes().read(remote.id ?? '');
  const isSame =
    foreign === undefined &&
    now?.hash === remote.hash &&
    now.name === remote.name &&
    isSameVersion(now.version, remote.version);
  return isSame
    ? { ...step, found: { ...step.found, remote: { ...remote, ...now, code: undefined } } }
    : undefined;
}

/** Nobody is asked twice: the answer counts if file and val are still as they were shown. */
async function planAnew(
  { workspace, options, freshRemotes }: Push,
  planned: Step,
  val: WorkspaceVal,
  texts: { record: ValRecord | undefined; code: string },
): Promise<Step> {
  const step = await planVal(workspace, freshRemotes(), { val, local: localSideOf(texts) }, options);
  const { here, remote } = step.found;
  const { here: hereBefore, remote: remoteBefore } = planned.found;
  const isAsShown = here?.hash === hereBefore?.hash && remote?.hash === remoteBefore?.hash;
  if (step.kind !== 'ask' || !planned.isAgreed || !isAsShown) return step;
  return stepFor(workspace, val, step.found, { ...options, mayOverwrite: true });
}

async function carryOutDeletion(push: Push, planned: Step): Promise<Outcome> {
  const { workspace, dryRun, options, freshRemotes } = push;
  const { val } = planned;
  if (dryRun)
    return { status: 'planned', ...idAndVersion(planned.found.val.id, planned.found.remote?.version) };
  // While the command asked for confirmation, the user may have restored the file, or another command may have moved
  // the val to another file or removed it from vals.json.
  const listed = workspace.vals.ofFile(val.file);
  const isListed = listed !== undefined && isSameEntry(listed, val);
  if (!isListed || existsBelow(workspace.root, val.file)) return { status: 'skipped' };
  const { record } = localSideOf({ record: workspace.records.of(val), code: undefined });
  const isSame = isSameRecord(record, planned.found.recorded) && planned.found.remote?.etag !== undefined;
  const local = { record, here: undefined };
  const step = isSame ? planned : await planVal(workspace, freshRemotes(), { val, local }, options);
  return step.kind === 'delete' ? deleteFromService(push, step) : carryOut(push, step);
}
