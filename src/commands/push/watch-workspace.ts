import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Api } from '../../api/api.ts';
import type { Context } from '../../cli/context.ts';
import { exitQuietly, LocalError, UsageError } from '../../errors.ts';
import { warnWith } from '../../lib/say.ts';
import { aborted, beyondGracePeriod } from '../../lib/signals.ts';
import { readBelow } from '../../workspace/disk/files.ts';
import { notInWorkspace } from '../../workspace/disk/root.ts';
import { followMoves } from '../../workspace/moved.ts';
import { createRemoteVals } from '../../workspace/remote-vals.ts';
import { createFileCheck, isBelow, type SelectedVal, selectForPush } from '../../workspace/select.ts';
import { createIgnoreFiles } from '../../workspace/sources/ignoring.ts';
import { createNestedProjectCheck, inOtherProject } from '../../workspace/sources/nested-project.ts';
import { pathExists } from '../../workspace/sources/walk.ts';
import { type Saves, watchSaves } from '../../workspace/watch/saves.ts';
import { pathBelowRoot, pathTo, type Workspace } from '../../workspace/workspace.ts';
import { createWorkspaces } from '../../workspace/workspaces.ts';
import { askAboutDiffering, type Overwriting } from './ask-to-overwrite.ts';
import { noteLikelyRenames } from './likely-renames.ts';
import { createPushQueue, type PushQueue } from './push-queue.ts';
import { pathOf } from './select-files.ts';

export interface WatchOptions {
  paths: readonly string[];
  concurrency: number | 'auto';
  force: boolean;
  yes: boolean;
  check: boolean | undefined;
}

export async function watchWorkspace(
  context: Context,
  { paths: words, concurrency, force, yes, check }: WatchOptions,
): Promise<never> {
  const { flags, signal, clock, say } = context;
  if (flags.json) {
    throw new UsageError('--watch never ends, so it cannot print one JSON document.', {
      hint: 'To print one record per line, use --ndjson instead of --json.',
    });
  }
  const { workspace, paths } = watchedPaths(context, words);
  await followMoves(workspace, context);
  const { root } = workspace;
  // This signal never aborts, so that Ctrl-C does not cut off a running push.
  const api = await context.connect({ concurrency, signal: new AbortController().signal });
  say({ kind: 'progress' });

  const failure = new AbortController();
  const endWatch = (error: unknown) => failure.abort(error);
  const ending = AbortSignal.any([signal, failure.signal]);

  const ignoreFiles = createIgnoreFiles(warnWith(say));
  const isChosen = (file: string) => isBelow(workspace, paths, file);
  const selectChosen = async () => (await selectForPush(workspace, say)).filter(({ file }) => isChosen(file));
  const { mayOverwrite, declined } = await askFirst(context, workspace, await selectChosen(), {
    yes,
    force,
    api,
  });
  const mayOverwriteFile = (isInitial: boolean) => (isInitial ? mayOverwrite : () => yes);
  const queueOptions = {
    workspace,
    api,
    force,
    isNamed: paths.length > 0,
    check,
    ignoreFiles,
    concurrency,
    endWatch,
  };
  const pushes = createPushQueue(context, { ...queueOptions, mayOverwriteFile });
  const onSave = (file: string) => {
    if (isChosen(file)) pushes.add(file);
  };
  // The watch begins before the first push, so that no save during the first push is missed.
  const saves = await watchSaves(root, clock, ignoreFiles, onSave, (error) =>
    endWatch(cannotWatch(root, error)),
  );
  try {
    say({ kind: 'lines', text: `Watching ${root}. Press Ctrl-C to stop.\n` });
    const declinedFiles = new Set([...declined].map(({ val }) => val?.file));
    for (const { file } of await selectChosen()) if (!declinedFiles.has(file)) pushes.addInitial(file);
    await aborted(ending);
    throw exitQuietly(ending.reason);
  } finally {
    await finishPushes(context, saves, pushes);
  }
}

/** Asks about vals that differ. Later, such vals are conflicts. */
async function askFirst(
  context: Context,
  workspace: Workspace,
  vals: readonly SelectedVal[],
  { yes, force, api }: { yes: boolean; force: boolean; api: Api },
): Promise<Overwriting> {
  const items = vals.map((val, order) => ({
    file: pathTo(workspace, val.file),
    name: val.name,
    val,
    canReadAgain: true,
    order,
    read: async () => readBelow(workspace.root, val.file),
  }));
  const remotes = createRemoteVals({ ...context, api }, vals.length);
  await noteLikelyRenames(context, workspace, items, remotes);
  return askAboutDiffering(context, workspace, items, { yes, force, fork: false, dryRun: false, remotes });
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

async function finishPushes({ clock, say }: Context, saves: Saves, pushes: PushQueue): Promise<void> {
  const cancelNote = clock.after(1_000, () =>
    say({ kind: 'note', text: 'Waiting for the running pushes. Press Ctrl-C again to stop immediately.' }),
  );
  await beyondGracePeriod(async () => {
    await saves.close();
    await pushes.close();
  });
  cancelNote();
}

const cannotWatch = (root: string, error: unknown): LocalError =>
  new LocalError(`Cannot watch ${root} any longer: ${(error as Error).message}`, {
    hint: 'The system may limit the number of watched folders. In .valsignore, list the folders that contain no vals.',
    cause: error,
  });
