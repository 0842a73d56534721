// `vals push --watch`: a push of the saved files at every save, by the same rules.

import type { Context } from '../../core/command-line/command.ts';
import { refuseOneDocument } from '../../core/command-line/options.ts';
import { outcomeColumn, versionColumn } from '../../core/commands/shared/columns.ts';
import {
  DeclinedError,
  exitQuietly,
  InterruptedError,
  LocalError,
  messageWithHint,
  PartialError,
  UnavailableError,
  UnknownOutcomeError,
  ValsError,
} from '../../core/errors.ts';
import { createValList } from '../../core/find-val/val-list.ts';
import type { Api } from '../../core/http/api.ts';
import { sh } from '../../core/lib/hint.ts';
import { aborted, beyondGracePeriod } from '../../core/lib/signals.ts';
import { wait } from '../../core/lib/waiting.ts';
import { type Column, column } from '../../core/output/column.ts';
import { type OutcomeRow, warnWith } from '../../core/output/out.ts';
import { isGitWriting } from '../git/repository.ts';
import { workspaceOfWords } from '../read/compare-workspace.ts';
import { createPathFilter, noteStaleNames, readFileNames } from '../read/local.ts';
import { refuseOtherService } from '../services.ts';
import { createWorkspaces, relativeTo, type Workspace } from '../workspace.ts';
import { type PushOptions, pushFiles } from './push-workspace.ts';
import { watchSaves } from './saves.ts';

export interface WatchOptions extends Pick<PushOptions, 'force' | 'yes' | 'noCheck' | 'concurrency'> {
  paths: readonly string[];
}

/** An editor may write a file several times for one save. */
const pauseMs = 100;
/** A git that was killed leaves its lock. */
const mostPauses = 50;
const outagePauseMs = 5_000;

export async function watchWorkspace(context: Context, options: WatchOptions): Promise<never> {
  const {
    flags,
    host: { signal, clock },
    out: { say },
  } = context;
  refuseOneDocument(flags, '--watch');
  const workspace = workspaceOfWords(createWorkspaces(context), options.paths);
  const { root } = workspace;
  // What is to be said of the folder is said once, and not at each save.
  const files = await readFileNames(workspace, [], warnWith(say));
  noteStaleNames(say, workspace);
  refuseEmpty(workspace, options.paths, [...files.keys()]);
  refuseOtherService(workspace);
  // This signal never aborts, so that Ctrl-C does not cut off a running push.
  const api = await context.api({
    concurrency: options.concurrency,
    signal: new AbortController().signal,
  });
  const failure = new AbortController();
  const ending = AbortSignal.any([signal, failure.signal]);
  /** Undefined means all files. */
  let saved: Set<string> | undefined;
  let news = new AbortController();
  const add = (file: string) => {
    saved?.add(file);
    news.abort();
  };
  // The watch begins before the question and the first push, so that no save is missed meanwhile.
  const saves = await watchSaves(workspace, {
    onSave: add,
    onIgnoreFile() {
      saved = undefined;
      news.abort();
    },
    onError: (error) => failure.abort(cannotWatch(root, error)),
  });
  const work = async () => {
    let isOutage = false;
    for (let isFirst = true; !ending.aborted; isFirst = false) {
      const before = saved;
      saved = new Set();
      const files = await filesThatCount(workspace, options.paths, before);
      const unsent =
        files.length === 0
          ? []
          : await pushSaved(context, api, { workspace, files }, { ...options, isOutage });
      say({ kind: 'progress' });
      isOutage = noteOutage(context, { before: isOutage, now: unsent.length > 0 });
      if (isFirst && !ending.aborted)
        say({ kind: 'lines', text: `Watching ${root}. Press Ctrl-C to stop.\n` });
      if (isOutage) {
        await wait(clock, outagePauseMs, ending);
        for (const file of unsent) add(file);
        continue;
      }
      if (saved?.size === 0) {
        news = new AbortController();
        await aborted(AbortSignal.any([ending, news.signal]));
      }
      await wait(clock, pauseMs, ending);
      // HEAD is the old branch until git has written all files of the new one, which would look like edits.
      for (let pauses = 0; isGitWriting(root) && pauses < mostPauses; pauses++)
        await wait(clock, pauseMs, ending);
    }
  };
  const worked = work().catch((error) => failure.abort(error));
  await aborted(ending);
  const cancelNote = clock.after(1_000, () =>
    say({ kind: 'note', text: 'Waiting for the running pushes. Press Ctrl-C again to stop immediately.' }),
  );
  await beyondGracePeriod(async () => {
    await saves.close();
    await worked;
  });
  cancelNote();
  throw exitQuietly(ending.reason);
}

/** Leaves out files that are gone, and those that a push does not take. Without `saved`, all files are asked about. */
async function filesThatCount(
  workspace: Workspace,
  paths: readonly string[],
  saved: ReadonlySet<string> | undefined,
): Promise<string[]> {
  if (saved?.size === 0) return [];
  const files = [...(await readFileNames(workspace)).keys()];
  const isBelow = createPathFilter(workspace, paths);
  return files.filter((file) => (saved?.has(file) ?? true) && isBelow(file));
}

/** Returns the files that could not be sent because the service could not be reached, or its answer was lost. */
async function pushSaved(
  context: Context,
  api: Api,
  chosen: { workspace: Workspace; files: readonly string[] },
  { isOutage, ...options }: WatchOptions & { isOutage: boolean },
): Promise<readonly string[]> {
  const once = { prune: false, dryRun: false, isSave: true };
  try {
    // Each push asks anew what the service has.
    const valList = createValList(async () => api, context.vals.seen);
    const now = { ...context, vals: { ...context.vals, valList } };
    const { rows } = await pushFiles(now, api, chosen, { ...options, ...once });
    const isLost = ({ error, status }: OutcomeRow) => isOfService(error) || status === 'skipped';
    const lost = rows.some(({ error }) => isOfService(error)) ? rows.filter(isLost) : [];
    const others = rows.filter((row) => !lost.includes(row));
    await report(context, others, { isOutage });
    return lost.map(({ file }) => relativeTo(chosen.workspace, `${file}`));
  } catch (error) {
    if (context.host.signal.aborted) return [];
    if (isOfService(error)) return chosen.files;
    // Some errors concern the whole push, such as two files of one name. The next save tries again.
    const isEnd = error instanceof DeclinedError || error instanceof InterruptedError;
    if (!(error instanceof ValsError) || error.scope === 'all' || isEnd) throw error;
    context.out.say({ kind: 'warning', text: messageWithHint(error) });
    return [];
  }
}

const isOfService = (error: unknown): boolean =>
  [UnavailableError, UnknownOutcomeError, PartialError].some((kind) => error instanceof kind);

async function report(
  context: Context,
  rows: readonly OutcomeRow[],
  { isOutage }: { isOutage: boolean },
): Promise<void> {
  // An attempt before the outage may have sent the code. Then `unchanged` tells that the code has arrived.
  const quiet = isOutage ? ['behind', 'skipped'] : ['behind', 'skipped', 'unchanged'];
  for (const row of rows) {
    const { error } = row;
    if (error instanceof ValsError && error.scope === 'all') throw error;
    if (error instanceof ValsError && !context.flags.ndjson)
      context.out.say({ kind: 'warning', text: messageWithHint(error) });
    if (!quiet.includes(`${row.status}`)) await context.out.row(row, savedColumns(context));
  }
}

function noteOutage({ out: { say } }: Context, { before, now }: { before: boolean; now: boolean }): boolean {
  if (now && !before) {
    say({
      kind: 'warning',
      text: 'The service cannot be reached. The saved files are kept, and sent as soon as the service answers.',
    });
  }
  if (before && !now) say({ kind: 'note', text: 'The service can be reached again.' });
  return now;
}

const savedColumns = ({ host: { clock }, out: { forPerson } }: Context): Column[] => [
  {
    ...column('time'),
    compute() {
      const now = new Date(clock.now());
      return forPerson ? now.toTimeString().slice(0, 8) : now.toISOString();
    },
  },
  outcomeColumn,
  column('name'),
  versionColumn,
];

/** With a path that has no file of the workspace, the command would wait forever. */
function refuseEmpty(workspace: Workspace, paths: readonly string[], files: readonly string[]): void {
  const empty = paths.find((path) => !files.some(createPathFilter(workspace, [path])));
  if (empty === undefined) return;
  throw new LocalError(`${empty} cannot be watched, because no val of the workspace is there.`, {
    hint: sh`To push it once, run ${['push', empty]}.`,
  });
}

const cannotWatch = (root: string, error: unknown): LocalError =>
  new LocalError(`Cannot watch ${root} any longer: ${error instanceof Error ? error.message : error}`, {
    hint: 'The system may limit the number of watched folders. In .valsignore, list the folders that contain no vals.',
    cause: error,
  });
