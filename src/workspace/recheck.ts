// Just before a write, a push looks again whether file, record and val are as they were planned, and decides anew for that
// val if not.
import { type Examined, examineFile, type LocalSide, readLocalSide } from './examine.ts';
import { closeLook, type Look, type LookContext, withFreshRemotes } from './look.ts';
import { followRenames } from './missing.ts';
import { type DeedStep, isDeed, type PlanOptions, type Step, stepFor } from './plan.ts';
import { countingRecord, isSameRecord } from './records.ts';
import { isSameState, type RemoteVal } from './remote-vals.ts';
import { type Code, isSameCode } from './text/code.ts';

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
export async function recheck(push: PlannedPush, step: DeedStep): Promise<Rechecked | undefined> {
  const local = readLocalSide(push.look, step.val);
  const { here } = local;
  if (here === undefined) return undefined;
  const isFileAsPlanned = isSameLocally(push, step.val, local);
  const there = isFileAsPlanned ? await currentVal(push, step.val) : 'changed';
  if (there !== 'changed') return { step: { ...step, val: { ...step.val, there } }, isFileAsPlanned };
  return { step: await planAnew(push, step, { ...local, here }), isFileAsPlanned };
}

/** The val as it is now, or undefined if it or its record is not as it was planned. */
export async function valToDelete(push: PlannedPush, { val }: DeedStep): Promise<RemoteVal | undefined> {
  const { workspace, head } = push.look;
  const record = countingRecord(workspace.records.of(val.name), head, val.there);
  const there = isSameRecord(val.record, record) ? await currentVal(push, val) : 'changed';
  return there === 'changed' ? undefined : there;
}

function isSameLocally({ look }: PlannedPush, { here, record, there }: Examined, now: LocalSide): boolean {
  const { workspace, head } = look;
  // The record of a renamed file is that of its old name.
  const isOfOldName = record !== undefined && record.name !== now.name;
  const isSame = isOfOldName || isSameRecord(record, countingRecord(now.recorded, head, there));
  return now.here?.blob === here?.blob && isSame && workspace.head === head;
}

/** A val that was only seen in the list, or that has no ETag, is read now. */
async function currentVal(
  { context, look, dryRun }: PlannedPush,
  { there }: Examined,
): Promise<RemoteVal | undefined | 'changed'> {
  if (there?.id === undefined || (there.isRead && (there.etag !== undefined || dryRun))) return there;
  const now = await withFreshRemotes(context, look).remotes.read(there.id);
  const isSame = now !== undefined && now.owner === undefined && isSameState(now, there);
  return isSame ? now : 'changed';
}

/** Nobody is asked twice: the answer counts if file and val are still as they were shown. */
async function planAnew(
  push: PlannedPush,
  before: DeedStep,
  local: LocalSide & { here: Code },
): Promise<Step> {
  const { context, options } = push;
  const { workspace } = push.look;
  const look = {
    ...withFreshRemotes(context, push.look),
    history: workspace.openHistory(),
    head: workspace.head,
  };
  try {
    const [val] = await followRenames(look, [await examineFile(look, local)]);
    const step = stepFor(workspace, val ?? before.val, options);
    if (step.kind !== 'ask') return withReadVal(look, step);
    const isAsShown =
      isSameCode(before.val.here, local.here) && isSameCode(before.val.there?.code, step.val.there?.code);
    return before.isAgreed && isAsShown ? withReadVal(look, { kind: step.deed, val: step.val }) : step;
  } finally {
    await closeLook(look);
  }
}

/** In a workspace a val is always read before it is written. */
async function withReadVal({ remotes }: Look, step: Step): Promise<Step> {
  const { there } = step.val;
  if (!isDeed(step) || there?.id === undefined || there.isRead) return step;
  const read = await remotes.read(there.id);
  return read === undefined ? step : { ...step, val: { ...step.val, there: read } };
}
