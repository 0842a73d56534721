// A push: follow moved files, read, plan, ask, check the syntax, carry out.
import type { Api } from '../../api/api.ts';
import type { Context } from '../../cli/context.ts';
import { UsageError } from '../../errors.ts';
import { once } from '../../lib/once.ts';
import type { OutcomesResult, Result } from '../../terminal/result.ts';
import { findMovesElsewhere, type MoveElsewhere } from '../../workspace/other-workspaces.ts';
import { type PlanOptions, sendsCode } from '../../workspace/plan.ts';
import { createRemoteVals, type RemoteVals } from '../../workspace/remote-vals.ts';
import { otherServiceWarning, type Workspace } from '../../workspace/workspace.ts';
import { createWorkspaces } from '../../workspace/workspaces.ts';
import { type Asking, askOnce, decideAsking } from './ask.ts';
import { carryOutAll } from './carry-out-all.ts';
import { type Followed, followMoves, refuseFoundFiles, warnOfLikelyMoves } from './follow-moves.ts';
import { type PushItem, workspacesOf } from './item.ts';
import { type PlannedItem, planItems } from './plan-items.ts';
import { type ReadItem, readFiles } from './read-files.ts';
import { fileAndName } from './sent-rows.ts';
import { createSyntaxCheck, type Faults, refuseBroken, withoutCheck } from './syntax-check.ts';

export interface PushFilesOptions extends Pick<PlanOptions, 'force' | 'fork' | 'prune' | 'ifVersion'> {
  concurrency: number | 'auto';
  yes: boolean;
  dryRun: boolean;
  noCheck: boolean;
  /** Paths were given on the command line. */
  isNamed: boolean;
  /** No request is sent, because nothing can be compared. */
  isOffline: boolean;
}

export async function pushFiles(
  context: Context,
  selected: readonly PushItem[],
  options: PushFilesOptions,
): Promise<Result> {
  const { force, isNamed, concurrency, noCheck } = options;
  const connect = once(() => context.connect({ concurrency }));
  const openRemotes = once(async () =>
    createRemoteVals({ ...context, api: await connect() }, selected.length),
  );
  const asking = decideAsking(context, options);
  const followable = options.isOffline ? withoutWorkspaces(selected) : selected;
  const followed = await followMoves(context, followable, { openRemotes, asking });
  if (options.ifVersion !== undefined) refuseSeveral(followed.items);
  const syntax = noCheck ? withoutCheck : createSyntaxCheck(context.settings.cwd);
  const { items, failure } = await readFiles(context, followed.items, {
    syntax,
    mayResend: force && isNamed,
  });
  const checking = syntax.finish();
  // The error is thrown where the faults are used.
  checking.catch(() => {});
  if (failure !== undefined) return failure;
  if (options.isOffline) return planOffline(context, items, await checking);
  warnOfOtherServices(context, items);

  const remotes = await openRemotes();
  return pushItems(context, items, { ...options, api: await connect(), remotes, followed, asking, checking });
}

interface PushItemsOptions extends PushFilesOptions {
  api: Api;
  remotes: RemoteVals;
  followed: Followed;
  asking: Asking;
  checking: Promise<Faults>;
}

async function pushItems(
  context: Context,
  items: readonly ReadItem[],
  options: PushItemsOptions,
): Promise<Result> {
  const { yes, isNamed, prune, api, remotes, followed, asking } = options;
  const elsewhere = prune ? await findElsewhere(context, items, remotes) : [];
  const optionsFor = (workspace: Workspace, { file }: { file: string }): PlanOptions => ({
    ...options,
    mayOverwrite: yes || followed.isConfirmed(workspace, file),
    isSave: false,
    likelyMoves: followed.likely.get(workspace) ?? [],
    // The question names the files in other workspaces.
    movesElsewhere: asking.deletions === 'asked' ? [] : elsewhere,
  });
  const planned = await planItems(context, items, remotes, optionsFor);
  warnOfLikelyMoves(context, planned, followed, asking);
  const answer = await askOnce(context, planned, { asking, elsewhere, api });
  const refused = refuseBroken(
    context,
    answer.items,
    await options.checking,
    (item) => isSent(item) && !answer.declined.has(item),
  );
  if (refused !== undefined) return refused;
  const createRemotes = () => createRemoteVals({ ...context, api }, 1);
  const current = { ...answer, items: await refuseFoundFiles(answer.items, createRemotes) };
  const outcomes = await carryOutAll(context, current, { ...options, createRemotes });
  return context.forPerson && !isNamed ? withoutUnchanged(outcomes) : outcomes;
}

async function findElsewhere(
  context: Context,
  items: readonly ReadItem[],
  remotes: RemoteVals,
): Promise<MoveElsewhere[]> {
  const gone = items.filter(({ local }) => local !== undefined && local.here === undefined);
  const [workspace] = gone.flatMap((item) => item.workspace ?? []);
  if (workspace === undefined) return [];
  const vals = gone.flatMap(({ val }) => val ?? []);
  return findMovesElsewhere(workspace, createWorkspaces(context), remotes, vals);
}

/** Without a service, there are no records, and nothing can be compared. */
const withoutWorkspaces = (items: readonly PushItem[]): PushItem[] =>
  items.map(({ val: _val, ...item }) => ({ ...item, workspace: undefined }));

const isSent = ({ step, isSkipped = false }: PlannedItem): boolean =>
  !isSkipped && (step === undefined || sendsCode(step));

function planOffline(context: Context, items: readonly ReadItem[], faults: Faults): Result {
  const refused = refuseBroken(context, items, faults, () => true);
  if (refused !== undefined) return refused;
  return { kind: 'list', rows: items.map((item) => ({ ...fileAndName(item), status: 'planned' })) };
}

function warnOfOtherServices({ say }: Context, items: readonly PushItem[]): void {
  for (const workspace of workspacesOf(items)) {
    const vals = items.flatMap((item) => (item.workspace === workspace ? (item.val ?? []) : []));
    const warning = otherServiceWarning(workspace.service, vals);
    if (warning !== undefined) say({ kind: 'warning', text: warning });
  }
}

function refuseSeveral(items: readonly PushItem[]): void {
  if (items.length === 1) return;
  throw new UsageError(`--if-version works with one file, but there are ${items.length}.`, {
    hint: { text: 'To push one file', command: 'push', input: { paths: true, ifVersion: true } },
  });
}

const withoutUnchanged = (outcomes: OutcomesResult): OutcomesResult => ({
  ...outcomes,
  rows: outcomes.rows.filter(({ status }) => status !== 'unchanged' && status !== 'skipped'),
});
