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
import { type Column, column } from '../../terminal/column.ts';
import { readBelow } from '../../workspace/disk/files.ts';
import { followMoves } from '../../workspace/moved.ts';
import { pushVal } from '../../workspace/push-val.ts';
import { createRemoteVals } from '../../workspace/remote-vals.ts';
import type { IgnoreFiles } from '../../workspace/sources/ignoring.ts';
import { checkNotEmpty } from '../../workspace/sources/read-text.ts';
import { createIgnoreCheck } from '../../workspace/sources/walk.ts';
import type { Outage } from '../../workspace/watch/outage.ts';
import { valOfFile, type Workspace } from '../../workspace/workspace.ts';
import { outcomeColumn, versionColumn } from '../shared/columns.ts';
import { messageWithHint } from '../shared/messages.ts';
import { knownOrNewVal } from './plan-workspace.ts';

interface PusherOptions {
  workspace: Workspace;
  api: Api;
  force: boolean;
  isTyped(file: string): boolean;
  outage: Outage;
  /** The files to push at the start, even if an ignore file lists them. */
  firstFiles: Set<string>;
  ignoreFiles: IgnoreFiles;
}

/** The returned function throws only errors that end the watch. */
export function createFilePusher(
  context: Context,
  { workspace, api, force, isTyped, outage, firstFiles, ignoreFiles }: PusherOptions,
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
      const refreshed = workspace.refreshed();
      const isNew = valOfFile(refreshed, file) === undefined;
      const code = readBelow(workspace.root, file);
      // The file was moved, and vals.json already has the new path.
      if (isNew && code === undefined) return;
      const current = isNew ? await followMovesInTurn(file) : refreshed;
      const val = knownOrNewVal(current, file);
      name = val.name;
      if (code !== undefined) checkNotEmpty(file, code);
      const remotes = isFirst ? firstRemotes : createRemotes();
      const outcome = await pushVal(current, api, val, code, {
        ...pushOptions,
        isTyped: isTyped(file),
        remotes,
      });
      // If the file does not exist, nothing was sent, and the service may still be out of reach.
      if (code !== undefined) outage.serviceAnswered();
      const isNews = !['unchanged', 'behind', 'skipped'].includes(outcome.status);
      // After an outage, each file that was saved during the outage gets a line, even if its val is unchanged.
      if (isNews || (wasUnreachable && outcome.status === 'unchanged')) {
        await context.event({ file, name, ...outcome }, columns);
      }
    } catch (error) {
      await reportFailure(file, name, error);
    } finally {
      // If this push sent nothing, a retry must find out whether the service is back.
      outage.planRetry();
    }
  };

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
