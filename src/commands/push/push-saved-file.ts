import type { Api } from '../../api/api.ts';
import type { Context } from '../../cli/context.ts';
import { type Remark, summarizeRemarks } from '../../cli/failures.ts';
import {
  AuthError,
  describeError,
  InterruptedError,
  LocalError,
  messageWithHint,
  NoSpaceError,
  PartialError,
  UnavailableError,
  UnknownOutcomeError,
  UsageError,
  ValsError,
} from '../../errors.ts';
import { type Hints, hintList } from '../../lib/hint.ts';
import type { Outcome } from '../../lib/outcome.ts';
import { createSlots } from '../../lib/slots.ts';
import { existsBelow } from '../../workspace/disk/files.ts';
import { type LocalSide, readLocalSide } from '../../workspace/examine.ts';
import { followMoves } from '../../workspace/moved.ts';
import { type PushOptions, pushVal } from '../../workspace/push-val.ts';
import { createRemoteVals } from '../../workspace/remote-vals.ts';
import { createIgnoreCheck, type IgnoreFiles } from '../../workspace/sources/ignoring.ts';
import { createNestedProjectCheck } from '../../workspace/sources/nested-project.ts';
import { checkNotEmpty } from '../../workspace/sources/read-text.ts';
import { isTakenFromFolder } from '../../workspace/sources/walk.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { pathTo, valOfFile, type Workspace } from '../../workspace/workspace.ts';
import { refuseBrokenCode } from '../shared/syntax.ts';
import { noteLikelyRenames } from './likely-renames.ts';
import { valOf } from './select-files.ts';

export interface PusherOptions {
  workspace: Workspace;
  api: Api;
  force: boolean;
  isNamed: boolean;
  check: boolean | undefined;
  mayOverwriteFile(isInitial: boolean): PushOptions['mayOverwrite'];
  ignoreFiles: IgnoreFiles;
}

export interface PushResult {
  service: 'answered' | 'unreachable' | 'not asked';
  outcome?: Outcome;
  warning?: Hints;
}

interface SavedFile extends LocalSide {
  workspace: Workspace;
  val: WorkspaceVal;
}

/** The returned function throws only errors that end the watch. */
export function createFilePusher(
  context: Context,
  { workspace, api, force, isNamed, check, mayOverwriteFile, ignoreFiles }: PusherOptions,
): (file: string, isInitial: boolean) => Promise<PushResult> {
  const { signal, say } = context;
  const followMovesInTurn = createMoveFollower(context, workspace);
  const createRemotes = () => createRemoteVals({ ...context, api }, 1);
  /** The files that existed before the watch began share one list of vals. */
  let initialRemotes = createRemotes();
  const pushOptions = {
    force,
    isNamed,
    fork: false,
    dryRun: false,
    onPossibleTakeover() {},
    beforeRenaming() {},
    remark(remark: Remark, hints?: Hints) {
      for (const warning of summarizeRemarks([{ remark, hints: hintList(hints) }]))
        say({ kind: 'warning', text: warning });
    },
    checkCode: (path: string, code: string) => refuseBrokenCode(path, code, check),
    beforeSending: () => signal.throwIfAborted(),
  };

  return pushFile;

  async function pushFile(file: string, isInitial: boolean): Promise<PushResult> {
    const path = pathTo(workspace, file);
    const row: { file: string; name?: string } = { file: path };
    try {
      if (signal.aborted || isLeftOut(file)) return { service: 'not asked' };
      const saved = await readSaved(file);
      if (saved === undefined) return { service: 'not asked' };
      const { val, code } = saved;
      row.name = val.name;
      if (code !== undefined) checkNotEmpty(path, code);
      const remotes = isInitial ? initialRemotes : createRemotes();
      const isNew = saved.workspace.vals.ofFile(val.file) === undefined;
      // For the initial files, this was done before the watch began.
      if (isNew && !isInitial)
        await noteLikelyRenames(context, saved.workspace, [{ file: path, val }], remotes);
      const given = { remotes, mayOverwrite: mayOverwriteFile(isInitial) };
      const outcome = await pushVal(saved.workspace, api, val, saved, { ...pushOptions, ...given });
      // If the file does not exist, pushVal sends no request.
      const service = code === undefined ? 'not asked' : 'answered';
      return { service, outcome: { ...row, ...outcome } };
    } catch (error) {
      const result = resultOfError(error, row);
      // The next attempt must read the list of vals again, because `initialRemotes` keeps the failed or outdated list.
      if (result.service === 'unreachable') initialRemotes = createRemotes();
      return result;
    }
  }

  /** Runs before each push, because the user may have edited .valsignore, or cloned a repository into the folder. */
  function isLeftOut(file: string): boolean {
    const { root } = workspace;
    if (!isTakenFromFolder(file) && valOfFile(workspace, file) === undefined) return true;
    return createNestedProjectCheck(root)(file) || createIgnoreCheck(root, ignoreFiles)(file);
  }

  async function readSaved(file: string): Promise<SavedFile | undefined> {
    const isTracked = valOfFile(workspace, file) !== undefined;
    if (!isTracked && !existsBelow(workspace.root, file)) return undefined;
    if (!isTracked) await followMovesInTurn(file);
    const val = valOf({ workspace, file });
    return { workspace, val, ...readLocalSide(workspace, val) };
  }
}

/** Each call checks again whether the file is tracked, because an earlier call may have followed its move. */
function createMoveFollower(context: Context, workspace: Workspace): (file: string) => Promise<void> {
  const oneAtATime = createSlots(1);
  return (file) =>
    oneAtATime.run(async () => {
      if (valOfFile(workspace, file) === undefined) await followMoves(workspace, context);
    });
}

function resultOfError(error: unknown, row: { file: string; name?: string }): PushResult {
  const endsWatch =
    !(error instanceof ValsError) || error instanceof AuthError || error instanceof NoSpaceError;
  if (endsWatch) throw error;
  if (error instanceof InterruptedError) return { service: 'not asked' };
  if ([UnavailableError, UnknownOutcomeError, PartialError].some((kind) => error instanceof kind)) {
    return { service: 'unreachable' };
  }
  const isFromService = !(error instanceof LocalError) && !(error instanceof UsageError);
  return {
    service: isFromService ? 'answered' : 'not asked',
    outcome: { ...row, status: 'failed', error: describeError(error) },
    warning: messageWithHint(error),
  };
}
