// Pushes files on save until interrupted, one line per push. No save is lost while the service is away.

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
import { beyondGracePeriod } from '../../lib/signals.ts';
import { type Column, column } from '../../terminal/column.ts';
import { readBelow } from '../../workspace/disk/files.ts';
import { followMoves } from '../../workspace/moved.ts';
import { pushVal } from '../../workspace/push-val.ts';
import { createRemoteVals } from '../../workspace/remote-vals.ts';
import { isBelow, selectForPush } from '../../workspace/select.ts';
import { createIgnoreFiles } from '../../workspace/sources/ignoring.ts';
import { notEmpty } from '../../workspace/sources/read-text.ts';
import { createIgnoreCheck } from '../../workspace/sources/walk.ts';
import { createOutage } from '../../workspace/watch/outage.ts';
import { createQueue } from '../../workspace/watch/queue.ts';
import { watchSaves } from '../../workspace/watch/saves.ts';
import { openWorkspace, valOfFile, type Workspace } from '../../workspace/workspace.ts';
import { outcomeColumn, versionColumn } from '../shared/columns.ts';
import { exitQuietly } from '../shared/done.ts';
import { valFor } from './plan.ts';

export interface WatchOptions {
  /** Empty: the whole workspace. */
  paths: readonly string[];
  concurrency: number | 'auto';
  force: boolean;
}

/** How many files are pushed at a time. The API client limits the number of requests. */
const mostSaves = 32;

export async function watchWorkspace(
  context: Context,
  { paths, concurrency, force }: WatchOptions,
): Promise<undefined> {
  const { flags, signal, clock, progress, say } = context;
  if (flags.json) {
    throw new UsageError('--watch never ends, so it cannot print one JSON document.', {
      hint: '--ndjson prints a record for each push.',
    });
  }
  const opened = await followMoves(openWorkspace(context), context);
  const { root } = opened;
  // This signal never aborts, so that Ctrl-C does not cut off a running push.
  const api = await context.connect({ concurrency, signal: new AbortController().signal });
  progress.stop();
  const sending = {
    force,
    fork: false,
    dryRun: false,
    onUnknownName() {},
    onRenaming() {},
    remark: say.warn,
    beforeSending: () => signal.throwIfAborted(),
  };
  // The first pushes share one copy of the service's list. For later saves that copy would be outdated.
  const newRemotes = () => createRemoteVals({ ...context, api }, 1);
  const remotesAtFirst = newRemotes();

  let end: (reason: unknown) => void = () => {};
  const ended = new Promise<unknown>((resolve) => {
    end = resolve;
  });
  const columns = eventColumns(context);
  const ignoreFiles = createIgnoreFiles(say.warn);
  /** The files that a push without --watch would send. */
  const first = new Set<string>();
  const queue = createQueue(
    concurrency === 'auto' ? mostSaves : concurrency,
    (file) => push(file).catch(end),
    () => saveManifest().catch(end),
  );
  const outage = createOutage({
    clock,
    send: (file) => queue.add(file),
    onBegan: () => say.warn('The service cannot be reached. vals keeps trying, and no save is lost.'),
    onEnded: () => context.say.annotate('The service can be reached again.'),
  });

  async function saveManifest(): Promise<void> {
    const error = await opened.saveManifest();
    if (error !== undefined) say.warn([error.message, error.facts.hint].join(' '));
  }

  let moves: Promise<unknown> = Promise.resolve();
  /** One at a time, so that files that were moved together are reported in one message. */
  function afterMoves(file: string): Promise<Workspace> {
    const moved = moves.then(() => {
      const now = opened.now();
      return valOfFile(now, file) === undefined ? followMoves(now, context) : now;
    });
    moves = moved.catch(() => {});
    return moved;
  }

  async function push(file: string): Promise<void> {
    if (signal.aborted) return;
    const wasAway = outage.isUnderWay();
    const isFirst = first.delete(file);
    let name: string | undefined;
    try {
      // The ignore files may have changed since the file was saved.
      if (!isFirst && createIgnoreCheck(root, ignoreFiles)(file)) return;
      const now = opened.now();
      const isNew = valOfFile(now, file) === undefined;
      const code = readBelow(root, file);
      // The file was moved, and vals.json already has its new path.
      if (isNew && code === undefined) return;
      const workspace = isNew ? await afterMoves(file) : now;
      const val = valFor(file, workspace);
      name = val.name;
      const checked = code === undefined ? undefined : notEmpty(file, code);
      const outcome = await pushVal(workspace, api, val, checked, {
        ...sending,
        remotes: isFirst ? remotesAtFirst : newRemotes(),
      });
      if (code !== undefined) outage.ended();
      const isNews = !['unchanged', 'behind', 'skipped'].includes(outcome.status);
      if (isNews || (wasAway && outcome.status === 'unchanged')) {
        await context.event({ file, name, ...outcome }, columns);
      }
    } catch (error) {
      await fail(file, name, error);
    } finally {
      outage.retry();
    }
  }

  async function fail(file: string, name: string | undefined, error: unknown): Promise<void> {
    if (!(error instanceof ValsError)) throw error;
    if (error instanceof InterruptedError) return;
    if (error instanceof UnavailableError || error instanceof UnknownOutcomeError) return outage.began(file);
    if (error instanceof AuthError || error instanceof NoSpaceError) throw error;
    if (!(error instanceof LocalError) && !(error instanceof UsageError)) outage.ended();
    if (!flags.ndjson) say.warn([error.message, error.facts.hint].join(' '));
    const facts = { file, ...(name !== undefined && { name }) };
    await context.event({ ...facts, status: 'failed', error: describeError(error) }, columns);
  }

  const onSave = (file: string) => {
    if (!isBelow(opened, paths, file)) return;
    if (outage.isUnderWay()) outage.await(file);
    else queue.add(file);
  };
  // Watch before the first push, so that no save in between is missed.
  const saves = await watchSaves(root, clock, ignoreFiles, onSave, (error) =>
    end(
      new LocalError(`vals can no longer watch ${root}: ${(error as Error).message}`, {
        hint: 'The system may limit the number of watched folders. List the folders that have no vals in .valsignore.',
        cause: error,
      }),
    ),
  );
  const interrupted = () => end(signal.reason);
  signal.addEventListener('abort', interrupted);
  if (signal.aborted) interrupted();
  try {
    say.banner(`Watching ${root}. Press Ctrl-C to stop.\n`);
    for (const { file } of await selectForPush(opened, say)) {
      first.add(file);
      onSave(file);
    }
    throw exitQuietly(await ended);
  } finally {
    signal.removeEventListener('abort', interrupted);
    const sayWhy = clock.after(1_000, () =>
      context.say.note('Waiting for the pushes under way. Press Ctrl-C again to stop at once.'),
    );
    await beyondGracePeriod(async () => {
      await saves.close();
      await queue.close();
      await saveManifest();
    });
    sayWhy();
    // After the queue: a push that was still running may have begun an outage.
    outage.close();
  }
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
