// Sends one val of a workspace. The file is compared with the service's code first, so that no edit on the service is
// overwritten by accident.
import type { Api } from '../api/api.ts';
import { changeVal } from '../api/change-val.ts';
import { changedAtOf, textAt, versionOf } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { ConflictError, LocalError, RefusedError } from '../errors.ts';
import { type JsonObject, type JsonValue, stringifyJson, withoutUndefined } from '../lib/json.ts';
import type { Outcome } from '../lib/outcome.ts';
import { shell } from '../lib/shell-command.ts';
import type { ListedVal } from '../names/listed-vals.ts';
import { deletedThere, notPushed, notYours, ofAnotherOwner, otherName } from './conflicts.ts';
import { type Base, hashOf } from './disk/base.ts';
import { type Examined, examine, recordUnchanged } from './examine.ts';
import { idAndVersion, isSameVersion, type RemoteVal, type RemoteVals } from './remote-vals.ts';
import { hasConflictMarkers } from './text/merge.ts';
import type { WorkspaceVal } from './vals.ts';
import type { Workspace } from './workspace.ts';

export interface PushOptions {
  /** True if an edited file is sent even if the val changed on the service too. */
  force: boolean;
  /**
   * True if the push creates a new val of the caller when the id in vals.json belongs to another owner, to a val with
   * another name, or to no val.
   */
  fork: boolean;
  /** True if the push only compares and sends nothing. */
  dryRun: boolean;
  remotes: RemoteVals;
  /** Called if the service cannot list vals, so that the push may overwrite a val of the same name. */
  onPossibleTakeover(val: WorkspaceVal): void;
  /** Called before the val on the service is renamed to the name in vals.json. */
  onRenaming(val: WorkspaceVal, nameThere: string): void;
  /** Called before the val is sent. If it throws, nothing is sent. */
  beforeSending(): void;
  /** Reports a fact about the val that is not a failure. */
  remark(message: string): void;
}

export async function pushVal(
  workspace: Workspace,
  api: Api,
  val: WorkspaceVal,
  /** Undefined if the file does not exist. */
  code: string | undefined,
  options: PushOptions,
): Promise<Outcome> {
  if (code !== undefined) {
    return pushCode({ workspace, api, val, code, base: workspace.bases.read(val), options });
  }
  options.remark(
    `${val.file} is gone. ${shell`vals pull ${val.file}`} restores it, ${shell`vals forget ${val.file}`} removes it from vals.json, \`vals push --prune\` deletes the val.`,
  );
  return { status: 'skipped' };
}

/** One val, and the code to send. */
interface Push {
  workspace: Workspace;
  api: Api;
  val: WorkspaceVal;
  code: string;
  base: Base | undefined;
  options: PushOptions;
}

/** The val on the service that gets the code. */
interface Target {
  id: string | undefined;
  /** Undefined if the service does not have the val yet. */
  remote: Pick<RemoteVal, 'name' | 'version'> | undefined;
  mayTakeOver: boolean;
  /** False if only the service's list was read. Then the service's code is not known. */
  isCompared: boolean;
}

async function pushCode(push: Push): Promise<Outcome> {
  const { workspace, val, base, options } = push;
  const listed = base === undefined ? await listedFromCheckout(push) : undefined;
  if (listed !== undefined) {
    return sendCode(push, { id: val.id, remote: listed, mayTakeOver: false, isCompared: false });
  }
  const examined = await examineOrFork(push);
  const outcome = outcomeWithoutSending(workspace, examined, options);
  if (examined.isRenamedHere && base !== undefined) {
    return renameAndPush(push, base, examined.remote, outcome);
  }
  if (outcome !== undefined) return outcome;
  const { remote, mayTakeOver } = examined;
  return sendCode(push, { id: examined.val.id, remote, mayTakeOver, isCompared: true });
}

/** `codeOutcome` is the outcome for the code; undefined if the code must be sent. */
async function renameAndPush(
  push: Push,
  base: Base,
  remote: RemoteVal | undefined,
  codeOutcome: Outcome | undefined,
): Promise<Outcome> {
  const { workspace, api, val, code, options } = push;
  if (codeOutcome === undefined) refuseConflictMarkers(push);
  options.onRenaming(val, remote?.name ?? '');
  if (options.dryRun) return { status: 'planned', ...versionBefore(remote) };
  options.beforeSending();
  const version = await rename(workspace, api, val, base);
  if (codeOutcome !== undefined) return { status: 'renamed', ...idAndVersion(val.id, version) };
  // The code on the service may have changed during the rename, so the val is examined again before its code is sent.
  return pushVal(workspace, api, val, code, options);
}

async function sendCode(push: Push, target: Target): Promise<Outcome> {
  const { workspace, api, val, code, base, options } = push;
  const { remote } = target;
  refuseConflictMarkers(push);
  if (target.mayTakeOver) options.onPossibleTakeover(val);
  if (options.dryRun) return { status: 'planned', ...versionBefore(remote) };
  options.beforeSending();
  const name = remote?.name ?? val.name;
  const { status, body = null } = await api.send(routes.putVal(name, code)).catch((error) => {
    // The service may have stored the code although the request failed.
    if (base !== undefined) workspace.bases.write(val, { ...base, sent: hashOf(code) });
    throw error;
  });
  const sentId = textAt(body, 'id');
  // A hostile service may send the token as an id. The token must not get into vals.json.
  const id = sentId === undefined || api.holdsToken(sentId) ? target.id : sentId;
  const version = versionOf(body);
  if (hasConflictMarkers(code)) options.remark(`${val.file} was sent with conflict markers in it.`);
  if (target.id !== undefined && id !== target.id) {
    options.remark(`${val.file} was stored under another id than before: ${id}.`);
  }
  // If the service cannot list vals, only the answer to the push shows that the service already had a val of this name.
  if (target.mayTakeOver && status !== 201 && Number(version) > 1) {
    options.remark(
      `${val.file} replaced the code of the val "${name}", which the service already had. The older versions are kept.`,
    );
  }
  record(workspace, { file: val.file, name, id }, { code, ...stampOf(api, body), name });
  // The service creates no new version if the code is the same. So the same version means that nothing changed.
  if (!target.isCompared && version !== undefined && isSameVersion(remote?.version, version)) {
    return { status: 'unchanged', ...idAndVersion(id, version) };
  }
  const sent = status === 201 ? 'created' : 'pushed';
  return { status: sent, ...idAndVersion(id, version), ...versionBefore(remote) };
}

const versionBefore = (remote: Target['remote']): JsonObject =>
  withoutUndefined({ versionBefore: remote?.version });

function refuseConflictMarkers({ val, code, options }: Push): void {
  if (options.force || !hasConflictMarkers(code)) return;
  throw new ConflictError(`${val.file} still has conflict markers.`, {
    hint: 'Edit the file: keep the lines you want, remove the conflict markers, then run `vals push`.',
  });
}

/** Renames the val on the service to the name in vals.json. Returns the version after the rename. */
async function rename(
  workspace: Workspace,
  api: Api,
  { id = '', file, name }: WorkspaceVal,
  base: Base,
): Promise<JsonValue | undefined> {
  const { val, notApplied } = await changeVal(api, id, { name });
  if (notApplied.length > 0) {
    throw new RefusedError(`The service did not rename "${base.name}" to "${name}".`, {
      hint: `Rename it on the service itself, or take its name there with ${shell`vals pull ${file} --force`}.`,
    });
  }
  // Some services create a new version with the same code when a val is renamed.
  const version = versionOf(val);
  const isSameCode = val.code === base.code;
  const stamp = isSameCode ? stampOf(api, val) : {};
  workspace.bases.write({ id, name }, { ...base, ...stamp, name });
  return version;
}

/** The version and the time of a val, to store in its base. Both are left out if one of them contains the token. */
function stampOf(api: Api, val: JsonValue): Pick<Base, 'version' | 'changedAt'> {
  const version = versionOf(val);
  const changedAt = changedAtOf(val);
  const holdsToken = [stringifyJson(version ?? null), changedAt ?? ''].some(api.holdsToken);
  return holdsToken ? { version: undefined } : { version, changedAt };
}

/**
 * The first push of a fresh checkout reads the service's list instead of each val, and sends every val that belongs to
 * the caller.
 */
async function listedFromCheckout({ workspace, val, options }: Push): Promise<ListedVal | undefined> {
  const { id, name } = val;
  if (id === undefined || !workspace.bases.trustsFile(id)) return undefined;
  const listed = await options.remotes.listed(id);
  return listed?.name === name ? listed : undefined;
}

/**
 * With --fork, the file is examined as a new val if its id belongs to another owner, to a val with another name, or to
 * a deleted val.
 */
async function examineOrFork({ workspace, val, code, base, options }: Push): Promise<Examined> {
  const { remotes, fork } = options;
  const examined = await examine(workspace, remotes, val, code, base);
  const { foreign, status, nameThere, isRenamedHere } = examined;
  const hasOtherName = nameThere !== undefined && val.id !== undefined && !isRenamedHere;
  const isOtherVal = foreign !== undefined || status === 'deleted there' || hasOtherName;
  return fork && isOtherVal ? examine(workspace, remotes, { ...val, id: undefined }, code) : examined;
}

/** Returns the outcome if there is nothing to send; otherwise undefined. Throws if there is a conflict. */
function outcomeWithoutSending(
  workspace: Workspace,
  examined: Examined,
  { force, dryRun }: PushOptions,
): Outcome | undefined {
  const { val, remote, status, foreign, nameThere } = examined;
  if (foreign !== undefined && val.others !== undefined) {
    throw ofAnotherOwner(workspace, val.others, foreign.owner);
  }
  if (foreign !== undefined) throw notYours(val, foreign.owner);
  if (status === 'deleted there') throw deletedThere(val);
  if (nameThere !== undefined && !examined.isRenamedHere && !force) throw otherName(val, nameThere);
  if (status === 'unchanged') {
    if (!dryRun) {
      if (examined.isNew && remote?.id !== undefined) record(workspace, val, { ...remote, name: val.name });
      recordUnchanged(workspace, examined, 'pull or push');
    }
    return { status: 'unchanged', ...idAndVersion(val.id, remote?.version) };
  }
  if (status === 'changed there') return { status: 'behind', ...idAndVersion(val.id, remote?.version) };
  if (status === 'conflict' && !force) throw notPushed(examined);
  return undefined;
}

/** Writes the id before the base, because the base is stored under the id. */
function record(workspace: Workspace, { file, name, id }: WorkspaceVal, base: Base): void {
  try {
    workspace.remember({ file, name, id });
    workspace.bases.write({ name, id }, base);
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    throw new LocalError(`${file} was pushed, but that could not be recorded: ${error.message}`, error.facts);
  }
}
