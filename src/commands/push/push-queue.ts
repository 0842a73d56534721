// While the service cannot be reached, saved files are kept and pushed later.
import type { Context } from '../../cli/context.ts';
import { createOutage } from '../../workspace/watch/outage.ts';
import { createQueue } from '../../workspace/watch/queue.ts';
import { messageWithHint } from '../shared/messages.ts';
import { createFilePusher, type PusherOptions } from './push-saved-file.ts';

export interface PushQueue {
  /** For a file to push at the start, even if an ignore file lists it. */
  addFirst(file: string): void;
  add(file: string): void;
  close(): Promise<void>;
}

interface PushQueueOptions extends Omit<PusherOptions, 'outage' | 'firstFiles'> {
  concurrency: number | 'auto';
  /** Called with an error that ends the watch. */
  onFatal(error: unknown): void;
}

const maxParallelFiles = 32;

export function createPushQueue(
  context: Context,
  { concurrency, onFatal, ...pusherOptions }: PushQueueOptions,
): PushQueue {
  const { clock, say } = context;
  const firstFiles = new Set<string>();
  // The outage, the pusher and the queue need each other. The queue pushes files, a failed push begins an outage, and
  // the outage adds files to the queue.
  const outage = createOutage({
    clock,
    send: (file) => queue.add(file),
    onBegan: () => say.warn('The service cannot be reached. This command keeps trying, and no save is lost.'),
    onEnded: () => say.note('The service can be reached again.'),
  });
  const pushFile = createFilePusher(context, { ...pusherOptions, outage, firstFiles });
  const queue = createQueue(
    concurrency === 'auto' ? maxParallelFiles : concurrency,
    (file) => pushFile(file).catch(onFatal),
    () => saveManifest().catch(onFatal),
  );

  async function saveManifest(): Promise<void> {
    const error = await pusherOptions.workspace.saveManifest();
    if (error !== undefined) say.warn(messageWithHint(error));
  }

  function add(file: string): void {
    if (outage.isUnderWay()) outage.keep(file);
    else queue.add(file);
  }

  return {
    addFirst(file) {
      firstFiles.add(file);
      add(file);
    },
    add,
    async close() {
      await queue.close();
      // Closed after the queue, because a running push may still begin an outage.
      outage.close();
      await saveManifest();
    },
  };
}
