// `vals push --watch`: a push of the saved files at every save, by the same rules.
import type { Context } from '../../cli/context.ts';
import {
  exitQuietly,
  LocalError,
  messageWithHint,
  PartialError,
  UnavailableError,
  UnknownOutcomeError,
  UsageError,
  ValsError,
} from '../../errors.ts';
import type { OutcomeRow } from '../../lib/outcome.ts';
import { warnWith } from '../../lib/say.ts';
import { aborted, beyondGracePeriod } from '../../lib/signals.ts';
import { isBelow, workspaceOfWords } from '../../workspace/select.ts';
import { createIgnoreFiles } from '../../workspace/sources/ignoring.ts';
import { walkFolder } from '../../workspace/sources/walk.ts';
import {
  createSaveQueue,
  type PushedSaves,
  type SavedFiles,
  type SaveQueue,
} from '../../workspace/watch/save-queue.ts';
import { type Saves, watchSaves } from '../../workspace/watch/saves.ts';
import { relativeTo, type Workspace } from '../../workspace/workspace.ts';
import { createWorkspaces } from '../../workspace/workspaces.ts';
import { confirmService, pushing } from '../shared/belonging.ts';
import { type PushOptions, pushLook } from './push-workspace.ts';
import { pullWhileWatching, savedColumns } from './watch-service.ts';

export interface WatchOptions extends Pick<PushOptions, 'force' | 'yes' | 'noCheck' | 'concurrency'> {
  paths: readonly string[];
  /** Also writes what changes on the service into the files. */
  pull: boolean;
}

export async function watchWorkspace(context: Context, options: WatchOptions): Promise<never> {
  const { flags, signal, clock, say } = context;
  if (flags.json) {
    throw new UsageError('--watch never ends, so it cannot print one JSON document.', {
      hint: 'To print one record per line, use --ndjson instead of --json.',
    });
  }
  const workspace = await watchedWorkspace(context, options.paths);
  const { root } = workspace;
  await confirmService(context, workspace, pushing, { dryRun: false });
  // This signal never aborts, so that Ctrl-C does not cut off a running push.
  const api = await context.connect({
    concurrency: options.concurrency,
    signal: new AbortController().signal,
  });
  say({ kind: 'progress' });

  const failure = new AbortController();
  const endWatch = (error: unknown) => failure.abort(error);
  const ending = AbortSignal.any([signal, failure.signal]);

  const isChosen = (file: string) => isBelow(workspace, options.paths, file);
  const push = async (files: SavedFiles, isRetry: boolean): Promise<PushedSaves> => {
    const pushed = {
      ...options,
      prune: false,
      ifVersion: undefined,
      dryRun: false,
      asks: files === 'all' && !isRetry,
    };
    const chosen = files === 'all' ? isChosen : (file: string) => files.includes(file);
    const { rows } = await pushLook(context, api, workspace, { ...pushed, isChosen: chosen });
    return reportRows(context, workspace, rows, { isRetry });
  };
  const queue = createSaveQueue({
    clock,
    push: (files, { isRetry }) => push(files, isRetry).catch((error) => failedPush(context, error, files)),
    onOutage: (change, reason) => noteOutage(context, change, reason),
    endWatch,
  });
  // The watch begins before the question and the first push, so that no save is missed meanwhile.
  const ignoreFiles = createIgnoreFiles(warnWith(say), context.env);
  const onSave = (file: string) => {
    if (isChosen(file)) queue.add(file);
  };
  const saves = await watchSaves(root, clock, ignoreFiles, onSave, (error) =>
    endWatch(cannotWatch(root, error)),
  );
  let stopPulling: (() => Promise<void>) | undefined;
  try {
    // A push that is under way at Ctrl-C is finished below.
    await Promise.race([queue.start(), aborted(ending)]);
    if (ending.aborted) throw exitQuietly(ending.reason);
    const watched = { workspace, api, isChosen, isBusy: queue.isBusy, endWatch };
    if (options.pull) stopPulling = pullWhileWatching(context, watched);
    say({ kind: 'lines', text: `Watching ${root}. Press Ctrl-C to stop.\n` });
    await aborted(ending);
    throw exitQuietly(ending.reason);
  } finally {
    await finishPushes(context, saves, queue, stopPulling);
  }
}

async function reportRows(
  context: Context,
  workspace: Workspace,
  rows: readonly OutcomeRow[],
  { isRetry }: { isRetry: boolean },
): Promise<PushedSaves> {
  const unreachable: string[] = [];
  const columns = savedColumns(context);
  const outages = rows.flatMap(({ error }) => (error instanceof ValsError && isOutage(error) ? [error] : []));
  const isUnreachable = ({ error }: OutcomeRow) => outages.some((each) => each === error);
  // After the first such failure, the others are not tried.
  const isStopped = outages.length > 0;
  for (const row of rows) {
    const { error, status } = row;
    if (isUnreachable(row) || (isStopped && status === 'skipped')) {
      unreachable.push(relativeTo(workspace, `${row.file}`));
      continue;
    }
    if (error instanceof ValsError && error.scope === 'all') throw error;
    if (error instanceof ValsError && !context.flags.ndjson)
      context.say({ kind: 'warning', text: messageWithHint(error) });
    if (isNews(row, { isRetry })) await context.event(row, columns);
  }
  return { unreachable, isAnswered: rows.length > unreachable.length, reason: outages[0]?.message };
}

/** The service could not be reached, or its answer was lost. Then the file is pushed again. */
const isOutage = (error: ValsError): boolean =>
  [UnavailableError, UnknownOutcomeError, PartialError].some((kind) => error instanceof kind);

function isNews({ status }: OutcomeRow, { isRetry }: { isRetry: boolean }): boolean {
  // An attempt before the retry may have sent the code. Then `unchanged` tells the user that the code has arrived.
  if (status === 'unchanged') return isRetry;
  return status !== 'behind' && status !== 'skipped';
}

/** Some errors concern the whole push, such as two files of one name. The next save tries again. */
function failedPush({ say, signal }: Context, error: unknown, files: SavedFiles): PushedSaves {
  if (signal.aborted) return { unreachable: [], isAnswered: false };
  if (!(error instanceof ValsError)) throw error;
  if (isOutage(error)) return { unreachable: files, isAnswered: false, reason: error.message };
  if (error.scope === 'all') throw error;
  say({ kind: 'warning', text: messageWithHint(error) });
  return { unreachable: [], isAnswered: false };
}

function noteOutage({ say }: Context, change: 'began' | 'over', reason: string | undefined): void {
  if (change === 'over') say({ kind: 'note', text: 'The service can be reached again.' });
  else
    say({
      kind: 'warning',
      text: [
        'The service cannot be reached. The command keeps trying, and sends the saved files as soon as the service answers.',
        ...(reason === undefined ? [] : [`The reason: ${reason}`]),
      ],
    });
}

/** With a path that has no file of the workspace, the command would wait forever. */
async function watchedWorkspace(context: Context, paths: readonly string[]): Promise<Workspace> {
  const workspace = workspaceOfWords(createWorkspaces(context), paths);
  const files = await walkFolder(workspace.root, { env: workspace.env, pathOf: (below) => below });
  const empty = paths.find((path) => !files.some((file) => isBelow(workspace, [path], file)));
  if (empty === undefined) return workspace;
  throw new LocalError(`${empty} cannot be watched, because no val of the workspace is there.`, {
    hint: { text: 'To push it once', command: 'push', input: { paths: [empty] } },
  });
}

async function finishPushes(
  { clock, say }: Context,
  saves: Saves,
  queue: SaveQueue,
  stopPulling: (() => Promise<void>) | undefined,
): Promise<void> {
  const cancelNote = clock.after(1_000, () =>
    say({ kind: 'note', text: 'Waiting for the running pushes. Press Ctrl-C again to stop immediately.' }),
  );
  await beyondGracePeriod(async () => {
    await saves.close();
    await stopPulling?.();
    await queue.close();
  });
  cancelNote();
}

const cannotWatch = (root: string, error: unknown): LocalError =>
  new LocalError(`Cannot watch ${root} any longer: ${(error as Error).message}`, {
    hint: 'The system may limit the number of watched folders. In .valsignore, list the folders that contain no vals.',
    cause: error,
  });
