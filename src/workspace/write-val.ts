// The writes of a push: each sends one change and records it.
import type { Api } from '../api/api.ts';
import { changeFields, publicity } from '../api/change-val.ts';
import { changedAtOf, textAt, versionOf } from '../api/record-fields.ts';
import * as routes from '../api/routes.ts';
import { afterPart, NotFoundError, type Problem, RefusedError, undefinedIf, ValsError } from '../errors.ts';
import type { Hints } from '../lib/hint.ts';
import { isObject, type JsonObject, type JsonValue, withoutUndefined } from '../lib/json.ts';
import type { Outcome } from '../lib/outcome.ts';
import { pastOf } from './examine.ts';
import type { PlanOptions, Step } from './plan.ts';
import { recordAfter, type ValRecord, withName, withReplaced } from './records/val-records.ts';
import { idAndVersion, type RemoteVals } from './remote-vals.ts';
import { hashOf } from './text/code-facts.ts';
import type { WorkspaceVal } from './vals.ts';
import { pathTo, type Workspace } from './workspace.ts';

export interface Push {
  workspace: Workspace;
  api: Api;
  options: PlanOptions;
  dryRun: boolean;
  /** For vals that have to be read again. */
  freshRemotes(): RemoteVals;
  /** Throws if the code must not be sent. `isAsPlanned` is false if the file changed after the plan was made. */
  checkCode(path: string, code: string, options: { isAsPlanned: boolean }): Promise<void>;
  /** Takes note of each code that is sent, or would be sent. */
  onCode(path: string, code: string): void;
  beforeSending(): void;
  onRename(val: WorkspaceVal, nameThere: string): void;
  onMove(val: WorkspaceVal): void;
  remark(remark: string | { subject: string; problem: Problem }, hints?: Hints): void;
}

/** A step with the texts that it writes. */
export interface ReadyStep extends Step {
  code: string;
  record: ValRecord | undefined;
}

const versionBefore = ({ found }: Step): JsonObject =>
  withoutUndefined({ versionBefore: found.remote?.version });

export function moveVal(push: Push, step: ReadyStep): Outcome {
  const { workspace, dryRun, onMove } = push;
  const { found, record, code } = step;
  if (dryRun) {
    onMove(step.val);
    return { status: 'planned', ...versionBefore(step) };
  }
  const { file, name, id } = found.val;
  const { version, changedAt, hash } = found.remote ?? {};
  const isSame = hash !== undefined && hash === found.here?.hash;
  const moved = isSame
    ? recordAfter(record, { file, id, name: record?.name ?? name, version, changedAt, code, hash })
    : record && { ...record, file };
  if (moved !== undefined) workspace.records.write(moved);
  rememberMoved(push, step, id);
  return { status: 'moved', name, ...idAndVersion(id, version) };
}

/** `pushCode` is called if the code has to be sent too. Somebody may have changed the val during the rename. */
export async function renameVal(
  push: Push,
  step: ReadyStep,
  pushCode: (renamed: ValRecord | undefined) => Promise<Outcome>,
): Promise<Outcome> {
  const { workspace, api, dryRun, onRename, beforeSending } = push;
  const { found, record, code } = step;
  const { id = '', file, name } = found.val;
  onRename(found.val, found.record?.name ?? '');
  if (dryRun && step.val.movedFrom !== undefined) push.onMove(step.val);
  if (step.alsoSends) api.refuseToken(routes.putVal(name, code));
  if (dryRun) return { status: 'planned', ...versionBefore(step) };
  beforeSending();
  const { val: changed, notApplied } = await changeFields(api, id, { name }, found.remote?.etag);
  if (notApplied.length > 0) throw notRenamed(pathTo(workspace, file), record?.name, name);
  const isSameCode = typeof changed.code === 'string' && hashOf(changed.code) === record?.hash;
  const renamed = record && withName({ ...record, ...(isSameCode && versionAndTime(changed)), file }, name);
  if (renamed !== undefined) workspace.records.write(renamed);
  if (step.val.movedFrom !== undefined) rememberMoved(push, step, id);
  if (!step.alsoSends) return { status: 'renamed', ...idAndVersion(id, versionOf(changed)) };
  return pushCode(renamed).catch((error) => {
    throw afterPart(error, 'The val was renamed before.');
  });
}

const notRenamed = (path: string, before: string | undefined, name: string): RefusedError =>
  new RefusedError(`The service did not rename "${before}" to "${name}".`, {
    hint: [
      'Rename the val on the service yourself.',
      { text: "To use the service's name instead", command: 'pull', input: { vals: [path], force: true } },
    ],
  });

export async function sendVal(push: Push, step: ReadyStep): Promise<Outcome> {
  const { workspace, api, dryRun, beforeSending, remark } = push;
  const { found, record, code } = step;
  const { val, remote } = found;
  const path = pathTo(workspace, val.file);
  // A val that was renamed on the service keeps its name there.
  const name = remote?.name ?? val.name;
  if (dryRun && val.movedFrom !== undefined) push.onMove(step.val);
  if (name !== val.name) {
    remark(`The val "${val.name}" of ${path} is named "${name}" on the service now.`, {
      text: 'To use the new name in vals.json too',
      command: 'pull',
      input: { vals: [path] },
    });
  }
  // Without a list, nobody knows whether there is a val of that name.
  const isNew = remote === undefined && !found.isNameUnknown;
  const call = {
    ...routes.putVal(name, code),
    ifMatch: remote?.etag,
    ifNoneMatch: isNew ? ('*' as const) : undefined,
  };
  api.refuseToken(call);
  if (dryRun) return { status: 'planned', name, ...versionBefore(step) };
  beforeSending();
  const { status, body = null } = await api.send(call).catch((error) => {
    // The service may have stored the code although the request failed, so the record gets the hash of the code.
    if (record !== undefined) {
      // Until vals.json has the new path, the record belongs to the old one.
      workspace.records.write({ ...record, file: val.movedFrom ?? val.file, sent: hashOf(code) });
    }
    throw error;
  });
  const id = textAt(body, 'id') ?? val.id;
  remarkOnReply(push, step, { id, status, body, name });
  const hash = found.here?.hash ?? hashOf(code);
  const sentState = { file: val.file, id, name: val.name, code, hash, ...versionAndTime(body) };
  workspace.records.write(withReplaced(recordAfter(pastOf(workspace, found), sentState), remote));
  rememberMoved(push, step, id);
  const sent = status === 201 ? 'created' : 'pushed';
  return { status: sent, name, ...idAndVersion(id, versionOf(body)), ...versionBefore(step) };
}

interface PushReply {
  id: string | undefined;
  status: number;
  body: JsonValue;
  name: string;
}

function remarkOnReply(
  { workspace, remark }: Push,
  { found }: ReadyStep,
  { id, status, body, name }: PushReply,
): void {
  const { val, remote, here } = found;
  const path = pathTo(workspace, val.file);
  const withMarkers = 'pushed with conflict markers in the code';
  const problem = { one: `was ${withMarkers}`, many: `were ${withMarkers}` };
  if (here?.hasMarkers) remark({ subject: path, problem });
  if (val.id !== undefined && id !== val.id) remark(`${path} was stored under a new id: ${id}.`);
  // Somebody may have created the val after the list of vals was read.
  if (remote === undefined && status !== 201 && Number(versionOf(body)) > 1) {
    remark(
      `${path} replaced the code of the val "${name}", which the service already had. The older versions are kept.`,
    );
  }
  const privacy = isObject(body) ? textAt(body, 'privacy') : undefined;
  if (publicity(privacy, 0) > publicity(remote?.privacy, 2)) {
    const now = `${privacy} on the service now (before the push: ${remote?.privacy})`;
    remark({ subject: path, problem: { one: `is ${now}`, many: `are ${now}` } });
  }
}

export async function deleteFromService({ api, beforeSending }: Push, { found }: Step): Promise<Outcome> {
  const { remote } = found;
  const id = remote?.id ?? '';
  beforeSending();
  await api.send({ ...routes.deleteVal(id), ifMatch: remote?.etag }).catch((error) => {
    if (!(error instanceof NotFoundError)) throw error;
  });
  return { status: 'deleted', ...idAndVersion(id, remote?.version) };
}

/** The record of the old path goes, so that no other file of that path takes it for its own. */
function rememberMoved({ workspace, onMove }: Push, { val, found }: Step, id: string | undefined): void {
  const { movedFrom } = val;
  const { file, name } = found.val;
  if (movedFrom !== undefined) workspace.records.remove(movedFrom);
  workspace.remember({ file, name, id, movedFrom }, val.id);
  if (movedFrom !== undefined) onMove(val);
}

const versionAndTime = (val: JsonValue): Pick<ValRecord, 'version' | 'changedAt'> => ({
  version: versionOf(val),
  changedAt: changedAtOf(val),
});

/** Finds the id of a val that the service stored without telling its id. */
export async function learnId(
  workspace: Workspace,
  remotes: RemoteVals,
  { file, name }: WorkspaceVal,
): Promise<JsonObject> {
  const sent = workspace.records.of({ file, name });
  const remote = await remotes.named(name).catch(undefinedIf(ValsError));
  if (sent === undefined || remote === undefined || remote === 'unknown') return {};
  if (remote.id === undefined) return {};
  const { id } = remote;
  const { version, changedAt } = remote.hash === sent.hash ? remote : sent;
  workspace.records.write({ ...sent, file, id, version, changedAt });
  workspace.remember({ file, name, id });
  return idAndVersion(id, version);
}
