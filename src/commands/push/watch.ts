// While the service cannot be reached, saved files are kept and pushed later.
import type { Context } from '../../cli/context.ts';
import { LocalError, UsageError } from '../../errors.ts';
import { beyondGracePeriod } from '../../lib/signals.ts';
import { followMoves } from '../../workspace/moved.ts';
import { isBelow, selectForPush } from '../../workspace/select.ts';
import { createIgnoreFiles } from '../../workspace/sources/ignoring.ts';
import { createOutage } from '../../workspace/watch/outage.ts';
import { createQueue } from '../../workspace/watch/queue.ts';
import { watchSaves } from '../../workspace/watch/saves.ts';
import { openWorkspace, relativeTo } from '../../workspace/workspace.ts';
import { exitQuietly, messageWithHint } from '../shared/messages.ts';
import { createFilePusher } from './push-file.ts';

export interface WatchOptions {
  paths: readonly string[];
  concurrency: number | 'auto';
  force: boolean;
}

const maxParallelFiles = 32;

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
  // This signal never aborts, so that Ctrl-C does not cut off a running push.
  const api = await context.connect({ concurrency, signal: new AbortController().signal });
  progress.stop();

  let end: (reason: unknown) => void = () => {};
  const ended = new Promise<unknown>((resolve) => {
    end = resolve;
  });
  const ignoreFiles = createIgnoreFiles(say.warn);
  const firstFiles = new Set<string>();
  // The outage, the pusher and the queue need each other. The queue pushes files, a failed push begins an outage, and
  // the outage adds files to the queue.
  const outage = createOutage({
    clock,
    send: (file) => queue.add(file),
    onBegan: () => say.warn('The service cannot be reached. This command keeps trying, and no save is lost.'),
    onEnded: () => say.note('The service can be reached again.'),
  });
  const pushFile = createFilePusher(context, {
    workspace,
    api,
    force,
    isTyped: (file) => paths.some((path) => relativeTo(workspace, path) === file),
    outage,
    firstFiles,
    ignoreFiles,
  });
  const queue = createQueue(
    concurrency === 'auto' ? maxParallelFiles : concurrency,
    (file) => pushFile(file).catch(end),
    () => saveManifest().catch(end),
  );

  async function saveManifest(): Promise<void> {
    const error = await workspace.saveManifest();
    if (error !== undefined) say.warn(messageWithHint(error));
  }

  const onSave = (file: string) => {
    if (!isBelow(workspace, paths, file)) return;
    if (outage.isUnderWay()) outage.keep(file);
    else queue.add(file);
  };
  // The watch begins before the first push, so that no save during the first push is missed.
  const saves = await watchSaves(root, clock, ignoreFiles, onSave, (error) => end(cannotWatch(root, error)));
  const interrupted = () => end(signal.reason);
  signal.addEventListener('abort', interrupted);
  if (signal.aborted) interrupted();
  try {
    say.banner(`Watching ${root}. Press Ctrl-C to stop.\n`);
    for (const { file } of await selectForPush(workspace, say)) {
      firstFiles.add(file);
      onSave(file);
    }
    throw exitQuietly(await ended);
  } finally {
    signal.removeEventListener('abort', interrupted);
    await finishPushes();
    // Closed last, because a push in the queue may still begin an outage.
    outage.close();
  }

  async function finishPushes(): Promise<void> {
    const cancelNote = clock.after(1_000, () =>
      say.note('Waiting for the running pushes. Press Ctrl-C again to stop at once.'),
    );
    await beyondGracePeriod(async () => {
      await saves.close();
      await queue.close();
      await saveManifest();
    });
    cancelNote();
  }
}

const cannotWatch = (root: string, error: unknown): LocalError =>
  new LocalError(`Cannot watch ${root} any longer: ${(error as Error).message}`, {
    hint: 'The system may limit the number of watched folders. List the folders that have no vals in .valsignore.',
    cause: error,
  });
