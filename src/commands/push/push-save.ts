// Pushes one saved file while `vals push --watch` runs.
import type { Api } from '../../api/api.ts';
import type { Context } from '../../cli/context.ts';
import { type Remark, summarizeRemarks } from '../../cli/failures.ts';
import {
  endsWatch,
  InterruptedError,
  LocalError,
  messageWithHint,
  PartialError,
  UnavailableError,
  UnknownOutcomeError,
  UsageError,
  ValsError,
} from '../../errors.ts';
import { type Hints, hintList } from '../../lib/hint.ts';
import type { Outcome, OutcomeRow } from '../../lib/outcome.ts';
import { createSlots } from '../../lib/slots.ts';
import { type Column, column } from '../../terminal/column.ts';
import { carryOut } from '../../workspace/carry-out.ts';
import { existsBelow } from '../../workspace/disk/files.ts';
import { localSideOf, readLocalTexts } from '../../workspace/examine.ts';
import { applyMoves, findMoves, type LikelyMove } from '../../workspace/moves.ts';
import { type PlanOptions, planVal, type Step } from '../../workspace/plan.ts';
import { createRemoteVals, type RemoteVals } from '../../workspace/remote-vals.ts';
import type { SelectedVal } from '../../workspace/select.ts';
import { createIgnoreCheck, type IgnoreFiles } from '../../workspace/sources/ignoring.ts';
import { createNestedProjectCheck } from '../../workspace/sources/nested-project.ts';
import { checkNotEmpty } from '../../workspace/sources/read-text.ts';
import { isTakenFromFolder } from '../../workspace/sources/walk.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import type { Answered } from '../../workspace/watch/save-queue.ts';
import { pathTo, valOfFile, type Workspace } from '../../workspace/workspace.ts';
import { outcomeColumn, versionColumn } from '../shared/columns.ts';
import { refuseBrokenCode } from '../shared/syntax.ts';
import { likelyMoveText, noteMove } from './move-notes.ts';
import type { PlannedItem } from './plan-items.ts';
import { valOf } from './select-files.ts';

interface PusherOptions {
  workspace: Workspace;
  api: Api;
  force: boolean;
  yes: boolean;
  isNamed: boolean;
  noCheck: boolean;
  ignoreFiles: IgnoreFiles;
}

export interface SavePusher {
  /**
   * The first push of each of these files carries out the step that was planned and asked about. They share one list of
   * vals.
   */
  begin(items: readonly PlannedItem[], remotes: RemoteVals): void;
  /** The file was saved after its step was planned, so it is planned anew. */
  forgetStep(file: string): void;
  push(file: string, options: { isRetry: boolean }): Promise<Answered>;
}

export const saveOptions = (
  { force, isNamed, yes }: Pick<PusherOptions, 'force' | 'isNamed' | 'yes'>,
  likelyMoves: readonly LikelyMove[],
): PlanOptions => ({
  ...{ force, isNamed, isSave: true, mayOverwrite: yes, fork: false, prune: false },
  ...{ ifVersion: undefined, likelyMoves },
});

/** A step is undefined if the service could not be asked. */
type InitialStep = { step: Step | undefined; options: PlanOptions };

export function createSavePusher(context: Context, options: PusherOptions): SavePusher {
  const { workspace, api } = options;
  const report = createReporter(context);
  const createRemotes = () => createRemoteVals({ ...context, api }, 1);
  const findVal = createValFinder(workspace, createRemotes);
  const carryOutStep = createStepPusher(context, options);
  let initialRemotes = createRemotes();
  let initial = new Map<string, InitialStep>();

  async function pushSaved(file: string): Promise<Outcome | undefined> {
    const planned = initial.get(file);
    if (planned?.step !== undefined) {
      initial.set(file, { ...planned, step: undefined });
      return carryOutStep(planned.step, planned.options, () => initialRemotes);
    }
    const saved = await findVal(file);
    if (saved === undefined) return undefined;
    const { val, likely } = saved;
    const texts = readLocalTexts(workspace, val);
    if (texts.code !== undefined) checkNotEmpty(pathTo(workspace, val.file), texts.code);
    const remotes = planned === undefined ? createRemotes() : initialRemotes;
    const given = planned?.options ?? saveOptions(options, likely);
    const step = await planVal(workspace, remotes, { val, local: localSideOf(texts) }, given);
    if (planned === undefined) warnOfLikelyMoves(context, workspace, likely, step);
    return carryOutStep(step, given, createRemotes);
  }

  async function push(file: string, { isRetry }: { isRetry: boolean }): Promise<Answered> {
    const path = pathTo(workspace, file);
    const isInitial = initial.has(file);
    try {
      if (context.signal.aborted || isLeftOut(options, file)) return 'not asked';
      const outcome = await pushSaved(file);
      if (outcome === undefined) return 'not asked';
      initial.delete(file);
      await report({ file: path, ...outcome }, { isRetry });
      return outcome.status === 'skipped' ? 'not asked' : 'answered';
    } catch (error) {
      const failure = failureOf(error);
      // The next attempt must read the list of vals again, because `initialRemotes` keeps the failed or outdated list.
      if (failure === 'unreachable' && isInitial) initialRemotes = createRemotes();
      if (typeof failure === 'string') return failure;
      initial.delete(file);
      if (!context.flags.ndjson) context.say({ kind: 'warning', text: messageWithHint(failure) });
      const { name } = valOfFile(workspace, file) ?? {};
      await report({ file: path, ...(name && { name }), status: 'failed', error: failure }, { isRetry });
      return answeredWith(failure);
    }
  }

  return {
    begin(items, remotes) {
      initialRemotes = remotes;
      initial = new Map(items.flatMap(initialStep));
    },
    forgetStep: (file) => initial.delete(file),
    push,
  };
}

function warnOfLikelyMoves(
  { say }: Context,
  workspace: Workspace,
  likely: readonly LikelyMove[],
  step: Step,
): void {
  for (const move of likely.filter(({ to }) => to === step.val.file)) {
    say({ kind: 'warning', text: likelyMoveText(workspace, move, step, { dryRun: false }) });
  }
}

function initialStep({ val, step, options, isSkipped }: PlannedItem): [string, InitialStep][] {
  if (val === undefined || options === undefined) return [];
  const isKnown = !isSkipped && !(step?.refusal instanceof UnavailableError);
  return [[val.file, { step: isKnown ? step : undefined, options }]];
}

function createStepPusher(context: Context, { workspace, api, noCheck }: PusherOptions) {
  const remark = (remark: Remark, hints?: Hints) => {
    for (const warning of summarizeRemarks([{ remark, hints: hintList(hints) }]))
      context.say({ kind: 'warning', text: warning });
  };
  return async (step: Step, options: PlanOptions, freshRemotes: () => RemoteVals): Promise<Outcome> => {
    const push = {
      ...{ workspace, api, options, dryRun: false, freshRemotes, remark },
      checkCode: (path: string, code: string) =>
        refuseBrokenCode(path, checkNotEmpty(path, code), { noCheck }),
      onCode() {},
      beforeSending: () => context.signal.throwIfAborted(),
      onRename() {},
      onMove: (val: WorkspaceVal) => noteMove(context, workspace, val),
    };
    return { name: step.val.name, ...(await carryOut(push, step)) };
  };
}

/** Finds the val of a saved file. Undefined if the file is neither there nor in vals.json. */
function createValFinder(workspace: Workspace, createRemotes: () => RemoteVals) {
  // One search at a time finds all files that are moved together.
  const oneAtATime = createSlots(1);
  return async (file: string): Promise<{ val: WorkspaceVal; likely: LikelyMove[] } | undefined> => {
    const isThere = existsBelow(workspace.root, file);
    const listed = valOfFile(workspace, file);
    if (listed !== undefined && isThere) return { val: listed, likely: [] };
    if (listed === undefined && !isThere) return undefined;
    const moves = await oneAtATime.run(() => findMoves(workspace, async () => createRemotes()));
    const { moved, likely } = moves;
    const current = valOfFile(workspace, file);
    if (current !== undefined && isThere) return { val: current, likely: [] };
    // The push of the new file follows the move, or has done so meanwhile.
    if (moved.has(file) || (current === undefined && !isThere)) return undefined;
    const isMoved = [...moved.values()].includes(file);
    const val: SelectedVal | undefined = isMoved
      ? applyMoves(workspace, [{ file, name: '', id: undefined }], moves)[0]
      : (current ?? valOf({ workspace, file }));
    if (val?.problem !== undefined) throw val.problem;
    return val && { val, likely };
  };
}

/** Runs before each push, because the user may have edited .valsignore, or cloned a repository into the folder. */
function isLeftOut({ workspace, ignoreFiles }: PusherOptions, file: string): boolean {
  const { root } = workspace;
  if (!isTakenFromFolder(file) && valOfFile(workspace, file) === undefined) return true;
  return createNestedProjectCheck(root)(file) || createIgnoreCheck(root, ignoreFiles)(file);
}

/** Throws the errors that end the watch. */
function failureOf(error: unknown): ValsError | Answered {
  if (!(error instanceof ValsError) || endsWatch(error)) throw error;
  if (error instanceof InterruptedError) return 'not asked';
  const isOutage = [UnavailableError, UnknownOutcomeError, PartialError].some(
    (kind) => error instanceof kind,
  );
  return isOutage ? 'unreachable' : error;
}

const answeredWith = (failure: ValsError): Answered =>
  failure instanceof LocalError || failure instanceof UsageError ? 'not asked' : 'answered';

function createReporter(context: Context) {
  const columns = [timeColumn(context), outcomeColumn, column('name'), versionColumn];
  return async (outcome: OutcomeRow, { isRetry }: { isRetry: boolean }) => {
    if (isNews(outcome, { isRetry })) await context.event(outcome, columns);
  };
}

const timeColumn = ({ clock, forPerson }: Context): Column => ({
  ...column('time'),
  compute() {
    const now = new Date(clock.now());
    return forPerson ? now.toTimeString().slice(0, 8) : now.toISOString();
  },
});

function isNews({ status }: OutcomeRow, { isRetry }: { isRetry: boolean }): boolean {
  // An attempt before the retry may have sent the code. Then `unchanged` tells the user that the code has arrived.
  if (status === 'unchanged') return isRetry;
  // Of a moved file, a note on stderr tells.
  return status !== 'behind' && status !== 'skipped' && status !== 'moved';
}
