import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { LocalError, UsageError } from '../../errors.ts';
import { shell } from '../../lib/shell-command.ts';
import { aborted, beyondGracePeriod } from '../../lib/signals.ts';
import { followMoves } from '../../workspace/moved.ts';
import { createFileCheck, isBelow, selectForPush } from '../../workspace/select.ts';
import { createIgnoreFiles } from '../../workspace/sources/ignoring.ts';
import { createNestedProjectCheck, inOtherProject } from '../../workspace/sources/nested-project.ts';
import { pathExists } from '../../workspace/sources/walk.ts';
import { type Saves, watchSaves } from '../../workspace/watch/saves.ts';
import { openWorkspace, pathBelowRoot, type Workspace } from '../../workspace/workspace.ts';
import { exitQuietly } from '../shared/messages.ts';
import { pathOf } from './plan-workspace.ts';
import { createPushQueue, type PushQueue } from './push-queue.ts';

export interface WatchOptions {
  paths: readonly string[];
  concurrency: number | 'auto';
  force: boolean;
}

export async function watchWorkspace(
  context: Context,
  { paths: words, concurrency, force }: WatchOptions,
): Promise<never> {
  const { flags, signal, clock, progress, say } = context;
  if (flags.json) {
    throw new UsageError('--watch never ends, so it cannot print one JSON document.', {
      hint: 'To print one record per line, use --ndjson instead of --json.',
    });
  }
  const workspace = await followMoves(openWorkspace(context), context);
  const { root } = workspace;
  const paths = watchedPaths(context, workspace, words);
  // This signal never aborts, so that Ctrl-C does not cut off a running push.
  const api = await context.connect({ concurrency, signal: new AbortController().signal });
  progress.stop();

  const failure = new AbortController();
  const endWatch = (error: unknown) => failure.abort(error);
  const ending = AbortSignal.any([signal, failure.signal]);

  const ignoreFiles = createIgnoreFiles(say.warn);
  const queueOptions = { workspace, api, force, ignoreFiles, concurrency, endWatch };
  const pushes = createPushQueue(context, queueOptions);

  const isChosen = (file: string) => isBelow(workspace, paths, file);
  const onSave = (file: string) => {
    if (isChosen(file)) pushes.add(file);
  };
  // The watch begins before the first push, so that no save during the first push is missed.
  const saves = await watchSaves(root, clock, ignoreFiles, onSave, (error) =>
    endWatch(cannotWatch(root, error)),
  );
  try {
    say.banner(`Watching ${root}. Press Ctrl-C to stop.\n`);
    for (const { file } of await selectForPush(workspace, say)) {
      if (isChosen(file)) pushes.addInitial(file);
    }
    await aborted(ending);
    throw exitQuietly(ending.reason);
  } finally {
    await finishPushes(context, saves, pushes);
  }
}

/** Refuses words that stand for no file which this command pushes. With such a word, the command would wait forever. */
function watchedPaths({ say }: Context, workspace: Workspace, words: readonly string[]): string[] {
  const isInOtherProject = createNestedProjectCheck(workspace.root);
  const reasonNotToPush = createFileCheck(workspace, say.warn);
  return words.map((word) => {
    const path = pathOf(workspace, word, { isInOtherProject, reasonNotToPush });
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
    return path;
  });
}

const notWatched = (path: string, reason: string): LocalError =>
  new LocalError(`${path} cannot be watched, because it is ${reason}.`, {
    hint: `To push it once, run ${shell`vals push ${path}`}.`,
  });

async function finishPushes({ clock, say }: Context, saves: Saves, pushes: PushQueue): Promise<void> {
  const cancelNote = clock.after(1_000, () =>
    say.note('Waiting for the running pushes. Press Ctrl-C again to stop immediately.'),
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
