import type { Api } from '../api/api.ts';
import { changeVal, fieldOf, publicity } from '../api/change-val.ts';
import { changedAtOf, isTooLong, textAt, versionOf } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { afterPart, ConflictError, LocalError, RefusedError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue, stringifyJson, withoutUndefined } from '../lib/json.ts';
import type { Outcome } from '../lib/outcome.ts';
import { shell } from '../lib/shell-command.ts';
import type { ListedVal } from '../names/listed-vals.ts';
import { deletedThere, nameNotChecked, notPushed, notYours, ofAnotherOwner, otherName } from './conflicts.ts';
import { type Base, hashOf } from './disk/base.ts';
import { type Examined, examine, type LocalSide, recordUnchanged, unexpectedName } from './examine.ts';
import { idAndVersion, isSameVersion, type RemoteVal, type RemoteVals } from './remote-vals.ts';
import { hasConflictMarkers } from './text/merge.ts';
import type { WorkspaceVal } from './vals.ts';
import { nameOf, type Workspace } from './workspace.ts';

export interface PushOptions {
  force: boolean;
  fork: boolean;
  dryRun: boolean;
  remotes: RemoteVals;
  onPossibleTakeover(val: WorkspaceVal): void;
  beforeRenaming(val: WorkspaceVal, nameThere: string): void;
  beforeSending(): void;
  remark(message: string): void;
}

export async function pushVal(
  workspace: Workspace,
  api: Api,
  val: WorkspaceVal,
  { base, code }: LocalSide,
  options: PushOptions,
): Promise<Outcome> {
  if (code !== undefined) return pushCode({ workspace, api, val, code, base, options });
  options.remark(fileGone(workspace, val));
  return { status: 'skipped' };
}

function fileGone({ service }: Workspace, { file, id }: WorkspaceVal): string {
  const forget = `To remove the file from vals.json, run ${shell`vals forget ${file}`}.`;
  if (id === undefined) return `${file} is neither in this folder nor on ${nameOf(service)}. ${forget}`;
  return `${file} is gone. To restore the file, run ${shell`vals pull ${file}`}. ${forget} To delete the val, run \`vals push --prune\`.`;
}

interface Push {
  workspace: Workspace;
  api: Api;
  val: WorkspaceVal;
  code: string;
  base: Base | undefined;
  options: PushOptions;
}

interface Target {
  id: string | undefined;
  remote: Pick<RemoteVal, 'name' | 'version' | 'privacy'> | undefined;
  mayTakeOver: boolean;
  isCodeKnown: boolean;
}

async function pushCode(push: Push): Promise<Outcome> {
  const { val, base } = push;
  const listed = base === undefined ? await listedFromCheckout(push) : undefined;
  if (listed !== undefined) {
    return sendCode(push, { id: val.id, remote: listed, mayTakeOver: false, isCodeKnown: false });
  }
  const examined = await examineOrFork(push);
  const outcome = outcomeWithoutSending(push, examined);
  if (examined.isRenamedHere && base !== undefined) {
    return renameAndPush(push, base, examined.remote, { mustSendCode: outcome === undefined });
  }
  if (outcome !== undefined) return outcome;
  const { remote, mayTakeOver } = examined;
  return sendCode(push, { id: examined.val.id, remote, mayTakeOver, isCodeKnown: true });
}

async function renameAndPush(
  push: Push,
  base: Base,
  remote: RemoteVal | undefined,
  { mustSendCode }: { mustSendCode: boolean },
): Promise<Outcome> {
  const { workspace, api, val, code, options } = push;
  if (mustSendCode) refuseConflictMarkers(push);
  options.beforeRenaming(val, base.name ?? '');
  workspace.bases.checkWritable(val);
  if (options.dryRun) return { status: 'planned', ...versionBefore(remote) };
  workspace.bases.prepare();
  options.beforeSending();
  const { version, renamedBase } = await rename(workspace, api, val, base);
  if (!mustSendCode) return { status: 'renamed', ...idAndVersion(val.id, version) };
  // Calls `pushVal`, not `sendCode`, because somebody may have changed the code during the rename.
  return pushVal(workspace, api, val, { base: renamedBase, code }, options).catch((error) => {
    throw afterPart(error, 'The val was renamed before.');
  });
}

async function sendCode(push: Push, target: Target): Promise<Outcome> {
  const { workspace, api, val, code, base, options } = push;
  const { remote } = target;
  const name = remote?.name ?? val.name;
  refuseConflictMarkers(push);
  if (target.mayTakeOver) options.onPossibleTakeover(val);
  if (name !== val.name) {
    options.remark(
      `${val.file} is sent to the val "${name}", because vals.json has the id of that val for the file. In vals.json, the name is "${val.name}".`,
    );
  }
  const call = routes.putVal(name, code);
  api.refuseToken(call);
  workspace.bases.checkWritable(val);
  if (options.dryRun) return { status: 'planned', name, ...versionBefore(remote) };
  workspace.bases.prepare();
  options.beforeSending();
  const { status, body = null } = await api.send(call).catch((error) => {
    // The service may have stored the code although the request failed, so the base records the sent code.
    if (base !== undefined) workspace.bases.write(val, { ...base, sent: hashOf(code) });
    throw error;
  });
  const sentId = textAt(body, 'id');
  // A hostile service could send the token as the id. Then vals.json would reveal the token.
  const id = sentId !== undefined && mayBeStored(api, sentId) ? sentId : target.id;
  const version = versionOf(body);
  if (hasConflictMarkers(code)) options.remark(`${val.file} was pushed with conflict markers in its code.`);
  if (target.id !== undefined && id !== target.id) {
    options.remark(`${val.file} was stored under a new id: ${id}.`);
  }
  // Somebody may have created the val after the list of vals was read.
  if (remote === undefined && status !== 201 && Number(version) > 1) {
    options.remark(
      `${val.file} replaced the code of the val "${name}", which the service already had. The older versions are kept.`,
    );
  }
  const privacy = isObject(body) ? fieldOf(body, 'privacy') : undefined;
  if (publicity(privacy, 0) > publicity(remote?.privacy, 2)) {
    options.remark(`${val.file} is ${privacy} on the service now (before the push: ${remote?.privacy}).`);
  }
  // A new name is written to the base later, by `saveManifest`. If vals.json keeps the old name, because another file has
  // the new one, the next push must not treat that as a rename by the user.
  const recordedName = name === val.name ? name : (base?.name ?? val.name);
  record(push, { file: val.file, name, id }, { code, ...versionAndTime(api, body), name: recordedName });
  if (!target.isCodeKnown && version !== undefined && isSameVersion(remote?.version, version)) {
    return { status: 'unchanged', name, ...idAndVersion(id, version) };
  }
  const sent = status === 201 ? 'created' : 'pushed';
  return { status: sent, name, ...idAndVersion(id, version), ...versionBefore(remote) };
}

const versionBefore = (remote: Target['remote']): JsonObject =>
  withoutUndefined({ versionBefore: remote?.version });

function refuseConflictMarkers({ val, code, options }: Push): void {
  if (options.force || !hasConflictMarkers(code)) return;
  throw new ConflictError(`${val.file} has conflict markers.`, {
    hint: 'Edit the file: keep the lines you want, remove the conflict markers, then run `vals push`.',
  });
}

async function rename(
  workspace: Workspace,
  api: Api,
  { id = '', file, name }: WorkspaceVal,
  base: Base,
): Promise<{ version: JsonValue | undefined; renamedBase: Base }> {
  const { val, notApplied } = await changeVal(api, id, { name });
  if (notApplied.length > 0) {
    throw new RefusedError(`The service did not rename "${base.name}" to "${name}".`, {
      hint: `Rename the val on the service yourself. To use the service's name instead, run ${shell`vals pull ${file} --force`}.`,
    });
  }
  const version = versionOf(val);
  const isSameCode = val.code === base.code;
  const stamp = isSameCode ? versionAndTime(api, val) : {};
  const renamedBase = { ...base, ...stamp, name };
  workspace.bases.write({ file, id, name }, renamedBase);
  return { version, renamedBase };
}

function versionAndTime(api: Api, val: JsonValue): Pick<Base, 'version' | 'changedAt'> {
  const version = versionOf(val);
  const changedAt = changedAtOf(val);
  const isStored = [stringifyJson(version ?? null), changedAt ?? ''].every((text) => mayBeStored(api, text));
  return isStored ? { version, changedAt } : { version: undefined };
}

const mayBeStored = ({ holdsToken }: Api, text: string): boolean => !holdsToken(text) && !isTooLong(text);

async function listedFromCheckout({ workspace, val, options }: Push): Promise<ListedVal | undefined> {
  const { id, name } = val;
  if (id === undefined || !workspace.bases.cameWithCheckout(id)) return undefined;
  const listed = await options.remotes.listed(id);
  return listed?.name === name ? listed : undefined;
}

async function examineOrFork({ workspace, val, code, base, options }: Push): Promise<Examined> {
  const { remotes, fork } = options;
  const examined = await examine(workspace, remotes, val, { base, code });
  const { foreign, status } = examined;
  const hasOtherName = val.id !== undefined && unexpectedName(examined) !== undefined;
  const isOtherVal = foreign !== undefined || status === 'deleted there' || hasOtherName;
  if (!fork || !isOtherVal) return examined;
  const newVal = { ...val, id: undefined };
  return examine(workspace, remotes, newVal, { base: workspace.bases.read(newVal), code });
}

function outcomeWithoutSending(push: Push, examined: Examined): Outcome | undefined {
  const { workspace, options } = push;
  const { force, dryRun } = options;
  const { listProblem } = options.remotes;
  const { val, remote, status, foreign, mayTakeOver } = examined;
  const isForked = examined.isNew && push.val.id !== undefined;
  if (mayTakeOver && listProblem !== undefined && !force) throw nameNotChecked(val, listProblem, isForked);
  if (foreign !== undefined && val.otherServices !== undefined) {
    throw ofAnotherOwner(workspace, val.otherServices, foreign.owner);
  }
  if (foreign !== undefined) throw notYours(val, foreign.owner);
  if (status === 'deleted there') throw deletedThere(val);
  // A hostile vals.json can list any id under a harmless name. So the val on the service must have the name from
  // vals.json.
  const nameThere = unexpectedName(examined);
  if (nameThere !== undefined && !force) throw otherName(val, nameThere);
  if (status === 'unchanged') {
    if (!dryRun) {
      if (examined.isNew && remote?.id !== undefined) record(push, val, { ...remote, name: val.name });
      recordUnchanged(workspace, examined, 'pull or push');
    }
    return { status: 'unchanged', ...idAndVersion(val.id, remote?.version) };
  }
  if (status === 'changed there') return { status: 'behind', ...idAndVersion(val.id, remote?.version) };
  if (status === 'conflict' && !force) throw notPushed(examined, isForked);
  return undefined;
}

function record({ workspace, val }: Push, pushed: WorkspaceVal, base: Base): void {
  const { file, name, id } = pushed;
  try {
    // `workspace.remember` must run first. Otherwise, after a crash, a base could have an id that vals.json
    // does not have.
    workspace.remember({ file, name, id }, val.id);
    workspace.bases.write({ file, name, id }, base);
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    throw new LocalError(
      `${file} was pushed, but the workspace could not record the push: ${error.message}`,
      error.facts,
    );
  }
}
