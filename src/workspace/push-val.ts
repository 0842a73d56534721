// Sends one val of a workspace. It is compared with the service first, so that no edit made there is overwritten unseen.
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
import { type Examined, examine } from './examine.ts';
import { idAndVersion, isSameVersion, type RemoteVal, type RemoteVals } from './remote-vals.ts';
import { hasConflictMarkers } from './text/merge.ts';
import type { WorkspaceVal } from './vals.ts';
import type { Workspace } from './workspace.ts';

export interface PushOptions {
  /** Sends files that changed here, even if the val changed on the service too. */
  force: boolean;
  /** Makes a val of the caller's own if the file's id belongs to another owner, to a val of another name, or to no val. */
  fork: boolean;
  /** Compares, and sends nothing. */
  dryRun: boolean;
  remotes: RemoteVals;
  /** Called if the push may take over a val of the same name, because the service has no list that would show it. */
  onPossibleTakeover(val: WorkspaceVal): void;
  /** Called before the val on the service gets the name in vals.json. */
  onRenaming(val: WorkspaceVal, nameThere: string): void;
  /** Called before the val is sent. If it throws, nothing is sent. */
  beforeSending(): void;
  /** Reports something about the val that is not a failure. */
  remark(message: string): void;
}

export async function pushVal(
  workspace: Workspace,
  api: Api,
  val: WorkspaceVal,
  /** Undefined if the file is gone. */
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
  /** Undefined if the val is new there. */
  remote: Pick<RemoteVal, 'name' | 'version'> | undefined;
  mayTakeOver: boolean;
  /** False if only the list was read, and so the service's code is not known. */
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

/** @param codeOutcome the outcome of the code, if there is no code to send */
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
  // The code may have changed there meanwhile, so the val is examined again before its code is sent.
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
  // A service that sends the token as an id must not get it into vals.json.
  const id = sentId === undefined || api.holdsToken(sentId) ? target.id : sentId;
  const version = versionOf(body);
  if (hasConflictMarkers(code)) options.remark(`${val.file} was sent with conflict markers in it.`);
  if (target.id !== undefined && id !== target.id) {
    options.remark(`${val.file} was stored under another id than before: ${id}.`);
  }
  // Without a list, only the answer shows that the name was taken.
  if (target.mayTakeOver && status !== 201 && Number(version) > 1) {
    options.remark(
      `${val.file} replaced the code of the val "${name}", which the service already had. The older versions are kept.`,
    );
  }
  record(workspace, { file: val.file, name, id }, { code, ...stampOf(api, body), name });
  // The service makes no new version if the code is the same.
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

/** Gives the val on the service the name in vals.json. Returns the version after that. */
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
  // Some services make a new version with the same code.
  const version = versionOf(val);
  const isSameCode = val.code === base.code;
  const stamp = isSameCode ? stampOf(api, val) : {};
  workspace.bases.write({ id, name }, { ...base, ...stamp, name });
  return version;
}

/** The version and time of a val for its base. They are left out if the service sent the token in them. */
function stampOf(api: Api, val: JsonValue): Pick<Base, 'version' | 'changedAt'> {
  const version = versionOf(val);
  const changedAt = changedAtOf(val);
  const holdsToken = [stringifyJson(version ?? null), changedAt ?? ''].some(api.holdsToken);
  return holdsToken ? { version: undefined } : { version, changedAt };
}

/** The first push of a fresh checkout reads the list instead of each val, and sends every val that is the caller's. */
async function listedFromCheckout({ workspace, val, options }: Push): Promise<ListedVal | undefined> {
  const { id, name } = val;
  if (id === undefined || !workspace.bases.trustsFile(id)) return undefined;
  const listed = await options.remotes.listed(id);
  return listed?.name === name ? listed : undefined;
}

/** With --fork, a val that is not the caller's, or not this one, is examined as a new val. */
async function examineOrFork({ workspace, val, code, base, options }: Push): Promise<Examined> {
  const { remotes, fork } = options;
  const examined = await examine(workspace, remotes, val, code, base);
  const { foreign, status, nameThere, isRenamedHere } = examined;
  const hasOtherName = nameThere !== undefined && val.id !== undefined && !isRenamedHere;
  const isOtherVal = foreign !== undefined || status === 'deleted there' || hasOtherName;
  return fork && isOtherVal ? examine(workspace, remotes, { ...val, id: undefined }, code) : examined;
}

/** The outcome if there is nothing to send; otherwise undefined. Throws a conflict. */
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
    if (examined.isNew && remote !== undefined && remote.id !== undefined && !dryRun) {
      record(workspace, val, remote);
    }
    return { status: 'unchanged', ...idAndVersion(val.id, remote?.version) };
  }
  if (status === 'changed there') return { status: 'behind', ...idAndVersion(val.id, remote?.version) };
  if (status === 'conflict' && !force) throw notPushed(examined);
  return undefined;
}

/** Writes the id before the base, because the base is found by its id. */
function record(workspace: Workspace, { file, name, id }: WorkspaceVal, base: Base): void {
  try {
    workspace.remember({ file, name, id });
    workspace.bases.write({ name, id }, base);
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    throw new LocalError(`${file} was pushed, but that could not be recorded: ${error.message}`, error.facts);
  }
}
