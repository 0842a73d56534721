// A push in a workspace: read, compare, plan, ask, check the syntax, carry out.
import type { Run } from '../../core/command-line/command.ts';
import { DeclinedError, DeclinedInPart } from '../../core/errors.ts';
import { nameFrom } from '../../core/files/val-names.ts';
import type { Api } from '../../core/http/api.ts';
import { changedSomething, type OutcomeRow } from '../../core/lib/outcome.ts';
import type { Rows } from '../../core/output/result.ts';
import {
  type FailedFile,
  type PushedFile,
  refuseFiles,
  refuseSeveral,
} from '../../core/push/refuse-files.ts';
import { syntaxError } from '../../core/push/syntax.ts';
import { syntaxFaults } from '../../core/push/syntax-check.ts';
import { listService, refuseOtherService } from '../belonging.ts';
import { closeLook, type Look, openLook } from '../look.ts';
import { updateManifest, withName } from '../manifest.ts';
import { isDeed, type PlanOptions, sendsCode } from '../plan.ts';
import { notePossibleTakeovers } from '../possible-takeovers.ts';
import { pathTo, type Workspace } from '../workspace.ts';
import { type Answer, askOnce, type PlannedVal } from './ask.ts';
import { carryOutAll, notDone } from './carry-out-all.ts';
import { refuseNameOfOtherFile, refuseTakenName } from './name-file.ts';
import { noteBehind, noteLosses, noteRenames } from './notes.ts';
import { noteLeft, planAll } from './plan-files.ts';
import { type ChosenFiles, type LocalFile, readFiles } from './read-files.ts';
import type { WorkspaceSelection } from './select-files.ts';

export interface PushOptions extends PlanOptions {
  dryRun: boolean;
  noCheck: boolean;
  concurrency: number | 'auto';
  /** --name: the name of the val of the one file. */
  name?: string | undefined;
}

/** The files of a workspace, or those that the user named. */
export async function pushWorkspace(
  run: Run,
  { workspace, files }: Pick<WorkspaceSelection, 'workspace' | 'files'>,
  options: PushOptions,
): Promise<Rows> {
  refuseOtherService(workspace);
  const api = await run.api({ concurrency: options.concurrency });
  const look = await lookFor(run, api, { workspace, files }, options);
  try {
    const chosen: ChosenFiles = { look, files: files ?? [...look.names.keys()] };
    const isNamed = files !== undefined;
    const outcomes = await push(run, [chosen], { ...options, asks: true, refusesAll: true, isNamed });
    const sorted = { ...outcomes, rows: inOrder(outcomes.rows, workspace, files ?? []) };
    return run.out.forPerson && !isNamed ? withoutUnchanged(sorted) : sorted;
  } finally {
    await closeLook(look);
  }
}

/** The rows in the order of the arguments. */
function inOrder(rows: readonly OutcomeRow[], workspace: Workspace, files: readonly string[]): OutcomeRow[] {
  const ranks = new Map(files.map((file, index) => [pathTo(workspace, file), index]));
  const rankOf = ({ file }: OutcomeRow) => ranks.get(`${file}`) ?? files.length;
  return rows.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** One push of `--watch`. A file that cannot be sent keeps no other from being sent. */
export async function pushLook(
  run: Run,
  api: Api,
  workspace: Workspace,
  options: PushOptions & { asks: boolean; files: ReadonlySet<string> },
): Promise<Rows> {
  const look = await openLook(run, workspace, api);
  try {
    const files = [...look.names.keys()].filter((file) => options.files.has(file));
    return await push(run, [{ look, files }], { ...options, refusesAll: false, isNamed: true });
  } finally {
    await closeLook(look);
  }
}

async function lookFor(
  run: Run,
  api: Api,
  { workspace, files }: Pick<WorkspaceSelection, 'workspace' | 'files'>,
  { name }: PushOptions,
): Promise<Look> {
  const look = await openLook(run, workspace, api, { valCount: files?.length, named: files ?? [] });
  const [file] = files ?? [];
  if (name === undefined || file === undefined || !look.names.has(file)) return look;
  refuseNameOfOtherFile(look, { file, name });
  return { ...look, names: new Map([...look.names, [file, name]]) };
}

interface PipelineOptions extends PushOptions {
  asks: boolean;
  /** Nothing is sent if one file cannot be sent. */
  refusesAll: boolean;
  /** The user named the files. */
  isNamed: boolean;
}

async function push(run: Run, chosen: readonly ChosenFiles[], options: PipelineOptions): Promise<Rows> {
  const { isNamed, dryRun, refusesAll } = options;
  const areFirst = new Map(chosen.map(({ look }) => [look, look.workspace.records.isEmpty()]));
  const { files, all, failed: unreadable } = readFiles(run, chosen, options);
  if (refusesAll && unreadable.length > 0) return refuseFiles(run, all, unreadable);
  if (options.ifVersion !== undefined) refuseSeveral(files.length);
  const [named] = files;
  if (options.name !== undefined && named !== undefined)
    await refuseTakenName(named.look, named.local, nameFrom(named.local.file));

  const looks = chosen.map(({ look }) => look);
  const { planned, left, failed } = await planAll(run, files, looks, options);
  noteLeft(run, left);
  const answer = await askOnce(run, planned, {
    isAnswered: options.yes || options.force || !options.asks,
    mayDelete: options.yes,
    dryRun,
    isFirst: (look) => areFirst.get(look) === true,
  });
  const broken = options.noCheck ? [] : await brokenFiles(run, answer);
  if (refusesAll && broken.length > 0) return refuseFiles(run, answer.planned.map(fileOf), broken);
  if (!dryRun) prepareManifests(answer.planned, named, options);
  const isBroken = new Set(broken.map(({ file }) => file));
  const unbroken = answer.planned.filter((each) => !isBroken.has(fileOf(each).file));
  const outcomes = await carryOutAll(run, { ...answer, planned: unbroken }, { ...options, failed });
  const shown = withDeclined(outcomes, answer.declined.size);
  noteRenames(run, shown.rows);
  noteBehind(run, shown.rows, { isNamed });
  if (dryRun) {
    notePossibleTakeovers(run, takeovers(answer.planned));
    noteLosses(run, answer.planned);
  }
  const unsent = [...unreadable, ...broken].map(({ file, name, error }) => ({
    file,
    name,
    error,
    status: 'failed',
  }));
  return { ...shown, rows: [...shown.rows, ...unsent] };
}

const fileOf = ({ look, step }: PlannedVal): PushedFile => ({
  file: pathTo(look.workspace, step.val.file),
  name: step.val.name,
});

/** Only files that would be sent are checked. */
async function brokenFiles(run: Run, { planned, declined }: Answer): Promise<FailedFile[]> {
  const sent = planned.filter((each) => sendsCode(each.step) && !declined.has(each));
  const sources = sent.map((each) => ({
    ...fileOf(each),
    isOnDisk: true,
    read: async () => each.step.val.here?.text ?? '',
  }));
  const faults = await syntaxFaults(run, sources);
  return sent.map(fileOf).flatMap((file) => {
    const [fault] = faults.get(file.file) ?? [];
    return fault === undefined ? [] : [{ ...file, error: syntaxError(file.file, fault) }];
  });
}

/** Written before anything is sent, so that a crash leaves no val that vals.json does not explain. */
function prepareManifests(
  planned: readonly PlannedVal[],
  named: LocalFile | undefined,
  { name }: PushOptions,
): void {
  const changing = new Set(planned.filter(({ step }) => isDeed(step)).map(({ look }) => look.workspace));
  for (const workspace of changing) listService(workspace);
  if (name === undefined || named === undefined) return;
  const { file } = named.local;
  updateManifest(named.look.workspace.root, withName(file, nameFrom(file) === name ? undefined : name));
}

function withDeclined(outcomes: Rows, count: number): Rows {
  // If another val failed, its error mentions the declined vals.
  if (count === 0 || outcomes.error !== undefined) return outcomes;
  const message = notDone(count, 'val');
  const isPartial = changedSomething(outcomes.rows);
  return { ...outcomes, error: isPartial ? new DeclinedInPart(message) : new DeclinedError(message) };
}

const takeovers = (planned: readonly PlannedVal[]): string[] =>
  planned
    .filter(({ step }) => step.kind === 'create' && step.val.isNameUnknown)
    .map(({ look, step }) => pathTo(look.workspace, step.val.file));

const withoutUnchanged = (outcomes: Rows): Rows => ({
  ...outcomes,
  rows: outcomes.rows.filter(({ status }) => status !== 'unchanged' && status !== 'skipped'),
});
