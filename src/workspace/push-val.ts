import type { Api } from '../api/api.ts';
import { changeVal, fieldOf, publicity } from '../api/change-val.ts';
import { checkVersion, noSuchVal } from '../api/expected-version.ts';
import { changedAtOf, textAt, versionOf } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { afterPart, type Problem, RefusedError, ValsError } from '../errors.ts';
import type { Hints } from '../lib/hint.ts';
import { isObject, type JsonObject, type JsonValue, withoutUndefined } from '../lib/json.ts';
import type { Outcome } from '../lib/outcome.ts';
import { forget, notPushed } from './conflicts.ts';
import { type Examined, examine, type LocalSide, recordIfSame } from './examine.ts';
import { hashOf, type ValRecord } from './records/val-records.ts';
import { idAndVersion, type RemoteVal, type RemoteVals } from './remote-vals.ts';
import { decide, type Permission } from './state.ts';
import { hasConflictMarkers } from './text/merge.ts';
import type { WorkspaceVal } from './vals.ts';
import { pathTo, type Workspace } from './workspace.ts';

export interface PushOptions extends Pick<Permission, 'force' | 'isNamed'> {
  /** --yes, or the user agreed to overwrite exactly this code. */
  mayOverwrite(val: WorkspaceVal, remote: RemoteVal): boolean;
  /** The val is written only if it has this version. */
  ifVersion?: string | undefined;
  fork: boolean;
  dryRun: boolean;
  remotes: RemoteVals;
  onPossibleTakeover(val: WorkspaceVal): void;
  beforeRenaming(val: WorkspaceVal, nameThere: string): void;
  /** Throws if the code must not be sent. */
  checkCode?(path: string, code: string): Promise<void>;
  beforeSending(): void;
  remark(remark: string | { subject: string; problem: Problem }, hints?: Hints): void;
}

export async function pushVal(
  workspace: Workspace,
  api: Api,
  val: WorkspaceVal,
  { record, code }: LocalSide,
  options: PushOptions,
): Promise<Outcome> {
  if (code !== undefined) return pushCode({ workspace, api, val, code, record, options });
  const path = pathTo(workspace, val.file);
  options.remark({ subject: path, problem: { one: 'is gone', many: 'are gone' } }, [
    { text: 'To restore the file', command: 'pull', input: { vals: [path] } },
    forget(path),
    {
      text: 'To delete the vals on the service whose files are gone',
      command: 'push',
      input: { prune: true },
    },
  ]);
  return { status: 'skipped' };
}

interface Push {
  workspace: Workspace;
  api: Api;
  val: WorkspaceVal;
  code: string;
  record: ValRecord | undefined;
  options: PushOptions;
}

async function pushCode(push: Push): Promise<Outcome> {
  const examined = await examineForPush(push.workspace, push.val, push, push.options);
  const { val, remote } = examined;
  const { workspace, options } = push;
  if (options.ifVersion !== undefined) requireVersion(options.ifVersion, examined);
  const mayOverwrite = remote !== undefined && options.mayOverwrite(val, remote);
  const decision = decide(examined, { ...options, mayOverwrite });
  if (decision === 'refuse') throw notPushed(workspace, examined, isForked(push, examined));
  const mustSendCode = decision === 'send';
  if (examined.name === 'renamed here') return renameAndPush(push, examined, mustSendCode);
  if (mustSendCode) return sendCode(push, examined);
  if (examined.code === 'unchanged' && !options.dryRun) {
    recordIfSame(workspace, examined);
    remember(push, val);
  }
  const status = examined.code === 'unchanged' ? 'unchanged' : 'behind';
  return { status, ...idAndVersion(val.id, remote?.version) };
}

function requireVersion(expected: string, { val, remote }: Examined): void {
  if (remote === undefined) throw noSuchVal(val.name, expected);
  checkVersion(expected, { val: val.id ?? val.name, name: remote.name ?? val.name, version: remote.version });
}

const isForked = ({ val, options }: Push, examined: Examined): boolean =>
  options.fork && val.id !== undefined && examined.val.id !== val.id;

/** With --fork, a val that is gone, or belongs to another owner or name, counts as a val without an id. */
export async function examineForPush(
  workspace: Workspace,
  val: WorkspaceVal,
  { record, code }: LocalSide,
  { remotes, fork }: Pick<PushOptions, 'remotes' | 'fork'>,
): Promise<Examined> {
  const examined = await examine(workspace, remotes, val, { record, code });
  const isOtherVal = examined.isOthers || examined.code === 'deleted there' || examined.name === 'other val';
  if (!fork || !isOtherVal) return examined;
  const { file, name } = val;
  return examine(workspace, remotes, { file, name, id: undefined }, { record: undefined, code });
}

async function renameAndPush(push: Push, examined: Examined, mustSendCode: boolean): Promise<Outcome> {
  const { workspace, api, code, options } = push;
  const { val, remote, record } = examined;
  options.beforeRenaming(val, record?.name ?? '');
  if (options.dryRun) return { status: 'planned', ...versionBefore(remote) };
  options.beforeSending();
  const { version, renamed } = await rename(push, examined);
  if (!mustSendCode) return { status: 'renamed', ...idAndVersion(val.id, version) };
  // Calls `pushVal`, not `sendCode`, because somebody may have changed the code during the rename.
  return pushVal(workspace, api, val, { record: renamed, code }, options).catch((error) => {
    throw afterPart(error, 'The val was renamed before.');
  });
}

async function rename(
  { workspace, api }: Push,
  { val, record, remote }: Examined,
): Promise<{ version: JsonValue | undefined; renamed: ValRecord | undefined }> {
  const { id = '', file, name } = val;
  const { val: changed, notApplied } = await changeVal(api, id, { name }, remote?.etag);
  if (notApplied.length > 0) {
    throw new RefusedError(`The service did not rename "${record?.name}" to "${name}".`, {
      hint: [
        'Rename the val on the service yourself.',
        {
          text: "To use the service's name instead",
          command: 'pull',
          input: { vals: [pathTo(workspace, file)], force: true },
        },
      ],
    });
  }
  const isSameCode = changed.code === record?.code;
  const renamed = record && { ...record, ...(isSameCode && versionAndTime(changed)), file, name };
  if (renamed !== undefined) workspace.records.write(renamed);
  return { version: versionOf(changed), renamed };
}

async function sendCode(push: Push, examined: Examined): Promise<Outcome> {
  const { workspace, api, code, options } = push;
  const { val, remote, record } = examined;
  const path = pathTo(workspace, val.file);
  // A val that was renamed on the service keeps its name there.
  const name = remote?.name ?? val.name;
  if (examined.isNameUnknown) options.onPossibleTakeover(val);
  if (name !== val.name) {
    options.remark(`The val "${val.name}" of ${path} is named "${name}" on the service now.`, {
      text: 'To use the new name in vals.json too',
      command: 'pull',
      input: { vals: [path] },
    });
  }
  const call = { ...routes.putVal(name, code), ifMatch: remote?.etag };
  api.refuseToken(call);
  if (options.dryRun) return { status: 'planned', name, ...versionBefore(remote) };
  await options.checkCode?.(path, code);
  options.beforeSending();
  const { status, body = null } = await api.send(call).catch((error) => {
    // The service may have stored the code although the request failed, so the record gets the hash of the code.
    if (record !== undefined) workspace.records.write({ ...record, file: val.file, sent: hashOf(code) });
    throw error;
  });
  const id = textAt(body, 'id') ?? val.id;
  const version = versionOf(body);
  const withMarkers = 'pushed with conflict markers in the code';
  const problem = { one: `was ${withMarkers}`, many: `were ${withMarkers}` };
  if (hasConflictMarkers(code)) options.remark({ subject: path, problem });
  if (val.id !== undefined && id !== val.id) options.remark(`${path} was stored under a new id: ${id}.`);
  // Somebody may have created the val after the list of vals was read.
  if (remote === undefined && status !== 201 && Number(version) > 1) {
    options.remark(
      `${path} replaced the code of the val "${name}", which the service already had. The older versions are kept.`,
    );
  }
  const privacy = isObject(body) ? fieldOf(body, 'privacy') : undefined;
  if (publicity(privacy, 0) > publicity(remote?.privacy, 2)) {
    const now = `${privacy} on the service now (before the push: ${remote?.privacy})`;
    options.remark({ subject: path, problem: { one: `is ${now}`, many: `are ${now}` } });
  }
  workspace.records.write({ file: val.file, id, name: val.name, code, ...versionAndTime(body) });
  remember(push, { ...val, id });
  const sent = status === 201 ? 'created' : 'pushed';
  return { status: sent, name, ...idAndVersion(id, version), ...versionBefore(remote) };
}

const remember = ({ workspace, val: before }: Push, { file, name, id }: WorkspaceVal): void =>
  workspace.remember({ file, name, id }, before.id);

const versionBefore = (remote: RemoteVal | undefined): JsonObject =>
  withoutUndefined({ versionBefore: remote?.version });

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
  const remote = await remotes.named(name).catch(unknownIfRefused);
  if (sent === undefined || remote === undefined || remote === 'unknown') return {};
  if (remote.id === undefined) return {};
  const { id } = remote;
  const { version, changedAt } = remote.code === sent.code ? remote : sent;
  workspace.records.write({ ...sent, file, id, version, changedAt });
  workspace.remember({ file, name, id });
  return idAndVersion(id, version);
}

function unknownIfRefused(error: unknown): 'unknown' {
  if (error instanceof ValsError) return 'unknown';
  throw error;
}
