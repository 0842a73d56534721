// Carries out the steps of a push. Just before a write it looks again whether file, record and val are as they were
// planned, and decides anew for that val if not.
import { changeFields } from '../api/change-val.ts';
import { changedAtOf, textAt, versionOf } from '../api/record-fields.ts';
import * as routes from '../api/routes.ts';
import {
  afterPart,
  type ConflictError,
  InterruptedError,
  NotFoundError,
  UnknownOutcomeError,
} from '../errors.ts';
import { type JsonObject, type JsonValue, withoutUndefined } from '../lib/json.ts';
import type { Outcome } from '../lib/outcome.ts';
import { existsBelow, readBelow } from './disk/files.ts';
import { type Examined, examineFile, type LocalSide, ofVal, readLocalSide } from './examine.ts';
import { closeLook, type Look, type LookContext, withFreshRemotes } from './look.ts';
import { followRenames } from './missing.ts';
import { conflictOf } from './next-steps.ts';
import { type Deed, isDeed, type PlanOptions, type Step, sendsCode, stepFor } from './plan.ts';
import { isOfBranch, isSameRecord, type ValRecord } from './records.ts';
import { idAndVersion, isSameState, type RemoteVal } from './remote-vals.ts';
import { codeOf, isSameCode, withLineEnds } from './text/code.ts';
import { pathTo, type Workspace } from './workspace.ts';

export interface Push {
  context: LookContext;
  look: Look;
  options: PlanOptions;
  dryRun: boolean;
  /** Throws if the code must not be sent. Called for code that the plan did not see. */
  checkCode(path: string, code: string): Promise<void>;
}

export interface Done {
  outcome: Outcome;
  /** The code that was sent, or would be sent. */
  code?: string;
  /** Worth a warning. */
  remarks: Remark[];
}

export type Remark =
  | { kind: 'sent with markers' }
  | { kind: 'other id'; id: string }
  /** Somebody created the val after the list of vals was read. */
  | { kind: 'replaced' }
  | { kind: 'other privacy'; before: string; now: string }
  /** The service cannot rename vals, so the file has a new val. */
  | { kind: 'not renamed'; nameBefore: string };

export async function carryOut(push: Push, step: Step): Promise<Done> {
  const { val } = step;
  switch (step.kind) {
    case 'refuse':
    case 'ask':
      throw step.refusal;
    case 'behind':
      return done({ status: 'behind', ...idAndVersion(val.there) });
    case 'leave':
      return done({ status: val.here === undefined ? 'skipped' : 'unchanged', ...idAndVersion(val.there) });
    case 'delete':
      return carryOutDeletion(push, step);
    default:
      return carryOutChange(push, step);
  }
}

const done = (outcome: Outcome, more: Partial<Done> = {}): Done => ({ outcome, remarks: [], ...more });

const planned = ({ there }: Examined, more: JsonObject = {}): Outcome => ({
  status: 'planned',
  ...more,
  ...withoutUndefined({ versionBefore: there?.version }),
});

type DeedStep = Extract<Step, { kind: Deed }>;

async function carryOutChange(push: Push, step: DeedStep): Promise<Done> {
  const { look } = push;
  const local = readLocalSide(look, step.val);
  if (local.here === undefined) return done({ status: 'skipped' });
  const isAsPlanned = isSameLocally(push, step.val, local);
  const current = isAsPlanned ? await withCurrentVal(push, step) : undefined;
  const ready = current ?? (await planAnew(push, step, local));
  if (!isDeed(ready)) return carryOut(push, ready);
  const { workspace } = look;
  const path = pathTo(workspace, ready.val.file);
  const text = readBelow(workspace.root, ready.val.file, path);
  if (text === undefined || codeOf(text).blob !== ready.val.here?.blob)
    throw changedMeanwhile(workspace, ready.val);
  if (!sendsCode(ready)) return renameVal(push, ready);
  if (!isAsPlanned) await push.checkCode(path, text);
  // The service was read, so its line ends are known.
  const code = withLineEnds(text, ready.val.there?.code.lineEnds);
  return ready.kind === 'rename and send' ? renameVal(push, ready, code) : sendCode(push, ready.val, code);
}

function isSameLocally({ look }: Push, { here, record, there }: Examined, now: LocalSide): boolean {
  const { workspace, head } = look;
  const counting = now.recorded && isOfBranch(now.recorded, head) ? now.recorded : undefined;
  const recordNow = counting && there ? ofVal(counting, there) : counting;
  // The record of a renamed file is that of its old name.
  const isSame = record?.name === now.name || record === undefined ? isSameRecord(record, recordNow) : true;
  return now.here?.blob === here?.blob && isSame && workspace.head === head;
}

/** A val that was only seen in the list, or that has no ETag, is read now. Undefined if it is not as it was planned. */
async function withCurrentVal(
  { context, look, dryRun }: Push,
  step: DeedStep,
): Promise<DeedStep | undefined> {
  const { there } = step.val;
  if (there?.id === undefined || (there.isRead && there.etag !== undefined)) return step;
  if (dryRun && there.isRead) return step;
  const now = await withFreshRemotes(context, look).remotes.read(there.id);
  const isSame = now !== undefined && now.owner === undefined && isSameState(now, there);
  return isSame ? { ...step, val: { ...step.val, there: now } } : undefined;
}

/** Nobody is asked twice: the answer counts if file and val are still as they were shown. */
async function planAnew(push: Push, before: DeedStep, local: LocalSide): Promise<Step> {
  const { context, options } = push;
  const { workspace } = push.look;
  const look = {
    ...withFreshRemotes(context, push.look),
    history: workspace.openHistory(),
    head: workspace.head,
  };
  try {
    const here = local.here ?? codeOf('');
    const [val] = await followRenames(look, [await examineFile(look, { ...local, here })]);
    const step = stepFor(workspace, val ?? before.val, options);
    if (step.kind !== 'ask') return withReadVal(look, step);
    const isAsShown =
      isSameCode(before.val.here, here) && isSameCode(before.val.there?.code, step.val.there?.code);
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

const changedMeanwhile = (workspace: Workspace, val: Examined): ConflictError =>
  conflictOf(workspace, { ...val, status: 'conflict' });

async function sendCode(push: Push, val: Examined, code: string): Promise<Done> {
  const { look, dryRun, context } = push;
  const { api, workspace } = look;
  const { name, file, there, here } = val;
  const call = {
    ...routes.putVal(name, code),
    ifMatch: there?.etag,
    // Without a list, nobody knows whether there is a val of that name.
    ifNoneMatch: there === undefined && !val.isNameUnknown ? ('*' as const) : undefined,
  };
  api.refuseToken(call);
  if (dryRun) return done(planned(val), { code });
  context.signal.throwIfAborted();
  const { status, body = null } = await api.send(call).catch((error) => {
    rememberSent(push, val, code, error);
    throw error;
  });
  const id = textAt(body, 'id') ?? there?.id;
  const record = { name, file, id, head: workspace.head, ...versionAndTime(body), code: codeOf(code) };
  workspace.records.write(record, code);
  const outcome = {
    status: status === 201 ? ('created' as const) : ('pushed' as const),
    name,
    ...idAndVersion({ id, version: record.version }),
    ...withoutUndefined({ versionBefore: there?.version }),
  };
  const remarks = remarksOn(val, { id, status, body });
  return done(outcome, {
    code,
    remarks: here?.hasMarks ? [{ kind: 'sent with markers' }, ...remarks] : remarks,
  });
}

/** The service may have stored the code although its answer was lost. */
function rememberSent({ look }: Push, val: Examined, code: string, error: unknown): void {
  if (!(error instanceof UnknownOutcomeError) && !(error instanceof InterruptedError)) return;
  const { records, head } = look.workspace;
  const { name, file, there, record } = val;
  const sent = codeOf(code).blob;
  const text = record && records.of(record.name)?.code.text;
  if (record !== undefined && text !== undefined) records.write({ ...record, sent }, text);
  // Without a record, both sides have had no code in common, and no val is empty.
  else records.write({ name, file, id: there?.id, head, code: codeOf(''), sent }, '');
}

interface PushReply {
  id: string | undefined;
  status: number;
  body: JsonValue;
}

function remarksOn({ there }: Examined, { id, status, body }: PushReply): Remark[] {
  const now = textAt(body, 'privacy');
  const before = there?.privacy;
  const isOtherPrivacy = now !== undefined && before !== undefined && now !== before;
  const isReplaced = there === undefined && status !== 201 && (versionOf(body) ?? 0) > 1;
  return [
    ...(there?.id !== undefined && id !== undefined && id !== there.id
      ? [{ kind: 'other id' as const, id }]
      : []),
    ...(isReplaced ? [{ kind: 'replaced' as const }] : []),
    ...(isOtherPrivacy ? [{ kind: 'other privacy' as const, before, now }] : []),
  ];
}

/** `code` is sent too, if it is given. */
async function renameVal(push: Push, { val }: DeedStep, code?: string): Promise<Done> {
  const { look, dryRun, context } = push;
  const { api, workspace } = look;
  const { name, file, there, nameBefore = '', record } = val;
  const id = there?.id ?? '';
  if (code !== undefined) api.refuseToken(routes.putVal(name, code));
  if (dryRun) return done(planned(val, { nameBefore }), code === undefined ? {} : { code });
  context.signal.throwIfAborted();
  const { val: changed, notApplied } = await changeFields(api, id, { name }, there?.etag);
  if (notApplied.length > 0) return createInstead(push, val, code);
  const renamed = await withFreshRemotes(context, look).remotes.read(id);
  // The old name has no file any more, and its record would make it a missing one.
  const recordAfter = { ...record, name, file, id, head: workspace.head, ...versionAndTime(changed) };
  const text = record && workspace.records.of(nameBefore)?.code.text;
  if (record !== undefined && text !== undefined)
    workspace.records.write({ ...recordAfter, code: record.code }, text);
  workspace.records.remove(nameBefore);
  if (code === undefined)
    return done({ status: 'renamed', nameBefore, ...idAndVersion({ id, version: versionOf(changed) }) });
  try {
    // Somebody may have changed the val during the rename.
    if (!isSameCode(renamed?.code, there?.code)) throw changedMeanwhile(workspace, val);
    const sent = await sendCode(push, { ...val, there: renamed, nameBefore: undefined }, code);
    return { ...sent, outcome: { ...sent.outcome, nameBefore } };
  } catch (error) {
    throw afterPart(error, 'The val was renamed before.');
  }
}

async function createInstead(push: Push, val: Examined, code: string | undefined): Promise<Done> {
  const { workspace } = push.look;
  const text = code ?? readBelow(workspace.root, val.file) ?? '';
  const created = await sendCode(push, { ...val, there: undefined }, text);
  const remark: Remark = { kind: 'not renamed', nameBefore: val.nameBefore ?? '' };
  return { ...created, remarks: [remark, ...created.remarks] };
}

async function carryOutDeletion(push: Push, step: DeedStep): Promise<Done> {
  const { look, dryRun, context } = push;
  const { workspace, api } = look;
  const { name, file, there, record } = step.val;
  if (dryRun) return done({ status: 'planned', ...idAndVersion(there) });
  // While the command asked, the file may have come back.
  if (existsBelow(workspace.root, file)) return done({ status: 'skipped' });
  const current = isSameRecord(record, currentRecord(look, step.val))
    ? await withCurrentVal(push, step)
    : undefined;
  if (current === undefined) throw changedMeanwhile(workspace, step.val);
  const val = current.val.there as RemoteVal;
  context.signal.throwIfAborted();
  await api.send({ ...routes.deleteVal(val.id ?? ''), ifMatch: val.etag }).catch((error) => {
    if (!(error instanceof NotFoundError)) throw error;
  });
  workspace.records.remove(name);
  return done({ status: 'deleted', ...idAndVersion(val) });
}

function currentRecord({ workspace, head }: Look, { name, there }: Examined): ValRecord | undefined {
  const recorded = workspace.records.of(name);
  return recorded && there && isOfBranch(recorded, head) ? ofVal(recorded, there) : undefined;
}

const versionAndTime = (val: JsonValue): Pick<ValRecord, 'version' | 'changedAt'> => ({
  version: versionOf(val),
  changedAt: changedAtOf(val),
});

/** Both sides have the same code, so a record says so. */
export function recordSame({ workspace, head }: Look, val: Examined): void {
  const { name, file, there, here, record, code, nameThere, nameBefore } = val;
  if (code !== 'unchanged' || there === undefined || nameThere !== undefined || nameBefore !== undefined)
    return;
  const { id, version, changedAt } = there;
  const now = { name, file, id, version, changedAt, head, code: there.code };
  if (isSameRecord(record, now)) return;
  const text = there.code.text ?? readBelow(workspace.root, file);
  // The file may have changed meanwhile.
  if (text !== undefined && isSameCode(codeOf(text), here)) workspace.records.write(now, text);
}

/** Finds the id of a val that the service stored without telling its id. */
export async function learnId({ workspace, remotes }: Look, name: string): Promise<JsonObject> {
  const { records } = workspace;
  const sent = records.of(name);
  const found = await remotes.named(name, undefined);
  if (sent?.code.text === undefined || found === undefined || found === 'unknown' || found.id === undefined)
    return {};
  const { id, version, changedAt } = found;
  const isSame = isSameCode(found.code, sent.code);
  records.write({ ...sent, id, ...(isSame && { version, changedAt }) }, sent.code.text);
  return idAndVersion({ id, version: isSame ? version : sent.version });
}
