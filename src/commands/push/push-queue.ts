import type { Context } from '../../cli/context.ts';
import { messageWithHint } from '../../errors.ts';
import type { Outcome } from '../../lib/outcome.ts';
import { type Column, column } from '../../terminal/column.ts';
import { outcomeColumn, versionColumn } from '../shared/columns.ts';
import { createFilePusher, type PusherOptions, type PushResult } from './push-saved-file.ts';

export interface PushQueue {
  /** Adds a file that existed before the watch began. */
  addInitial(file: string): void;
  /** If a push of the file is under way, the file is pushed again afterwards. */
  add(file: string): void;
  close(): Promise<void>;
}

interface PushQueueOptions extends PusherOptions {
  concurrency: number | 'auto';
  endWatch(error: unknown): void;
}

const maxParallelFiles = 32;
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

export function createPushQueue(
  context: Context,
  { concurrency, endWatch, ...pusherOptions }: PushQueueOptions,
): PushQueue {
  const { clock, say } = context;
  const pushFile = createFilePusher(context, pusherOptions);
  const report = createReporter(context);
  const maxRunning = concurrency === 'auto' ? maxParallelFiles : concurrency;
  const initialFiles = new Set<string>();
  const waiting = new Set<string>();
  const running = new Map<string, Promise<void>>();
  let isOutage = false;
  let retries = 0;
  let cancelRetry: (() => void) | undefined;
  let isClosed = false;

  function add(file: string): void {
    waiting.add(file);
    startWaiting();
  }

  function startWaiting() {
    if (isClosed) return;
    if (isOutage) return planRetry();
    for (const file of waiting) {
      if (running.size >= maxRunning) return;
      if (!running.has(file)) start(file);
    }
  }

  /** Tries only one file. If the service answers, the outage ends, and all other files follow. */
  function planRetry(): void {
    if (cancelRetry !== undefined || waiting.size === 0) return;
    const maxPauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** retries);
    const pauseMs = maxPauseMs * (0.5 + Math.random() / 2);
    retries += 1;
    cancelRetry = clock.after(pauseMs, () => {
      cancelRetry = undefined;
      const file = [...waiting].find((each) => !running.has(each));
      if (file !== undefined) start(file);
    });
  }

  function start(file: string): void {
    waiting.delete(file);
    const finished = push(file)
      .catch(endWatch)
      .finally(() => {
        running.delete(file);
        startWaiting();
        if (running.size === 0) saveManifest().catch(endWatch);
      });
    running.set(file, finished);
  }

  async function push(file: string): Promise<void> {
    const isRetry = isOutage;
    const isInitial = initialFiles.delete(file);
    const result = await pushFile(file, isInitial);
    if (result.service === 'unreachable') {
      waiting.add(file);
      if (isInitial) initialFiles.add(file);
      beginOutage();
    }
    if (result.service === 'answered') endOutage();
    await report(result, isRetry);
  }

  function beginOutage(): void {
    if (isOutage) return;
    isOutage = true;
    say({
      kind: 'warning',
      text: 'The service cannot be reached. The command keeps trying, and sends the saved files as soon as the service answers.',
    });
  }

  function endOutage(): void {
    if (!isOutage) return;
    isOutage = false;
    retries = 0;
    cancelRetry?.();
    cancelRetry = undefined;
    say({ kind: 'note', text: 'The service can be reached again.' });
  }

  async function saveManifest(): Promise<void> {
    const error = await pusherOptions.workspace.saveManifest();
    if (error !== undefined) say({ kind: 'warning', text: messageWithHint(error) });
  }

  return {
    addInitial(file) {
      initialFiles.add(file);
      add(file);
    },
    add,
    async close() {
      isClosed = true;
      cancelRetry?.();
      await Promise.all(running.values());
      await saveManifest();
    },
  };
}

function createReporter(context: Context): (result: PushResult, isRetry: boolean) => Promise<void> {
  const { flags, say } = context;
  const columns = [timeColumn(context), outcomeColumn, column('name'), versionColumn];
  return async ({ outcome, warning }, isRetry) => {
    if (warning !== undefined && !flags.ndjson) say({ kind: 'warning', text: warning });
    if (outcome !== undefined && isNews(outcome, isRetry)) await context.event(outcome, columns);
  };
}

const timeColumn = ({ clock, forPerson }: Context): Column => ({
  ...column('time'),
  compute() {
    const now = new Date(clock.now());
    return forPerson ? now.toTimeString().slice(0, 8) : now.toISOString();
  },
});

function isNews({ status }: Outcome, isRetry: boolean): boolean {
  // An attempt before the retry may have sent the code. Then `unchanged` tells the user that the code has arrived.
  if (status === 'unchanged') return isRetry;
  return status !== 'behind' && status !== 'skipped';
}
