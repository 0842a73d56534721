// Pushes one file that was saved, and prints the outcome as one line.
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
import { notEmpty } from '../../workspace/sources/read-text.ts';
import { createIgnoreCheck } from '../../workspace/sources/walk.ts';
import type { Outage } from '../../workspace/watch/outage.ts';
import { valOfFile, type Workspace } from '../../workspace/workspace.ts';
import { outcomeColumn, versionColumn } from '../shared/columns.ts';
import { messageWithHint } from '../shared/messages.ts';
import { valFor } from './plan.ts';

interface PusherOptions {
  workspace: Workspace;
  api: Api;
  force: boolean;
  outage: Outage;
  /** Files that are pushed even if they are ignored by now. Each leaves the set when it is pushed. */
  firstFiles: Set<string>;
  ignoreFiles: IgnoreFiles;
}

/** The function that it returns throws only errors that end the watch. */
export function createFilePusher(
  context: Context,
  { workspace: opened, api, force, outage, firstFiles, ignoreFiles }: PusherOptions,
): (file: string) => Promise<void> {
  const { flags, signal, say } = context;
  const columns = eventColumns(context);
  const afterMoves = createMoveFollower(context, opened);
  // The first pushes share one copy of the service's list. For later saves that copy would be outdated.
  const newRemotes = () => createRemoteVals({ ...context, api }, 1);
  const firstRemotes = newRemotes();
  const sending = {
    force,
    fork: false,
    dryRun: false,
    onUnknownName() {},
    onRenaming() {},
    remark: say.warn,
    beforeSending: () => signal.throwIfAborted(),
  };

  return async (file) => {
    if (signal.aborted) return;
    const wasAway = outage.isUnderWay();
    const isFirst = firstFiles.delete(file);
    let name: string | undefined;
    try {
      // The ignore files may have changed since the file was saved.
      if (!isFirst && createIgnoreCheck(opened.root, ignoreFiles)(file)) return;
      const now = opened.now();
      const isNew = valOfFile(now, file) === undefined;
      const code = readBelow(opened.root, file);
      // The file was moved, and vals.json already has its new path.
      if (isNew && code === undefined) return;
      const workspace = isNew ? await afterMoves(file) : now;
      const val = valFor(file, workspace);
      name = val.name;
      const checked = code === undefined ? undefined : notEmpty(file, code);
      const remotes = isFirst ? firstRemotes : newRemotes();
      const outcome = await pushVal(workspace, api, val, checked, { ...sending, remotes });
      if (code !== undefined) outage.ended();
      const isNews = !['unchanged', 'behind', 'skipped'].includes(outcome.status);
      if (isNews || (wasAway && outcome.status === 'unchanged')) {
        await context.event({ file, name, ...outcome }, columns);
      }
    } catch (error) {
      await reportFailure(file, name, error);
    } finally {
      outage.retry();
    }
  };

  async function reportFailure(file: string, name: string | undefined, error: unknown): Promise<void> {
    if (!(error instanceof ValsError)) throw error;
    if (error instanceof InterruptedError) return;
    if (error instanceof UnavailableError || error instanceof UnknownOutcomeError) return outage.began(file);
    if (error instanceof AuthError || error instanceof NoSpaceError) throw error;
    // Any other answer shows that the service can be reached. A local error shows nothing.
    if (!(error instanceof LocalError) && !(error instanceof UsageError)) outage.ended();
    if (!flags.ndjson) say.warn(messageWithHint(error));
    const facts = { file, ...(name !== undefined && { name }) };
    await context.event({ ...facts, status: 'failed', error: describeError(error) }, columns);
  }
}

/** Finds moved files one call at a time, so that files that were moved together are reported in one message. */
function createMoveFollower(context: Context, opened: Workspace): (file: string) => Promise<Workspace> {
  let last: Promise<unknown> = Promise.resolve();
  return (file) => {
    const moved = last.then(() => {
      const now = opened.now();
      return valOfFile(now, file) === undefined ? followMoves(now, context) : now;
    });
    last = moved.catch(() => {});
    return moved;
  };
}

function eventColumns({ clock, forPerson }: Context): Column[] {
  const time: Column = {
    ...column('time'),
    make() {
      const now = new Date(clock.now());
      return forPerson ? now.toTimeString().slice(0, 8) : now.toISOString();
    },
  };
  return [time, outcomeColumn, column('name'), versionColumn];
}
