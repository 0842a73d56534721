import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Api } from '../../api/api.ts';
import type { Context } from '../../cli/context.ts';
import {
  concernsAll,
  exitQuietly,
  LocalError,
  messageWithHint,
  UnavailableError,
  UsageError,
} from '../../errors.ts';
import { warnWith } from '../../lib/say.ts';
import { aborted, beyondGracePeriod } from '../../lib/signals.ts';
import { notInWorkspace } from '../../workspace/disk/root.ts';
import { createRemoteVals, type RemoteVals } from '../../workspace/remote-vals.ts';
import { createFileCheck, isBelow, selectForPush } from '../../workspace/select.ts';
import { createIgnoreFiles } from '../../workspace/sources/ignoring.ts';
import { createNestedProjectCheck, inOtherProject } from '../../workspace/sources/nested-project.ts';
import { pathExists } from '../../workspace/sources/walk.ts';
import { createSaveQueue, type SaveQueue } from '../../workspace/watch/save-queue.ts';
import { type Saves, watchSaves } from '../../workspace/watch/saves.ts';
import { pathBelowRoot, type Workspace } from '../../workspace/workspace.ts';
import { createWorkspaces } from '../../workspace/workspaces.ts';
import { askOnce, decideAsking } from './ask.ts';
import { followMoves, warnOfLikelyMoves } from './follow-moves.ts';
import { itemOfVal } from './item.ts';
import { type PlannedItem, planItems } from './plan-items.ts';
import { createSavePusher, saveOptions } from './push-save.ts';
import { readFiles } from './read-files.ts';
import { pathOf } from './select-files.ts';
import { withoutCheck } from './syntax-check.ts';
import { pullWhileWatching } from './watch-service.ts';

export interface WatchOptions {
  paths: readonly string[];
  concurrency: number | 'auto';
  force: boolean;
  yes: boolean;
  noCheck: boolean;
  /** Also writes what changes on the service into the files. */
  pull: boolean;
}

const maxParallelFiles = 32;

export async function watchWorkspace(context: Context, options: WatchOptions): Promise<never> {
  const { flags, signal, clock, say } = context;
  if (flags.json) {
    throw new UsageError('--watch never ends, so it cannot print one JSON document.', {
      hint: 'To print one record per line, use --ndjson instead of --json.',
    });
  }
  const { concurrency, pull } = options;
  const { workspace, paths } = watchedPaths(context, options.paths);
  const { root } = workspace;
  // This signal never aborts, so that Ctrl-C does not cut off a running push.
  const api = await context.connect({ concurrency, signal: new AbortController().signal });
  say({ kind: 'progress' });

  const failure = new AbortController();
  const endWatch = (error: unknown) => failure.abort(error);
  const ending = AbortSignal.any([signal, failure.signal]);

  const ignoreFiles = createIgnoreFiles(warnWith(say));
  const isChosen = (file: string) => isBelow(workspace, paths, file);
  const given = { ...options, workspace, api, ignoreFiles, isChosen, isNamed: paths.length > 0 };
  const pusher = createSavePusher(context, given);
  const saveManifest = async () => {
    const error = await workspace.saveManifest();
    if (error !== undefined) say({ kind: 'warning', text: messageWithHint(error) });
  };
  const queue = createSaveQueue({
    clock,
    maxRunning: concurrency === 'auto' ? maxParallelFiles : concurrency,
    push: pusher.push,
    onOutage: (isOver) => noteOutage(context, isOver),
    onIdle: saveManifest,
    endWatch,
  });
  const onSave = (file: string) => {
    if (!isChosen(file)) return;
    pusher.forgetStep(file);
    queue.add(file);
  };
  // The watch begins before the question and the first push, so that no save is missed meanwhile.
  const saves = await watchSaves(root, clock, ignoreFiles, onSave, (error) =>
    endWatch(cannotWatch(root, error)),
  );
  let stopPulling: (() => Promise<void>) | undefined;
  try {
    const { files, items, remotes } = await planInitial(context, given);
    // A file that was saved while the question was open is planned anew.
    const isAsPlanned = ({ val }: PlannedItem) => val !== undefined && !queue.isBusy(val.file);
    pusher.begin(items.filter(isAsPlanned), remotes);
    const watched = { workspace, api, isChosen, isBusy: queue.isBusy, saveManifest, endWatch };
    if (pull) stopPulling = pullWhileWatching(context, watched);
    say({ kind: 'lines', text: `Watching ${root}. Press Ctrl-C to stop.\n` });
    for (const file of files) queue.add(file);
    queue.start();
    await aborted(ending);
    throw exitQuietly(ending.reason);
  } finally {
    await finishPushes(context, saves, queue, stopPulling);
  }
}

interface InitialOptions extends Pick<WatchOptions, 'yes' | 'force'> {
  workspace: Workspace;
  api: Api;
  isNamed: boolean;
  isChosen(file: string): boolean;
}

interface InitialPlan {
  /** To push at once. */
  files: string[];
  /** Those of the files that can be read. */
  items: readonly PlannedItem[];
  remotes: RemoteVals;
}

/** Asks about the files as they are now. Later, such vals are conflicts. */
async function planInitial(context: Context, options: InitialOptions): Promise<InitialPlan> {
  const { workspace, api, yes, force, isChosen } = options;
  const remotes = createRemoteVals({ ...context, api }, 1);
  const chosen = (await selectForPush(workspace, context.say)).filter(({ file }) => isChosen(file));
  const selected = chosen.map((val) => itemOfVal(workspace, val));
  const asking = decideAsking(context, { yes, force, dryRun: false });
  const followed = await followMoves(context, selected, { asking, openRemotes: async () => remotes });
  const { likely, isConfirmed } = followed;
  const { items } = await readFiles(context, followed.items, { syntax: withoutCheck, mayResend: false });
  const planned = await planItems(
    context,
    items,
    remotes,
    (_workspace, { file }) => ({
      ...saveOptions(options, likely.get(workspace) ?? []),
      mayOverwrite: yes || isConfirmed(workspace, file),
      isSave: false,
    }),
    (error) => concernsAll(error) || error instanceof UnavailableError,
  );
  warnOfLikelyMoves(context, planned, followed, asking);
  const answer = await askOnce(context, planned, { asking, api });
  const declined = new Set([...answer.declined].map(({ val }) => val?.file));
  const files = followed.items.flatMap(({ val }) => val?.file ?? []);
  return { files: files.filter((file) => !declined.has(file)), items: answer.items, remotes };
}

function noteOutage({ say }: Context, isOver: boolean): void {
  if (isOver) say({ kind: 'note', text: 'The service can be reached again.' });
  else
    say({
      kind: 'warning',
      text: 'The service cannot be reached. The command keeps trying, and sends the saved files as soon as the service answers.',
    });
}

/** Refuses words that stand for no file which this command pushes. With such a word, the command would wait forever. */
function watchedPaths(context: Context, words: readonly string[]): { workspace: Workspace; paths: string[] } {
  const { say } = context;
  const workspaces = createWorkspaces(context);
  const paths = words.map((word) => pathOf(context, workspaces, word));
  const [workspace = workspaces.here(), another] = new Set(
    paths.flatMap((path) => workspaces.placeOf(path)?.workspace ?? []),
  );
  if (workspace === undefined) throw notInWorkspace();
  if (another !== undefined) {
    throw new UsageError('--watch works with the paths of one workspace, but the paths belong to several.', {
      hint: 'Watch each workspace with a command of its own.',
    });
  }
  const isInOtherProject = createNestedProjectCheck(workspace.root);
  const reasonNotToPush = createFileCheck(workspace, warnWith(say));
  for (const path of paths) {
    const below = pathBelowRoot(workspace, path);
    if (below === undefined) throw notWatched(path, `outside of the workspace ${workspace.root}`);
    // The slash makes this check the path itself too, because the path may be the folder of a repository.
    if (isInOtherProject(`${below}/`)) throw inOtherProject(path, 'push');
    if (!pathExists(workspace.cwd, path)) {
      throw new LocalError(`${path} does not exist.`, { hint: 'Check the path.' });
    }
    const stats = lstatSync(resolve(workspace.cwd, path));
    if (stats.isSymbolicLink()) throw notWatched(path, 'a link');
    const reason = stats.isDirectory() ? undefined : reasonNotToPush({ file: below });
    if (reason !== undefined) throw notWatched(path, reason);
  }
  return { workspace, paths };
}

const notWatched = (path: string, reason: string): LocalError =>
  new LocalError(`${path} cannot be watched, because it is ${reason}.`, {
    hint: { text: 'To push it once', command: 'push', input: { paths: [path] } },
  });

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
