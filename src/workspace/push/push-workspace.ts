// A push in a workspace: read, compare, plan, check, ask, carry out.

import type { Context } from '../../core/command-line/command.ts';
import { ConflictError } from '../../core/errors.ts';
import { runBatch, type Task } from '../../core/failures/batch.ts';
import type { Api } from '../../core/http/api.ts';
import { withoutUndefined } from '../../core/lib/json.ts';
import type { OutcomeRow, Rows, Say } from '../../core/output/out.ts';
import { privacyOfNew, publicity } from '../../core/push/privacy.ts';
import { pushWording, refuseFiles } from '../../core/push/refuse-files.ts';
import { noteRelativeImports } from '../../core/push/relative-imports.ts';
import { conflictReason } from '../conflicts.ts';
import { removeIds, writeIds } from '../ids.ts';
import { listService, refuseOtherService } from '../services.ts';
import { type Session, withSession } from '../session.ts';
import { pathTo, type Workspace } from '../workspace.ts';
import { askAbout } from './ask.ts';
import { carryOut, type PushResult } from './carry-out.ts';
import {
  describeResent,
  noteBehind,
  noteDeletedFiles,
  noteNewNames,
  noteOtherNames,
  notePublic,
  noteRaces,
  noteResent,
  noteUnpruned,
} from './notes.ts';
import { brokenFiles, planPush, readChosen } from './plan-push.ts';
import { type PlanOptions, type Step, sendsCode } from './steps.ts';

export interface PushOptions extends PlanOptions {
  yes: boolean;
  dryRun: boolean;
  noCheck: boolean;
  concurrency: number | 'auto';
}

export interface Chosen {
  workspace: Workspace;
  /** Relative to the root of the workspace. Undefined means all its files. */
  files: readonly string[] | undefined;
}

export async function pushWorkspace(
  context: Context,
  { workspace, files }: Chosen,
  options: PushOptions,
): Promise<Rows> {
  refuseOtherService(workspace);
  const api = await context.api({ concurrency: options.concurrency });
  const result = await pushFiles(context, api, { workspace, files }, { ...options, isSave: false });
  const hidesUnchanged = context.out.forPerson && files === undefined;
  const isWorthShowing = ({ status }: OutcomeRow) => status !== 'unchanged' && status !== 'skipped';
  return hidesUnchanged ? { ...result, rows: result.rows.filter(isWorthShowing) } : result;
}

export interface PushFilesOptions extends PushOptions {
  /** The rest of saved files is sent if one of them cannot be sent. Otherwise nothing is. */
  isSave: boolean;
}

export function pushFiles(
  context: Context,
  api: Api,
  { workspace, files }: Chosen,
  options: PushFilesOptions,
): Promise<Rows> {
  const about = { named: files, isRepeated: options.isSave };
  return withSession(context, { workspace, api, ...about }, (session) =>
    push(context, session, files, options),
  );
}

async function push(
  context: Context,
  session: Session,
  chosen: readonly string[] | undefined,
  options: PushFilesOptions,
): Promise<Rows> {
  const { workspace } = session;
  const { dryRun, isSave, prune } = options;
  const { locals, all, failed: unreadable } = readChosen(context, session, chosen);
  if (!isSave && unreadable.length > 0) return refuseFiles(context, all, unreadable);
  const plan = await planPush(context, session, locals, { ...options, isWhole: chosen === undefined });
  const broken = options.noCheck ? [] : await brokenFiles(context, workspace, plan.steps);
  if (!isSave && broken.length > 0) return refuseFiles(context, all, broken);
  const isFirst = !session.lastSyncs.hasPushed();
  await askAbout(context, plan.steps, { workspace, isFirst, yes: options.yes, dryRun });
  const isBroken = new Set(broken.map(({ file }) => file));
  const steps = plan.steps.filter((step) => !isBroken.has(pathTo(workspace, step.file)));
  if (!dryRun) listService(workspace);
  // The last sync of a push has the commit. After Ctrl-C, git is not asked any more.
  if (steps.some(sendsCode)) await session.repository?.head();
  const { result, results } = await carryOutAll(context, session, steps, options);
  if (!dryRun && (result.error === undefined || [...results.values()].some(isChange)))
    session.lastSyncs.notePush();
  const failure = dryRun
    ? result.error
    : await writeIds(context, session, idsIn(session, results), result.error);
  const error = removeIds(context, session, deletedIds(results), failure);
  const behind = steps.flatMap((step) => (step.kind === 'behind' ? step : []));
  noteBehind(context, session, behind, { isNamed: chosen !== undefined });
  noteResent(context, session, [...results.keys()]);
  if (!dryRun) noteOtherNames(context, session, [...results.keys()]);
  const races = [...results].flatMap(([{ name }, { isRace }]) => (isRace ? name : []));
  noteRaces(context, races);
  if (prune) noteUnpruned(context, workspace, plan.deletedFiles);
  else noteDeletedFiles(context, plan.deletedFiles);
  const newVals = [...results].flatMap(([step, { status }]) =>
    step.kind === 'create' && (status === 'created' || status === 'planned') ? step : [],
  );
  noteNewNames(context, session, newVals, plan.deletedFiles);
  const sent = [...results.keys()].filter(sendsCode);
  if (!isSave)
    noteRelativeImports(
      context,
      sent.map(({ file, local }) => ({ file: pathTo(workspace, file), code: local.code.text })),
    );
  const failedRows = [...unreadable, ...broken].map(({ file, name, error }) => ({
    file,
    name,
    status: 'failed',
    error,
  }));
  return { ...result, error, rows: [...result.rows, ...failedRows] };
}

/** By their names, of the vals that were made or overwritten, and of the others if vals.json has ids: a merge may have lost some. */
const idsIn = ({ manifestIds }: Session, results: ReadonlyMap<Step, PushResult>): [string, string][] =>
  [...results].flatMap(([step, { id, code, status }]): [string, string][] => {
    const isLearnt = code !== undefined || (status === 'unchanged' && manifestIds.size > 0);
    return id === undefined || !isLearnt ? [] : [[step.name, id]];
  });

const deletedIds = (results: ReadonlyMap<Step, PushResult>): Set<string> =>
  new Set([...results.values()].flatMap(({ id, status }) => (status === 'deleted' ? (id ?? []) : [])));

const isChange = ({ status }: PushResult): boolean =>
  status === 'created' || status === 'pushed' || status === 'sent' || status === 'deleted';

async function carryOutAll(
  context: Context,
  session: Session,
  steps: readonly Step[],
  { dryRun, force, isSave, concurrency }: PushFilesOptions,
): Promise<{ result: Rows; results: ReadonlyMap<Step, PushResult> }> {
  const { workspace } = session;
  const { signal } = context.host;
  const results = new Map<Step, PushResult>();
  // After a failure that concerns all vals, nothing is sent.
  const failure = steps.find((step) => step.kind === 'refuse' && step.error.scope === 'all');
  const privacy = privacyOfNew(context, workspace.manifest.privacy);
  const carryOutOptions = { session, privacy, dryRun, force, signal };
  const tasks = steps.map((step): Task => {
    const { file, name } = step;
    const path = pathTo(workspace, file);
    return {
      row: { file: path, name },
      label: path,
      verb: step.kind === 'delete' ? 'deleted' : undefined,
      isIdle: step.kind === 'leave' || step.kind === 'behind',
      async run() {
        if (failure !== undefined && step !== failure) return undefined;
        const each = await carryOut(carryOutOptions, step);
        results.set(step, each);
        const { status, id, version, versionBefore } = each;
        const plan = status === 'planned' ? step.kind : undefined;
        const note = context.out.forPerson ? noteOf(step, each) : undefined;
        return { status, ...withoutUndefined({ plan, id, version, versionBefore, note }) };
      },
    };
  });
  const progress = dryRun ? 'Planning' : 'Pushing';
  // Each row of a save is shown with its message.
  const say: Say = (event) => {
    if (!isSave || event.kind !== 'warning') context.out.say(event);
  };
  const wording = { ...pushWording(context), say };
  const outcomes = await runBatch(tasks, { ...wording, concurrency, signal, progress });
  const wanted = publicity(privacy, 0);
  const isTooOpen = ([, each]: [Step, PushResult]) =>
    each.status === 'created' && publicity(each.privacy, 0) > wanted;
  notePublic(
    context,
    [...results].filter(isTooOpen).map(([step]) => step.name),
  );
  const rows = outcomes.rows.map((row, index) => withReason(row, steps[index]));
  return { result: { ...outcomes, rows }, results };
}

/** For a person. */
function noteOf(step: Step, { isRace }: PushResult): string | undefined {
  if (isRace) return 'another version came between';
  return step.kind === 'send' && step.resent ? describeResent(step.resent) : undefined;
}

/** Also what is known of a val that was not written. */
function withReason(row: OutcomeRow, step: Step | undefined): OutcomeRow {
  const { file, name, status, error, ...more } = row;
  if (!(error instanceof Error) || step === undefined) return row;
  const { remote } = step;
  const reason = error instanceof ConflictError ? conflictReason(error) : undefined;
  const facts = withoutUndefined({ reason, id: remote?.id, version: remote?.version });
  return { file, name, status, ...facts, ...more, error };
}
