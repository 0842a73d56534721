// `vals push --watch`: a push of the saved files at every save, by the same rules.

import type { Run } from '../../core/command-line/command.ts';
import {
  exitQuietly,
  LocalError,
  messageWithHint,
  PartialError,
  UnavailableError,
  UnknownOutcomeError,
  UsageError,
  ValsError,
} from '../../core/errors.ts';
import { walkFolder } from '../../core/files/walk.ts';
import { createDirectory } from '../../core/find-val/directory.ts';
import type { Api } from '../../core/http/api.ts';
import type { OutcomeRow } from '../../core/lib/outcome.ts';
import { aborted, beyondGracePeriod } from '../../core/lib/signals.ts';
import { refuseOtherService } from '../belonging.ts';
import { isBelow, workspaceOfWords } from '../select.ts';
import { type Saves, watchSaves } from '../watch/saves.ts';
import { createWatchLoop, type PushedSaves } from '../watch/watch-loop.ts';
import { relativeTo, type Workspace } from '../workspace.ts';
import { createWorkspaces } from '../workspaces.ts';
import { type PushOptions, pushLook } from './push-workspace.ts';
import { pullChanges, savedColumns } from './watch-service.ts';

export interface WatchOptions extends Pick<PushOptions, 'force' | 'yes' | 'noCheck' | 'concurrency'> {
  paths: readonly string[];
  /** Also writes what changes on the service into the files. */
  pull: boolean;
}

export async function watchWorkspace(run: Run, options: WatchOptions): Promise<never> {
  const {
    flags,
    host: { signal, clock },
    out: { say },
  } = run;
  if (flags.json) {
    throw new UsageError('--watch never ends, so it cannot print one JSON document.', {
      hint: 'To print one record per line, use --ndjson instead of --json.',
    });
  }
  const workspace = workspaceOfWords(createWorkspaces(run), options.paths);
  await refuseEmpty(workspace, options.paths);
  const { root } = workspace;
  refuseOtherService(workspace);
  // This signal never aborts, so that Ctrl-C does not cut off a running push.
  const api = await run.api({
    concurrency: options.concurrency,
    signal: new AbortController().signal,
  });
  say({ kind: 'progress' });

  /** Each push and pull asks anew what the service has. */
  const now = (): Run => ({
    ...run,
    vals: { ...run.vals, directory: createDirectory(async () => api, run.vals.seen) },
  });
  const failure = new AbortController();
  const endWatch = (error: unknown) => failure.abort(error);
  const ending = AbortSignal.any([signal, failure.signal]);
  const isChosen = (file: string) => isBelow(workspace, options.paths, file);
  const loop = createWatchLoop({
    clock,
    ending,
    push: (files, how) =>
      pushSaved(now(), api, workspace, files, { ...options, ...how }).catch((error) =>
        failedPush(run, error, files),
      ),
    onOutage: (change, reason) => noteOutage(run, change, reason),
    pull: options.pull
      ? () => pullChanges(now(), { workspace, api, ending, isChosen, isSaved: loop.isWaiting })
      : undefined,
  });
  const onSave = (file: string) => {
    if (isChosen(file)) loop.add(file);
  };
  // The watch begins before the question and the first push, so that no save is missed meanwhile.
  const saves = await watchSaves(workspace, clock, onSave, (error) => endWatch(cannotWatch(root, error)));
  for (const file of await filesOf(workspace)) onSave(file);
  const work = async () => {
    await loop.pushWaiting({ asks: true });
    if (!ending.aborted) say({ kind: 'lines', text: `Watching ${root}. Press Ctrl-C to stop.\n` });
    await loop.run();
  };
  const worked = work().catch(endWatch);
  await aborted(ending);
  await finishPushes(run, saves, worked);
  throw exitQuietly(ending.reason);
}

interface SavedOptions extends WatchOptions {
  asks: boolean;
  isRetry: boolean;
}

async function pushSaved(
  run: Run,
  api: Api,
  workspace: Workspace,
  files: readonly string[],
  options: SavedOptions,
): Promise<PushedSaves> {
  const pushed = { ...options, prune: false, ifVersion: undefined, dryRun: false, files: new Set(files) };
  const { rows } = await pushLook(run, api, workspace, pushed);
  return reportRows(run, workspace, rows, options);
}

async function reportRows(
  run: Run,
  workspace: Workspace,
  rows: readonly OutcomeRow[],
  { isRetry }: { isRetry: boolean },
): Promise<PushedSaves> {
  const unreachable: string[] = [];
  const columns = savedColumns(run);
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
    if (error instanceof ValsError && !run.flags.ndjson)
      run.out.say({ kind: 'warning', text: messageWithHint(error) });
    if (isNews(row, { isRetry })) await run.out.row(row, columns);
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
function failedPush(
  { out: { say }, host: { signal } }: Run,
  error: unknown,
  files: readonly string[],
): PushedSaves {
  if (signal.aborted) return { unreachable: [], isAnswered: false };
  if (!(error instanceof ValsError)) throw error;
  if (isOutage(error)) return { unreachable: files, isAnswered: false, reason: error.message };
  if (error.scope === 'all') throw error;
  say({ kind: 'warning', text: messageWithHint(error) });
  return { unreachable: [], isAnswered: false };
}

function noteOutage({ out: { say } }: Run, change: 'began' | 'over', reason: string | undefined): void {
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

const filesOf = ({ root }: Workspace): Promise<string[]> => walkFolder(root, { pathOf: (below) => below });

/** With a path that has no file of the workspace, the command would wait forever. */
async function refuseEmpty(workspace: Workspace, paths: readonly string[]): Promise<void> {
  const files = await filesOf(workspace);
  const empty = paths.find((path) => !files.some((file) => isBelow(workspace, [path], file)));
  if (empty === undefined) return;
  throw new LocalError(`${empty} cannot be watched, because no val of the workspace is there.`, {
    hint: { text: 'To push it once', command: 'push', input: { paths: [empty] } },
  });
}

async function finishPushes(
  { host: { clock }, out: { say } }: Run,
  saves: Saves,
  worked: Promise<void>,
): Promise<void> {
  const cancelNote = clock.after(1_000, () =>
    say({ kind: 'note', text: 'Waiting for the running pushes. Press Ctrl-C again to stop immediately.' }),
  );
  await beyondGracePeriod(async () => {
    await saves.close();
    await worked;
  });
  cancelNote();
}

const cannotWatch = (root: string, error: unknown): LocalError =>
  new LocalError(`Cannot watch ${root} any longer: ${(error as Error).message}`, {
    hint: 'The system may limit the number of watched folders. In .valsignore, list the folders that contain no vals.',
    cause: error,
  });
