import { runBatch } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import { learnId } from '../../workspace/learn-ids.ts';
import { forgetPruned } from '../../workspace/prune-val.ts';
import { createRemoteVals, type RemoteVals } from '../../workspace/remote-vals.ts';
import { relativeImportWarning } from '../../workspace/sources/warnings.ts';
import { pushedElsewhere, type Workspace } from '../../workspace/workspace.ts';
import { notePossibleTakeovers } from '../shared/messages.ts';
import { annotateFailure } from './github.ts';
import type { PushItem, PushPlan } from './item.ts';
import { fileAndName, hintAtMissingIds, hintAtPull, isSentWithoutId, pushReport } from './outcomes.ts';
import { confirmPruning, valsWithoutFile } from './prune.ts';
import { createItemSender } from './send-item.ts';

export interface SendOptions {
  concurrency: number | 'auto';
  force: boolean;
  dryRun: boolean;
  fork: boolean | undefined;
  prune: boolean | undefined;
  yes: boolean | undefined;
}

export async function sendAll(
  context: Context,
  { workspace, items }: PushPlan,
  { concurrency, force, dryRun, fork = false, prune, yes }: SendOptions,
): Promise<OutcomesResult> {
  const { say, signal, progress } = context;
  const tracked = items.map(({ val }) => val).filter((val) => val !== undefined);
  const elsewhere = workspace && pushedElsewhere(workspace.service, tracked);
  if (elsewhere !== undefined) say.warn(elsewhere);
  const api = await context.connect({ concurrency });
  const createRemotes = () => createRemoteVals({ ...context, api }, items.length);
  const remotes = createRemotes();
  const toPrune = prune && workspace ? valsWithoutFile(workspace, tracked) : [];
  if (workspace && !yes && !dryRun) await confirmPruning(context, workspace, remotes, toPrune);
  const pruned = new Set(toPrune);
  const isPruned = ({ val }: PushItem) => val !== undefined && pruned.has(val);

  const senderOptions = { api, workspace, isPruned, force, fork, dryRun, remotes };
  const sender = await createItemSender(context, senderOptions);
  const showProgress = (finished: number) => progress.show(`Pushing ${finished} of ${items.length}`);
  showProgress(0);
  const sent = await runBatch<PushItem>(items, {
    describe: fileAndName,
    work: sender.send,
    concurrency,
    signal,
    onFinished: showProgress,
    onFailure: ({ file }, error) => annotateFailure(context, file, error),
    report: { ...pushReport(say), verbFor: (item) => (isPruned(item) ? 'deleted' : undefined) },
  });

  const importWarning = relativeImportWarning(sender.relativeImports);
  if (importWarning !== undefined) say.warn(importWarning);
  if (dryRun) notePossibleTakeovers(context, sender.possibleTakeovers);
  const { rows, error } =
    workspace && !dryRun ? await saveInWorkspace(context, workspace, items, sent, createRemotes()) : sent;
  hintAtMissingIds(say, rows, tracked.length > 0);
  hintAtPull(say, rows);
  return { kind: 'outcomes', rows, error };
}

async function saveInWorkspace(
  context: Context,
  workspace: Workspace,
  items: readonly PushItem[],
  sent: OutcomesResult,
  /** A list that was read before the push would lack the vals that the push created. */
  remotes: RemoteVals,
): Promise<Pick<OutcomesResult, 'rows' | 'error'>> {
  // The missing ids are read first, so that vals.json gets them.
  const rows = await withMissingIds(workspace, items, sent.rows, remotes);
  const saveError = await workspace.saveManifest();
  const deleted = rows.filter(({ status }) => status === 'deleted').map(({ file }) => `${file}`);
  const forgetError = await forgetPruned(workspace, context, deleted);
  return { rows, error: sent.error ?? saveError ?? forgetError };
}

async function withMissingIds(
  workspace: Workspace,
  items: readonly PushItem[],
  rows: readonly JsonObject[],
  remotes: RemoteVals,
): Promise<readonly JsonObject[]> {
  const learnt = rows.map(async (row, index) => {
    const val = items[index]?.val;
    if (val === undefined || !isSentWithoutId(row)) return row;
    return { ...row, ...(await learnId(workspace, remotes, val)) };
  });
  return Promise.all(learnt);
}
