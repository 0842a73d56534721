// Pushes one saved file while `vals push --watch` runs.
import type { Api } from '../../api/api.ts';
import type { Context } from '../../cli/context.ts';
import { type Remark, summarizeRemarks } from '../../cli/failures.ts';
import {
  concernsAll,
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
import type { Answered } from '../../workspace/watch/save-queue.ts';
import { pathTo, valOfFile, type Workspace } from '../../workspace/workspace.ts';
import { outcomeColumn, versionColumn } from '../shared/columns.ts';
import { likelyMoveText, noteMove } from '../shared/notes.ts';
import { refuseBrokenCode } from '../shared/syntax.ts';
import type { Answer } from './ask.ts';
import type { Followed } from './follow-moves.ts';
import type { OptionsFor } from './plan-items.ts';
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
  api: Api;
  /** The files that existed before the watch began share one list of vals. */
  initialRemotes(): RemoteVals;
  optionsForInitial(followed: Followed): OptionsFor;
  /** The first push of each of these files carries out the step that was planned and asked about. */
  begin(answer: Answer, followed: Followed): void;
  /** The file was saved after its step was planned, so it is planned anew. */
  forgetStep(file: string): void;
  push(file: string, isRetry: boolean): Promise<Answered>;
}

export function createSavePusher(context: Context, options: PusherOptions): SavePusher {
  const { workspace, api, force, yes, isNamed, noCheck } = options;
  const { signal, say } = context;
  const report = createReporter(context);
  const findMovesInTurn = createMoveFinder(workspace);
  const createRemotes = () => createRemoteVals({ ...context, api }, 1);
  let initialRemotes = createRemotes();
  let initial = new Map<string, { step: Step | undefined; options: PlanOptions }>();

  const planOptions = (likelyMoves: readonly LikelyMove[]): PlanOptions => ({
    ...{ force, isNamed, isSave: true, mayOverwrite: yes, fork: false, prune: false },
    ...{ ifVersion: undefined, likelyMoves },
  });
  const initialOptions =
    ({ isConfirmed, likely }: Followed): OptionsFor =>
    (_workspace, { file }) => ({
      ...planOptions(likely.get(workspace) ?? []),
      mayOverwrite: yes || isConfirmed(workspace, file),
      isSave: false,
    });

  const remark = (remark: Remark, hints?: Hints) => {
    for (const warning of summarizeRemarks([{ remark, hints: hintList(hints) }]))
      say({ kind: 'warning', text: warning });
  };

  async function pushStep(step: Step, given: PlanOptions, remotes: () => RemoteVals): Promise<Outcome> {
    return carryOut(
      {
        ...{ workspace, api, options: given, dryRun: false, freshRemotes: remotes, remark },
        checkCode: async () => {},
        onCode: (path, code) => refuseBrokenCode(path, checkNotEmpty(path, code), !noCheck),
        beforeSending: () => signal.throwIfAborted(),
        onRename() {},
        onMove: (val) => noteMove(context, workspace, val),
      },
      step,
    );
  }

  async function pushSaved(file: string): Promise<Outcome | undefined> {
    const planned = initial.get(file);
    if (planned?.step !== undefined) {
      initial.set(file, { ...planned, step: undefined });
      const outcome = await pushStep(planned.step, planned.options, () => initialRemotes);
      initial.delete(file);
      return { name: planned.step.val.name, ...outcome };
    }
    const saved = await findVal(file);
    if (saved === undefined) return undefined;
    const { val, likely } = saved;
    const texts = readLocalTexts(workspace, val);
    if (texts.code !== undefined) checkNotEmpty(pathTo(workspace, val.file), texts.code);
    const remotes = planned === undefined ? createRemotes() : initialRemotes;
    const given = planned?.options ?? planOptions(likely);
    const step = await planVal(workspace, remotes, { val, local: localSideOf(texts) }, given);
    const similar = planned === undefined ? likely.filter(({ to }) => to === file) : [];
    for (const move of similar)
      say({ kind: 'warning', text: likelyMoveText(workspace, move, step, { dryRun: false }) });
    const outcome = await pushStep(step, given, createRemotes);
    initial.delete(file);
    return { name: val.name, ...outcome };
  }

  /** Undefined if the file is neither there nor in vals.json. */
  async function findVal(file: string) {
    const isThere = existsBelow(workspace.root, file);
    const listed = valOfFile(workspace, file);
    if (listed !== undefined && isThere) return { val: listed, likely: [] };
    if (listed === undefined && !isThere) return undefined;
    const moves = await findMovesInTurn(async () => createRemotes());
    const { moved, likely } = moves;
    const current = valOfFile(workspace, file);
    if (current !== undefined && isThere) return { val: current, likely: [] };
    // The push of the new file follows the move, or has done so meanwhile.
    if (moved.has(file) || (current === undefined && !isThere)) return undefined;
    const from = [...moved].find(([, to]) => to === file)?.[0];
    const val: SelectedVal | undefined =
      from === undefined
        ? (current ?? valOf({ workspace, file }))
        : applyMoves(workspace, [{ file, name: '', id: undefined }], moves)[0];
    if (val?.problem !== undefined) throw val.problem;
    return val && { val, likely };
  }

  async function push(file: string, isRetry: boolean): Promise<Answered> {
    const path = pathTo(workspace, file);
    const isInitial = initial.has(file);
    try {
      if (signal.aborted || isLeftOut(options, file)) return 'not asked';
      const outcome = await pushSaved(file);
      if (outcome === undefined) return 'not asked';
      await report({ file: path, ...outcome }, undefined, isRetry);
      return outcome.status === 'skipped' ? 'not asked' : 'answered';
    } catch (error) {
      const failure = failureOf(error);
      // The next attempt must read the list of vals again, because `initialRemotes` keeps the failed or outdated list.
      if (failure === 'unreachable' && isInitial) initialRemotes = createRemotes();
      if (typeof failure === 'string') return failure;
      initial.delete(file);
      const name = valOfFile(workspace, file)?.name;
      const row = { file: path, ...(name !== undefined && { name }), status: 'failed' as const };
      await report({ ...row, error: failure }, messageWithHint(failure), isRetry);
      const isFromService = !(failure instanceof LocalError) && !(failure instanceof UsageError);
      return isFromService ? 'answered' : 'not asked';
    }
  }

  return {
    api,
    initialRemotes: () => initialRemotes,
    optionsForInitial: initialOptions,
    begin(answer, followed) {
      const optionsFor = initialOptions(followed);
      initial = new Map(
        answer.items.flatMap((item) => {
          const { val, step, isSkipped } = item;
          if (val === undefined || answer.declined.has(item)) return [];
          const isKnown = step !== undefined && !isSkipped && !(step.refusal instanceof UnavailableError);
          return [[val.file, { step: isKnown ? step : undefined, options: optionsFor(workspace, val) }]];
        }),
      );
    },
    forgetStep: (file) => initial.delete(file),
    push,
  };
}

/** Runs before each push, because the user may have edited .valsignore, or cloned a repository into the folder. */
function isLeftOut({ workspace, ignoreFiles }: PusherOptions, file: string): boolean {
  const { root } = workspace;
  if (!isTakenFromFolder(file) && valOfFile(workspace, file) === undefined) return true;
  return createNestedProjectCheck(root)(file) || createIgnoreCheck(root, ignoreFiles)(file);
}

/** One at a time, because files that are moved together are found by one search. */
function createMoveFinder(workspace: Workspace) {
  const oneAtATime = createSlots(1);
  return (openRemotes: () => Promise<RemoteVals>) => oneAtATime.run(() => findMoves(workspace, openRemotes));
}

/** Throws the errors that end the watch. */
function failureOf(error: unknown): ValsError | Answered {
  const endsWatch = !(error instanceof ValsError) || concernsAll(error);
  if (endsWatch) throw error;
  if (error instanceof InterruptedError) return 'not asked';
  const isOutage = [UnavailableError, UnknownOutcomeError, PartialError].some(
    (kind) => error instanceof kind,
  );
  return isOutage ? 'unreachable' : error;
}

function createReporter(context: Context) {
  const { flags, say } = context;
  const columns = [timeColumn(context), outcomeColumn, column('name'), versionColumn];
  return async (outcome: OutcomeRow, warning: Hints | undefined, isRetry: boolean) => {
    if (warning !== undefined && !flags.ndjson) say({ kind: 'warning', text: warning });
    if (isNews(outcome, isRetry)) await context.event(outcome, columns);
  };
}

const timeColumn = ({ clock, forPerson }: Context): Column => ({
  ...column('time'),
  compute() {
    const now = new Date(clock.now());
    return forPerson ? now.toTimeString().slice(0, 8) : now.toISOString();
  },
});

function isNews({ status }: OutcomeRow, isRetry: boolean): boolean {
  // An attempt before the retry may have sent the code. Then `unchanged` tells the user that the code has arrived.
  if (status === 'unchanged') return isRetry;
  // Of a moved file, a note on stderr tells.
  return status !== 'behind' && status !== 'skipped' && status !== 'moved';
}
