import type { Context } from '../../cli/context.ts';
import { LocalError, UsageError } from '../../errors.ts';
import { aborted, beyondGracePeriod } from '../../lib/signals.ts';
import { followMoves } from '../../workspace/moved.ts';
import { isBelow, selectForPush } from '../../workspace/select.ts';
import { createIgnoreFiles } from '../../workspace/sources/ignoring.ts';
import { createNestedProjectCheck, inOtherProject } from '../../workspace/sources/nested-project.ts';
import { type Saves, watchSaves } from '../../workspace/watch/saves.ts';
import { openWorkspace, pathBelowRoot, type Workspace } from '../../workspace/workspace.ts';
import { exitQuietly } from '../shared/messages.ts';
import { createPushQueue, type PushQueue } from './push-queue.ts';

export interface WatchOptions {
  paths: readonly string[];
  concurrency: number | 'auto';
  force: boolean;
}

export async function watchWorkspace(
  context: Context,
  { paths, concurrency, force }: WatchOptions,
): Promise<never> {
  const { flags, signal, clock, progress, say } = context;
  if (flags.json) {
    throw new UsageError('--watch never ends, so it cannot print one JSON document.', {
      hint: 'To print one record per line, use --ndjson instead of --json.',
    });
  }
  const workspace = await followMoves(openWorkspace(context), context);
  const { root } = workspace;
  refuseOtherProjects(workspace, paths);
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

/** Without this check, the command would wait forever, because it never pushes a file of a nested repository. */
function refuseOtherProjects(workspace: Workspace, paths: readonly string[]): void {
  const isInOtherProject = createNestedProjectCheck(workspace.root);
  for (const path of paths) {
    const below = pathBelowRoot(workspace, path);
    // The slash makes this check the path itself too, because the path may be the folder of a repository.
    if (below !== undefined && isInOtherProject(`${below}/`)) throw inOtherProject(path, 'push');
  }
}

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
