import { runBatch } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { PartialError, UsageError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { changedSomething } from '../../lib/outcome.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import { forgetPruned } from '../../workspace/prune-val.ts';
import { learnId } from '../../workspace/push-val.ts';
import { createRemoteVals, type RemoteVals } from '../../workspace/remote-vals.ts';
import { relativeImportWarning } from '../../workspace/sources/warnings.ts';
import { otherServiceWarning, type Workspace } from '../../workspace/workspace.ts';
import { notePossibleTakeovers } from '../shared/notes.ts';
import { askAboutDiffering } from './ask-to-overwrite.ts';
import { createAnnotations } from './github.ts';
import type { PushItem, Selection } from './item.ts';
import { noteLikelyRenames } from './likely-renames.ts';
import { markPruned } from './prune.ts';
import { createItemSender, type ItemSender } from './send-item.ts';
import { fileAndName, hintAtMissingIds, hintAtPull, isSentWithoutId, pushReport } from './sent-rows.ts';
import { type Faults, refuseBroken } from './syntax-check.ts';

export interface SendOptions {
  concurrency: number | 'auto';
  force: boolean;
  /** Paths were given on the command line. */
  isNamed: boolean;
  dryRun: boolean;
  fork: boolean;
  prune: boolean;
  yes: boolean;
  ifVersion: string | undefined;
  /** The files with a syntax error. They are looked for while the connection is made. */
  faults: Promise<Faults>;
}

export async function sendAll(
  context: Context,
  { workspace, items: planned }: Selection,
  { concurrency, force, isNamed, dryRun, fork, prune, yes, ifVersion, faults: finding }: SendOptions,
): Promise<OutcomesResult> {
  const { say } = context;
  const tracked = planned.flatMap(({ val }) => val ?? []);
  const serviceWarning = workspace && otherServiceWarning(workspace.service, tracked);
  if (serviceWarning !== undefined) say({ kind: 'warning', text: serviceWarning });
  const api = await context.connect({ concurrency });
  const createRemotes = () => createRemoteVals({ ...context, api }, planned.length);
  const remotes = createRemotes();
  const mustAsk = !yes && !dryRun;
  const items =
    workspace && prune ? await markPruned(context, planned, { workspace, remotes, mustAsk }) : planned;

  if (workspace) await noteLikelyRenames(context, workspace, items, remotes);
  // With --if-version, the user knows the version that is overwritten.
  const answers = { yes: yes || ifVersion !== undefined, force, fork, dryRun, remotes };
  const { mayOverwrite, declined } = await askAboutDiffering(context, workspace, items, answers);
  const hasUntracked = items.some(({ val }) => val === undefined);
  const seenBefore = hasUntracked ? (await context.seen.recall()).mine : [];
  const given = { force, isNamed, mayOverwrite, ifVersion, fork, dryRun, remotes, seenBefore };
  const createSender = (options: typeof given): ItemSender => {
    const sender = createItemSender(context, { api, workspace, ...options });
    const send: ItemSender['send'] = async (item, remark) =>
      declined.has(item) ? { status: 'skipped' } : sender.send(item, remark);
    return { ...sender, send };
  };
  const sender = createSender(given);
  const faults = await finding;
  if (faults.size > 0) {
    const trial = createSender({ ...given, dryRun: true });
    const refused = await refuseBroken(context, items, faults, trial.send);
    if (refused !== undefined) return refused;
  }
  const sent = withDeclined(await sendItems(context, items, sender.send, concurrency), declined.size);
  const importWarning = relativeImportWarning(sender.relativeImports);
  if (importWarning !== undefined) say({ kind: 'warning', text: importWarning });
  if (dryRun) notePossibleTakeovers(context, sender.possibleTakeovers);

  // The list of vals must be read again, because `remotes` may keep an older list, which lacks the new vals.
  const { rows, error } =
    workspace && !dryRun ? await saveInWorkspace(context, workspace, items, sent, createRemotes()) : sent;
  hintAtMissingIds(say, rows, tracked.length > 0);
  hintAtPull(say, rows);
  return { kind: 'outcomes', rows, error };
}

function withDeclined(outcomes: OutcomesResult, count: number): OutcomesResult {
  // The rows show the declined vals as `skipped`. If another val failed, its error is reported instead.
  if (count === 0 || outcomes.error !== undefined) return outcomes;
  const message = `${count === 1 ? '1 val was' : `${count} vals were`} not overwritten.`;
  const hint = [
    { text: 'To see the differences', command: 'diff' },
    { text: 'To write the code of the service into the files', command: 'pull', input: { force: true } },
  ];
  const isPartial = changedSomething(outcomes.rows);
  return {
    ...outcomes,
    error: isPartial ? new PartialError(message, { hint }) : new UsageError(message, { hint }),
  };
}

function sendItems(
  context: Context,
  items: readonly PushItem[],
  send: ItemSender['send'],
  concurrency: number | 'auto',
): Promise<OutcomesResult> {
  const { say, signal } = context;
  const annotate = createAnnotations(context);
  const showProgress = (finished: number) =>
    say({ kind: 'progress', text: `Pushing ${finished} of ${items.length} vals` });
  showProgress(0);
  return runBatch<PushItem>(items, {
    describe: fileAndName,
    work: send,
    concurrency,
    signal,
    onFinished: showProgress,
    onFailure: ({ file }, error) => annotate(file, error),
    report: { ...pushReport(say), verbFor: ({ isPruned }) => (isPruned ? 'deleted' : undefined) },
  });
}

async function saveInWorkspace(
  context: Context,
  workspace: Workspace,
  items: readonly PushItem[],
  sent: OutcomesResult,
  remotes: RemoteVals,
): Promise<Pick<OutcomesResult, 'rows' | 'error'>> {
  // withMissingIds must run before saveManifest, so that vals.json gets the ids.
  const rows = await withMissingIds(workspace, items, sent.rows, remotes);
  const saveError = await workspace.saveManifest();
  const isGone = (status: unknown) => status === 'deleted' || status === 'unchanged';
  const gone = items.filter(({ isPruned }, index) => isPruned && isGone(rows[index]?.status));
  const files = gone.flatMap(({ val }) => val?.file ?? []);
  const forgetError = await forgetPruned(workspace, context, files);
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
