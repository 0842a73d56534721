// Just before a write, a push looks again whether file, record and val are as they were planned, and decides anew for that
// val if not.

import { isSameCode } from './code.ts';
import {
  type ComparedVal,
  type Examined,
  examineFile,
  type FileToExamine,
  type LocalSide,
  type MissingVal,
  readLocalSide,
} from './examine.ts';
import { closeLook, type Look, type LookContext, withFreshRemotes } from './look.ts';
import { followRenames } from './missing.ts';
import {
  type ChangeStep,
  type DeletionStep,
  isChange,
  type PlanOptions,
  type Step,
  stepFor,
} from './plan.ts';
import { countingRecord, isSameRecord } from './records.ts';
import { isSameState, type RemoteVal } from './remote-vals.ts';

export interface PlannedPush {
  context: LookContext;
  look: Look;
  options: PlanOptions;
  dryRun: boolean;
}

interface Rechecked {
  step: Step;
  /** False if file, record or branch changed, so that the plan did not see this code. */
  isFileAsPlanned: boolean;
}

/** Undefined if the file is gone. */
export async function recheck(push: PlannedPush, step: ChangeStep): Promise<Rechecked | undefined> {
  const local = readLocalSide(push.look, step.val);
  const { here } = local;
  if (here === undefined) return undefined;
  const isFileAsPlanned = isSameLocally(push, step.val, local);
  const sameStep = isFileAsPlanned ? await withCurrentVal(push, step) : undefined;
  return { step: sameStep ?? (await planAnew(push, step, { ...local, here })), isFileAsPlanned };
}

/** The val as it is now, or undefined if it or its record is not as it was planned. */
export async function valToDelete(push: PlannedPush, { val }: DeletionStep): Promise<RemoteVal | undefined> {
  const { workspace, head } = push.look;
  const record = countingRecord(workspace.records.of(val.name), head, val.there);
  return isSameRecord(val.record, record) ? currentVal(push, val) : undefined;
}

function isSameLocally({ look }: PlannedPush, { here, record, there }: Examined, now: LocalSide): boolean {
  const { workspace, head } = look;
  // The record of a renamed file is that of its old name.
  const isOfOldName = record !== undefined && record.name !== now.name;
  const isSame = isOfOldName || isSameRecord(record, countingRecord(now.recorded, head, there));
  return now.here?.blob === here?.blob && isSame && workspace.head === head;
}

/** Undefined if the val changed. */
async function withCurrentVal(push: PlannedPush, step: ChangeStep): Promise<ChangeStep | undefined> {
  if (step.kind === 'create') return step;
  const there = await currentVal(push, step.val);
  return there && { ...step, val: { ...step.val, there } };
}

/** Undefined if the val changed. One that was only seen in the list, or that has no ETag, is read now. */
async function currentVal(
  { context: run, look, dryRun }: PlannedPush,
  { there }: ComparedVal | MissingVal,
): Promise<RemoteVal | undefined> {
  if (there.id === undefined || (there.isRead && (there.etag !== undefined || dryRun))) return there;
  const now = await withFreshRemotes(run, look).remotes.read(there.id);
  return now?.owner === undefined && isSameState(now, there) ? now : undefined;
}

/** Nobody is asked twice: the answer counts if file and val are still as they were shown. */
async function planAnew(push: PlannedPush, before: ChangeStep, local: FileToExamine): Promise<Step> {
  const { context: run, options } = push;
  const { workspace } = push.look;
  const look = {
    ...withFreshRemotes(run, push.look),
    history: workspace.openHistory(),
    head: workspace.head,
  };
  try {
    const [val] = await followRenames(look, [await examineFile(look, local)]);
    const step = stepFor(workspace, val ?? before.val, options);
    if (step.kind !== 'ask') return withReadVal(look, step);
    const isAsShown =
      isSameCode(before.val.here, local.here) && isSameCode(before.val.there?.code, step.val.there?.code);
    return before.isAgreed && isAsShown ? withReadVal(look, step.ifAgreed) : step;
  } finally {
    await closeLook(look);
  }
}

/** In a workspace a val is always read before it is written. */
async function withReadVal({ remotes }: Look, step: Step): Promise<Step> {
  if (!isChange(step) || step.kind === 'create') return step;
  const { id, isRead } = step.val.there;
  const there = id === undefined || isRead ? undefined : await remotes.read(id);
  return there === undefined ? step : { ...step, val: { ...step.val, there } };
}
