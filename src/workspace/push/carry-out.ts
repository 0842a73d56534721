// Carries out the steps of a push. Just before each write the val is read once more, and one that changed is a conflict.
// A lost answer is core's: `newVersion` in core/http/versions.ts says how the outcome of a write is found out.
import { ConflictError, hasStatus } from '../../core/errors.ts';
import { existsBelow } from '../../core/files/files.ts';
import type { Call } from '../../core/http/call.ts';
import { versionOf } from '../../core/http/record-fields.ts';
import { newVersion } from '../../core/http/versions.ts';
import { isObject, type JsonValue, textAt } from '../../core/lib/json.ts';
import * as routes from '../../core/routes.ts';
import { asCode, hasSameCode, withLineEnds } from '../code.ts';
import { conflictOf } from '../conflicts.ts';
import { type FileStatus, fileStatusOf } from '../file-status.ts';
import type { Local } from '../read/local.ts';
import { isSameState, type RemoteVal, type ValWithCode } from '../read/remote-val.ts';
import { readAgain, versionsSince, withCode } from '../read/remotes.ts';
import { noteSync, type Session } from '../session.ts';
import { pathTo } from '../workspace.ts';
import { type CreateStep, type Step, sendsCode } from './steps.ts';

/** What an answer showed. */
export interface PushResult {
  /** `sent`: accepted; whether the val was there, or had this code already, no answer showed. */
  status: 'created' | 'pushed' | 'sent' | 'deleted' | 'unchanged' | 'behind' | 'skipped' | 'planned';
  id: string | undefined;
  version: number | undefined;
  versionBefore: number | undefined;
  /** The code that was sent. */
  code: string | undefined;
  /** The new val's, if the service told it. */
  privacy: string | undefined;
  /** Somebody else made a version at the same time. */
  isRace: boolean;
}

export interface CarryOut {
  session: Session;
  /** What new vals are made with. Undefined leaves it to the service. */
  privacy: string | undefined;
  dryRun: boolean;
  /** --force */
  force: boolean;
  signal: AbortSignal;
}

const noResult = { versionBefore: undefined, code: undefined, privacy: undefined, isRace: false };

export async function carryOut(push: CarryOut, step: Step): Promise<PushResult> {
  if (push.dryRun && (sendsCode(step) || step.kind === 'delete')) return planned(push, step);
  switch (step.kind) {
    case 'refuse':
      throw step.error;
    case 'behind':
      return { ...noResult, status: 'behind', id: step.remote?.id, version: step.remote?.version };
    case 'leave':
      return { ...noResult, status: 'unchanged', id: step.remote?.id, version: step.remote?.version };
    case 'delete':
      return deleteVal(push, step);
    case 'create':
      return create(push, step);
    case 'send':
      return sendCode(push, step.local, step.remote);
  }
}

/** The service refuses a name that is taken, so nothing is replaced that nobody here knows, except with --force. */
async function create(push: CarryOut, { local, replaces, isOthers }: CreateStep): Promise<PushResult> {
  const { session, privacy } = push;
  const { name, code } = local;
  const fields = { name, code: code.text, ...(privacy !== undefined && { privacy }) };
  const call: Call = { ...routes.createVal(fields), mayRepeat: true };
  push.signal.throwIfAborted();
  const reply = await session.api.send(call).catch(async (error) => {
    if (!hasStatus(error, 409)) throw error;
    // PUT comes second: a val that it made would lack the privacy of new vals.
    if (replaces) return session.api.send(routes.putVal(name, code.text));
    const isKnown = isOthers || (await session.valList.canList());
    const remote = { kind: isKnown ? ('none' as const) : ('unknown' as const) };
    throw conflictOf(fileStatusOf('name taken', local, remote), session);
  });
  return sent(push, local, code.text, reply, undefined);
}

async function sendCode(push: CarryOut, local: Local, remote: RemoteVal): Promise<PushResult> {
  const { session } = push;
  const now = await lookAgain(push, remote);
  if (now === undefined || !isSameState(now, remote)) return alreadySent(push, local, remote, now);
  // A push sends the line ends that the service has.
  const code = withLineEnds(local.code.text, now.code.lineEnds);
  push.signal.throwIfAborted();
  const call = newVersion(session.api, remote.id, code, { before: remote.version, ifMatch: now.etag });
  const reply = await session.api.send(call).catch((error) => {
    if (hasStatus(error, 412)) return 'changed';
    if (isNotForCaller(error)) return 'not for the caller';
    throw error;
  });
  if (reply === 'changed') return alreadySent(push, local, remote, await readAgain(session, remote.id));
  if (reply !== 'not for the caller') return sent(push, local, code, reply, remote);
  const { file, name } = local;
  if (!push.force) throw await conflictAboutAbsent(push, { file, name, local, remote });
  const own = { kind: 'create', replaces: false, isOthers: true } as const;
  return create(push, { ...own, file, name, local, remote: undefined });
}

/** The val could be read just before. What refuses everything that the token does is no answer about this val. */
const isNotForCaller = (error: unknown): boolean =>
  hasStatus(error, 404, 410) || (hasStatus(error, 403) && error.scope === 'item');

/** Another push has sent the same code. Throws if the val has other code. */
async function alreadySent(
  push: CarryOut,
  { file, name, code }: Local,
  before: RemoteVal,
  now: RemoteVal | undefined,
): Promise<PushResult> {
  if (now === undefined || now.owner !== undefined || !hasSameCode(now.code, code))
    throw changedMeanwhile(push, file);
  const version = now.version ?? (await versionsSince(push.session, before)).at(-1);
  await noteSync(push.session, name, { ...now, version });
  return { ...noResult, status: 'unchanged', id: now.id, version };
}

/** The service has no such val for the caller. One that can be read is somebody else's. */
async function conflictAboutAbsent(
  { session }: CarryOut,
  about: Pick<FileStatus, 'file' | 'name' | 'local'> & { remote: RemoteVal },
): Promise<ConflictError> {
  const isThere = (await readAgain(session, about.remote.id)) !== undefined;
  return conflictOf(
    { ...about, state: isThere ? 'not yours' : 'deleted there', comparison: undefined },
    session,
  );
}

/** One that was read with an ETag need not be read again. */
const lookAgain = async ({ session }: CarryOut, remote: RemoteVal): Promise<ValWithCode | undefined> =>
  remote.etag === undefined ? readAgain(session, remote.id) : withCode(session, remote);

const changedMeanwhile = ({ session }: CarryOut, file: string): ConflictError =>
  new ConflictError(
    `${pathTo(session.workspace, file)} was not pushed: its val changed on the service meanwhile.`,
    {
      hint: 'Run the command again. It compares the val anew.',
    },
  );

function planned({ session }: CarryOut, step: Step): PushResult {
  const { name, remote } = step;
  // A push would not send it.
  if (sendsCode(step)) session.api.refuseToken(routes.putVal(name, step.local.code.text));
  return {
    ...noResult,
    status: 'planned',
    id: remote?.id,
    version: undefined,
    versionBefore: remote?.version,
  };
}

async function sent(
  { session }: CarryOut,
  local: Local,
  code: string,
  { status, body }: { status: number; body: JsonValue | undefined },
  before: RemoteVal | undefined,
): Promise<PushResult> {
  const id = before?.id ?? textAt(body, 'id');
  const told = versionOf(body);
  const made = told === undefined && before !== undefined ? await versionsSince(session, before) : [];
  // Of several versions, no list tells which one this push made.
  const isRace = made.length > 1;
  const version = told ?? (isRace ? undefined : made[0]);
  if (id === undefined) session.lastSyncs.remove(local.name);
  else await noteSync(session, local.name, { id, version, code: asCode(code) });
  return {
    status: statusOf(status, version, before),
    ...{ id, version, versionBefore: before?.version, code },
    privacy: before === undefined ? privacyOf(body) : undefined,
    isRace,
  };
}

/** 201 says that there is a new val, or a new version of one that was there. */
function statusOf(
  status: number,
  version: number | undefined,
  before: RemoteVal | undefined,
): 'created' | 'pushed' | 'unchanged' | 'sent' {
  if (status === 201) return before === undefined ? 'created' : 'pushed';
  if (version === undefined || before?.version === undefined || version < before.version) return 'sent';
  return version === before.version ? 'unchanged' : 'pushed';
}

function privacyOf(body: JsonValue | undefined): string | undefined {
  if (isObject(body) && body.public === true) return 'public';
  return textAt(body, 'privacy');
}

async function deleteVal(push: CarryOut, step: Extract<Step, { kind: 'delete' }>): Promise<PushResult> {
  const { session } = push;
  const { file, name, remote } = step;
  const done = { ...noResult, id: remote.id, version: remote.version };
  // While the command asked, the file may have come back.
  if (existsBelow(session.workspace.root, file)) return { ...done, status: 'skipped' };
  const now = await lookAgain(push, remote);
  if (now === undefined || !isSameState(now, remote)) throw changedMeanwhile(push, file);
  push.signal.throwIfAborted();
  const call = { ...routes.deleteVal(remote.id), ifMatch: now.etag };
  await session.api.send(call).catch(async (error) => {
    if (hasStatus(error, 412)) throw changedMeanwhile(push, file);
    const isOthers = isNotForCaller(error) && (await readAgain(session, remote.id)) !== undefined;
    throw isOthers
      ? conflictOf({ ...step, state: 'not yours', local: undefined, comparison: undefined }, session)
      : error;
  });
  session.lastSyncs.remove(name);
  return { ...done, status: 'deleted' };
}
