// Sends one val of a workspace. It is compared with the service first, so that no edit made there is overwritten unseen.
import type { Api } from '../api/api.ts';
import { changeVal } from '../api/change-val.ts';
import { changedAtOf, textAt, versionOf } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { ConflictError, LocalError, RefusedError } from '../errors.ts';
import { type JsonValue, stringifyJson } from '../lib/json.ts';
import type { Outcome } from '../lib/outcome.ts';
import { shell } from '../lib/shell-command.ts';
import { deletedThere, notPushed, notYours, ofAnotherOwner, otherName } from './conflicts.ts';
import { type Base, hashOf } from './disk/base.ts';
import { type Examined, examine } from './examine.ts';
import { identity, isSameVersion, type RemoteVals } from './remote-vals.ts';
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
  /** Called if the service has no list, so that a val of that name may already exist. */
  onUnknownName(val: WorkspaceVal): void;
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
  if (code !== undefined) return pushCode(workspace, api, val, code, options);
  options.remark(
    `${val.file} is gone. ${shell`vals pull ${val.file}`} brings it back, ${shell`vals forget ${val.file}`} takes it out of vals.json, \`vals push --prune\` deletes the val.`,
  );
  return { status: 'skipped' };
}

async function pushCode(
  workspace: Workspace,
  api: Api,
  val: WorkspaceVal,
  code: string,
  options: PushOptions,
): Promise<Outcome> {
  const { remotes } = options;
  const recorded = workspace.bases.read(val);
  const listed = recorded === undefined ? await listedFromCheckout(workspace, remotes, val) : undefined;
  const examined = listed
    ? undefined
    : await examineOrFork(workspace, remotes, val, code, recorded, options.fork);
  const outcome = examined && outcomeWithoutSending(workspace, examined, options);
  const isRenamed = examined?.isRenamedHere === true;
  if (outcome !== undefined && !isRenamed) return outcome;
  if (outcome === undefined && !options.force && hasConflictMarkers(code)) {
    throw new ConflictError(`${val.file} still has conflict markers.`, {
      hint: 'Edit the file: keep the lines you want, remove the conflict markers, then run `vals push`.',
    });
  }
  if (examined?.mayTakeOver) options.onUnknownName(val);
  const known = listed ?? examined?.remote;
  const versionBefore = known?.version !== undefined && { versionBefore: known.version };
  if (isRenamed) options.onRenaming(val, known?.name ?? '');
  if (options.dryRun) return { status: 'planned', ...versionBefore };
  options.beforeSending();
  if (isRenamed && recorded !== undefined) {
    const version = await rename(workspace, api, val, recorded);
    // The code may have changed there meanwhile, so the val is examined again before its code is sent.
    return outcome === undefined
      ? pushCode(workspace, api, val, code, options)
      : { status: 'renamed', ...identity(val.id, version) };
  }
  const name = known?.name ?? val.name;
  const { status, body = null } = await api.send(routes.putVal(name, code)).catch((error) => {
    // The service may have stored the code although the request failed.
    if (recorded !== undefined) workspace.bases.write(val, { ...recorded, sent: hashOf(code) });
    throw error;
  });
  const idBefore = examined ? examined.val.id : val.id;
  const sentId = textAt(body, 'id');
  // A service that sends the token as an id must not get it into vals.json.
  const id = sentId === undefined || api.holdsToken(sentId) ? idBefore : sentId;
  const version = versionOf(body);
  if (hasConflictMarkers(code)) options.remark(`${val.file} was sent with conflict markers in it.`);
  if (idBefore !== undefined && id !== idBefore) {
    options.remark(`${val.file} was stored under another id than before: ${id}.`);
  }
  // Without a list, only the answer shows that the name was taken.
  if (examined?.mayTakeOver && status !== 201 && Number(version) > 1) {
    options.remark(
      `${val.file} replaced the code of the val "${name}", which the service already had. The older versions are kept.`,
    );
  }
  record(workspace, { file: val.file, name, id }, { code, ...stampOf(api, body), name });
  if (version !== undefined && listed && isSameVersion(listed.version, version)) {
    return { status: 'unchanged', ...identity(id, version) };
  }
  return { status: status === 201 ? 'created' : 'pushed', ...identity(id, version), ...versionBefore };
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
async function listedFromCheckout({ bases }: Workspace, remotes: RemoteVals, { id, name }: WorkspaceVal) {
  if (id === undefined || !bases.trustsFile(id)) return undefined;
  const listed = await remotes.listed(id);
  return listed?.name === name ? listed : undefined;
}

async function examineOrFork(
  workspace: Workspace,
  remotes: RemoteVals,
  val: WorkspaceVal,
  code: string,
  base: Base | undefined,
  fork: boolean,
): Promise<Examined> {
  const examined = await examine(workspace, remotes, val, code, base);
  const { foreign, status, nameThere, isRenamedHere } = examined;
  const hasOtherName = nameThere !== undefined && val.id !== undefined && !isRenamedHere;
  const leadsElsewhere = foreign !== undefined || status === 'deleted there' || hasOtherName;
  return fork && leadsElsewhere ? examine(workspace, remotes, { ...val, id: undefined }, code) : examined;
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
    return { status: 'unchanged', ...identity(val.id, remote?.version) };
  }
  if (status === 'changed there') return { status: 'behind', ...identity(val.id, remote?.version) };
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
