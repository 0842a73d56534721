// Carries out the steps of a push.

import { afterPart, type ConflictError, NotFoundError } from '../core/errors.ts';
import { existsBelow } from '../core/files/files.ts';
import { changeFields } from '../core/http/change-val.ts';
import { changedAtOf, textAt, versionOf } from '../core/http/record-fields.ts';
import { type JsonObject, type JsonValue, withoutUndefined } from '../core/lib/json.ts';
import type { Outcome } from '../core/lib/outcome.ts';
import * as routes from '../core/routes.ts';
import { codeOf, isSameCode, withLineEnds } from './code.ts';
import { type ComparedVal, type Examined, type WithoutVal, withoutVal } from './examine.ts';
import { withFreshRemotes } from './look.ts';
import { conflictOf } from './next-steps.ts';
import { type ChangeStep, type DeletionStep, isChange, type Step } from './plan.ts';
import { type PlannedPush, recheck, valToDelete } from './recheck.ts';
import type { ValRecord } from './records.ts';
import { idAndVersion } from './remote-vals.ts';
import { pathTo, type Workspace } from './workspace.ts';
import { recordSent } from './write-records.ts';

export interface Push extends PlannedPush {
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
  /** Somebody created the val after the list of vals was read. */
  | { kind: 'replaced' }
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

async function carryOutChange(push: Push, step: ChangeStep): Promise<Done> {
  const { workspace } = push.look;
  const checked = await recheck(push, step);
  if (checked === undefined) return done({ status: 'skipped' });
  const ready = checked.step;
  if (!isChange(ready)) return carryOut(push, ready);
  const path = pathTo(workspace, ready.val.file);
  if (ready.kind === 'rename') return renameVal(push, ready.val);
  const { text } = ready.val.here;
  if (!checked.isFileAsPlanned) await push.checkCode(path, text);
  // The service was read, so its line ends are known.
  const code = withLineEnds(text, ready.val.there?.code.lineEnds);
  return ready.kind === 'rename and send'
    ? renameVal(push, ready.val, code)
    : sendCode(push, ready.val, code);
}

const changedMeanwhile = (workspace: Workspace, val: Examined): ConflictError =>
  conflictOf(workspace, val, 'conflict');

async function sendCode(push: Push, val: WithoutVal | ComparedVal, code: string): Promise<Done> {
  const { look, dryRun, context: run } = push;
  const { api, workspace } = look;
  const { name, file, there, here } = val;
  const call = {
    ...routes.putVal(name, code),
    ifMatch: there?.etag,
  };
  api.refuseToken(call);
  if (dryRun) return done(planned(val), { code });
  run.host.signal.throwIfAborted();
  const { status, body = null } = await api.send(call).catch((error) => {
    recordSent(look, val, code, error);
    throw error;
  });
  const id = textAt(body, 'id') ?? there?.id;
  const record = { name, file, id, head: workspace.head, ...versionAndTime(body), code: codeOf(code) };
  workspace.records.write(record);
  const outcome = {
    status: status === 201 ? ('created' as const) : ('pushed' as const),
    name,
    ...idAndVersion({ id, version: record.version }),
    ...withoutUndefined({ versionBefore: there?.version }),
  };
  const remarks: Remark[] = here.hasMarks ? [{ kind: 'sent with markers' }] : [];
  const isReplaced = there === undefined && status !== 201 && (versionOf(body) ?? 0) > 1;
  if (isReplaced) remarks.push({ kind: 'replaced' });
  return done(outcome, { code, remarks });
}

/** `code` is sent too, if it is given. */
async function renameVal(push: Push, val: ComparedVal, code?: string): Promise<Done> {
  const { look, dryRun, context: run } = push;
  const { api, workspace } = look;
  const { name, file, there, record } = val;
  const { name: nameBefore, id = '' } = there;
  if (code !== undefined) api.refuseToken(routes.putVal(name, code));
  if (dryRun) return done(planned(val, { nameBefore }), code === undefined ? {} : { code });
  run.host.signal.throwIfAborted();
  const { val: changed, notApplied } = await changeFields(api, id, { name }, there.etag);
  if (notApplied.length > 0) return createInstead(push, val, code);
  const renamed = await withFreshRemotes(run, look).remotes.read(id);
  // The old name has no file any more, and its record would make it a missing one.
  if (record === undefined) workspace.records.remove(nameBefore);
  else
    workspace.records.update(nameBefore, {
      name,
      file,
      id,
      head: workspace.head,
      ...versionAndTime(changed),
    });
  if (code === undefined)
    return done({ status: 'renamed', nameBefore, ...idAndVersion({ id, version: versionOf(changed) }) });
  try {
    // Somebody may have changed the val during the rename.
    if (renamed === undefined || !isSameCode(renamed.code, there.code))
      throw changedMeanwhile(workspace, val);
    const sent = await sendCode(push, { ...val, there: renamed, renamed: undefined }, code);
    return { ...sent, outcome: { ...sent.outcome, nameBefore } };
  } catch (error) {
    throw afterPart(error, 'The val was renamed before.');
  }
}

async function createInstead(push: Push, val: ComparedVal, code: string | undefined): Promise<Done> {
  const isNameUnknown = (await push.look.remotes.all()) === undefined;
  const created = await sendCode(push, withoutVal(val, { isNameUnknown }), code ?? val.here.text);
  const remark: Remark = { kind: 'not renamed', nameBefore: val.there.name };
  return { ...created, remarks: [remark, ...created.remarks] };
}

async function carryOutDeletion(push: Push, step: DeletionStep): Promise<Done> {
  const { look, dryRun, context: run } = push;
  const { workspace, api } = look;
  const { name, file, there } = step.val;
  if (dryRun) return done({ status: 'planned', ...idAndVersion(there) });
  // While the command asked, the file may have come back.
  if (existsBelow(workspace.root, file)) return done({ status: 'skipped' });
  const val = await valToDelete(push, step);
  if (val === undefined) throw changedMeanwhile(workspace, step.val);
  run.host.signal.throwIfAborted();
  await api.send({ ...routes.deleteVal(val.id ?? ''), ifMatch: val.etag }).catch((error) => {
    if (!(error instanceof NotFoundError)) throw error;
  });
  workspace.records.remove(name);
  return done({ status: 'deleted', ...idAndVersion(val) });
}

const versionAndTime = (val: JsonValue): Pick<ValRecord, 'version' | 'changedAt'> => ({
  version: versionOf(val),
  changedAt: changedAtOf(val),
});
