import type { Api } from '../../api/api.ts';
import type { Context } from '../../cli/context.ts';
import {
  AuthError,
  describeError,
  InterruptedError,
  LocalError,
  NoSpaceError,
  UnavailableError,
  UnknownOutcomeError,
  UsageError,
  ValsError,
} from '../../errors.ts';
import type { Outcome } from '../../lib/outcome.ts';
import { type Column, column } from '../../terminal/column.ts';
import { readBelow } from '../../workspace/disk/files.ts';
import { followMoves } from '../../workspace/moved.ts';
import { pushVal } from '../../workspace/push-val.ts';
import { createRemoteVals, type RemoteVals } from '../../workspace/remote-vals.ts';
import type { IgnoreFiles } from '../../workspace/sources/ignoring.ts';
import { checkNotEmpty } from '../../workspace/sources/read-text.ts';
import { createIgnoreCheck } from '../../workspace/sources/walk.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import type { Outage } from '../../workspace/watch/outage.ts';
import { valOfFile, type Workspace } from '../../workspace/workspace.ts';
import { outcomeColumn, versionColumn } from '../shared/columns.ts';
import { messageWithHint } from '../shared/messages.ts';
import { trackedOrNewVal } from './plan-workspace.ts';

export interface PusherOptions {
  workspace: Workspace;
  api: Api;
  force: boolean;
  outage: Outage;
  /** The files to push at the start, even if an ignore file lists them. */
  firstFiles: Set<string>;
  ignoreFiles: IgnoreFiles;
}

interface SavedFile {
  workspace: Workspace;
  val: WorkspaceVal;
  code: string | undefined;
}

/** The returned function throws only errors that end the watch. */
export function createFilePusher(
  context: Context,
  { workspace, api, force, outage, firstFiles, ignoreFiles }: PusherOptions,
): (file: string) => Promise<void> {
  const { flags, signal, say } = context;
  const columns = eventColumns(context);
  const followMovesInTurn = createMoveFollower(context, workspace);
  const createRemotes = () => createRemoteVals({ ...context, api }, 1);
  // The first pushes share one copy of the service's list. When a file is saved later, that copy is outdated.
  const firstRemotes = createRemotes();
  const pushOptions = {
    force,
    fork: false,
    dryRun: false,
    onPossibleTakeover() {},
    beforeRenaming() {},
    remark: say.warn,
    beforeSending: () => signal.throwIfAborted(),
  };

  return async (file) => {
    if (signal.aborted) return;
    const wasUnreachable = outage.isUnderWay();
    const isFirst = firstFiles.delete(file);
    let name: string | undefined;
    try {
      // The user may have changed .valsignore since this file was saved.
      if (!isFirst && createIgnoreCheck(workspace.root, ignoreFiles)(file)) return;
      const saved = await readSaved(file);
      if (saved === undefined) return;
      name = saved.val.name;
      const outcome = await push(saved, file, isFirst ? firstRemotes : createRemotes());
      // If the file does not exist, nothing was sent, and the service may still be out of reach.
      if (saved.code !== undefined) outage.serviceAnswered();
      await reportOutcome({ file, name, ...outcome }, wasUnreachable);
    } catch (error) {
      await reportFailure(file, name, error);
    } finally {
      // If an outage is under way, a retry must follow, even if this push sent nothing.
      outage.planRetry();
    }
  };

  async function readSaved(file: string): Promise<SavedFile | undefined> {
    const refreshed = workspace.refreshed();
    const isTracked = valOfFile(refreshed, file) !== undefined;
    const code = readBelow(workspace.root, file);
    if (!isTracked && code === undefined) return undefined;
    const current = isTracked ? refreshed : await followMovesInTurn(file);
    return { workspace: current, val: trackedOrNewVal(current, file), code };
  }

  function push({ workspace: current, val, code }: SavedFile, file: string, remotes: RemoteVals) {
    if (code !== undefined) checkNotEmpty(file, code);
    return pushVal(current, api, val, code, { ...pushOptions, remotes });
  }

  async function reportOutcome(outcome: Outcome, wasUnreachable: boolean): Promise<void> {
    const isNews = !['unchanged', 'behind', 'skipped'].includes(outcome.status);
    // After an outage, each file that was saved during the outage gets a line, even if its val is unchanged.
    if (isNews || (wasUnreachable && outcome.status === 'unchanged')) await context.event(outcome, columns);
  }

  async function reportFailure(file: string, name: string | undefined, error: unknown): Promise<void> {
    if (!(error instanceof ValsError)) throw error;
    if (error instanceof InterruptedError) return;
    if (error instanceof UnavailableError || error instanceof UnknownOutcomeError) {
      return outage.serviceFailed(file);
    }
    if (error instanceof AuthError || error instanceof NoSpaceError) throw error;
    // A LocalError or a UsageError does not come from the service.
    if (!(error instanceof LocalError) && !(error instanceof UsageError)) outage.serviceAnswered();
    if (!flags.ndjson) say.warn(messageWithHint(error));
    const facts = { file, ...(name !== undefined && { name }) };
    await context.event({ ...facts, status: 'failed', error: describeError(error) }, columns);
  }
}

/** Concurrent calls wait for each other. The first call finds all files that were moved together. */
function createMoveFollower(context: Context, workspace: Workspace): (file: string) => Promise<Workspace> {
  let last: Promise<unknown> = Promise.resolve();
  return (file) => {
    const moved = last.then(() => {
      const refreshed = workspace.refreshed();
      return valOfFile(refreshed, file) === undefined ? followMoves(refreshed, context) : refreshed;
    });
    last = moved.catch(() => {});
    return moved;
  };
}

function eventColumns({ clock, forPerson }: Context): Column[] {
  const time: Column = {
    ...column('time'),
    compute() {
      const now = new Date(clock.now());
      return forPerson ? now.toTimeString().slice(0, 8) : now.toISOString();
    },
  };
  return [time, outcomeColumn, column('name'), versionColumn];
}
