import { extname } from 'node:path';
import type { Api } from '../../api/api.ts';
import { runBatch } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { type AddRemark, addTo, type Remarked, summarizeRemarks } from '../../cli/failures.ts';
import { LocalError, PartialError, UsageError, ValsError } from '../../errors.ts';
import { changedSomething, type Outcome, type OutcomeRow } from '../../lib/outcome.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import { carryOut } from '../../workspace/carry-out.ts';
import { updateManifest, type WorkspaceContext } from '../../workspace/disk/manifest-file.ts';
import type { RemoteVals } from '../../workspace/remote-vals.ts';
import { firstRelativeImport, relativeImportWarning } from '../../workspace/sources/warnings.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';
import { learnId } from '../../workspace/write-val.ts';
import { hintAbout } from '../shared/hint-about.ts';
import { notePossibleTakeovers } from '../shared/possible-takeovers.ts';
import { withNameProposed } from '../shared/propose-name.ts';
import { refuseBrokenCode } from '../shared/syntax.ts';
import type { Answer } from './ask.ts';
import { createAnnotations } from './github.ts';
import { workspacesOf } from './item.ts';
import { noteMove } from './move-notes.ts';
import type { PlannedItem } from './plan-items.ts';
import { fileAndName, hintAtMissingIds, hintAtPull, isSentWithoutId, pushWording } from './sent-rows.ts';
import { upsert } from './upsert.ts';

export interface CarryOutOptions {
  api: Api;
  concurrency: number | 'auto';
  dryRun: boolean;
  prune: boolean;
  noCheck: boolean;
  ifVersion: number | undefined;
  /** Paths were given. Otherwise, entries of vals.json that have neither a file nor a val are taken out. */
  isNamed: boolean;
  createRemotes(): RemoteVals;
}

export async function carryOutAll(
  context: Context,
  answer: Answer,
  options: CarryOutOptions,
): Promise<OutcomesResult> {
  const { say } = context;
  const { items, declined } = answer;
  const { dryRun, isNamed, createRemotes } = options;
  const sender = await createSender(context, answer, options);
  const sent = withDeclined(await sendItems(context, answer, sender.send, options), [...declined], {
    isNamed,
  });
  const importWarning = relativeImportWarning(sender.relativeImports);
  if (importWarning !== undefined) say({ kind: 'warning', text: importWarning });
  if (dryRun) notePossibleTakeovers(context, possibleTakeovers(items));

  // The list of vals must be read again, because the remotes of the plan may keep an older list, which lacks new vals.
  const { rows, error } = dryRun
    ? sent
    : await saveWorkspaces(context, items, sent, { isNamed, remotes: createRemotes() });
  const described =
    dryRun && context.forPerson ? rows.map((row, index) => withPlan(row, items[index])) : rows;
  const shown = described.filter((row, index) => !isHidden(items[index], row));
  hintAtMissingIds(say, shown, { hasTrackedVals: items.some(({ val }) => val !== undefined) });
  hintAtPull(say, shown, { isNamed });
  return { kind: 'outcomes', rows: shown, error };
}

/** A val that is neither here nor on the service is not shown, unless an interrupted prune deleted it. */
const isHidden = (item: PlannedItem | undefined, row: OutcomeRow | undefined): boolean =>
  item?.step?.why === 'gone' && row?.status !== 'deleted';

/** In JSON, everything that a push would do is `planned`. A person sees what it would be. */
function withPlan(row: OutcomeRow, item: PlannedItem | undefined): OutcomeRow {
  const kind = item?.step?.kind;
  return row.status === 'planned' ? { ...row, plan: kind === 'send' ? 'update' : kind } : row;
}

const possibleTakeovers = (items: readonly PlannedItem[]): string[] =>
  items.filter(({ step }) => step?.kind === 'create' && step.found.isNameUnknown).map(({ file }) => file);

interface Sender {
  send(item: PlannedItem, remark: AddRemark): Promise<Outcome>;
  relativeImports: readonly { file: string; specifier: string }[];
}

async function createSender(
  context: Context,
  { items, declined }: Answer,
  { api, dryRun, noCheck, ifVersion, createRemotes }: CarryOutOptions,
): Promise<Sender> {
  const { signal, seen } = context;
  const hasUntracked = items.some(({ val }) => val === undefined);
  const seenBefore = hasUntracked ? (await seen.recall()).mine : [];
  const relativeImports: { file: string; specifier: string }[] = [];
  const onCode = (file: string, code: string) => {
    const specifier = firstRelativeImport(code);
    if (specifier !== undefined) relativeImports.push({ file, specifier });
  };

  async function sendTracked(workspace: Workspace, item: PlannedItem, remark: AddRemark): Promise<Outcome> {
    const { step, options } = item;
    if (step === undefined || options === undefined) return { status: 'skipped' };
    return carryOut(
      {
        workspace,
        api,
        options,
        dryRun,
        freshRemotes: createRemotes,
        // The syntax of the codes in the plan was checked before.
        checkCode: async (path, code, { isAsPlanned }) => {
          if (!isAsPlanned) await refuseBrokenCode(path, code, { noCheck });
        },
        onCode,
        beforeSending: () => signal.throwIfAborted(),
        onMove: (val) => noteMove(context, workspace, val, { dryRun }),
        onRename: (val, nameThere) => noteRename(context, workspace, val, { nameThere, dryRun }),
        remark,
      },
      step,
    );
  }

  async function send(item: PlannedItem, remark: AddRemark): Promise<Outcome> {
    const { workspace, val, name } = item;
    if (declined.has(item) || item.isSkipped) return { status: 'skipped' };
    try {
      if (workspace !== undefined && val !== undefined) return await sendTracked(workspace, item, remark);
      const code = (await item.read()) ?? '';
      const remotes = createRemotes();
      const outcome = await upsert(api, name, code, { dryRun, ifVersion, remotes, seenBefore });
      onCode(item.file, code);
      return outcome;
    } catch (error) {
      throw withNameProposed(error, name, (valid) => validNameHint(item, valid));
    }
  }

  return { send, relativeImports };
}

function noteRename(
  { flags, say }: Context,
  workspace: Workspace,
  { file, name }: WorkspaceVal,
  { nameThere, dryRun }: { nameThere: string; dryRun: boolean },
): void {
  if (flags.json || flags.ndjson) return;
  const verb = dryRun ? 'A push would rename' : 'Renaming';
  say({ kind: 'note', text: `${verb} the val "${nameThere}" of ${pathTo(workspace, file)} to "${name}".` });
}

function validNameHint({ workspace, val, file, name }: PlannedItem, valid: string) {
  if (workspace === undefined || val === undefined) {
    return { text: 'To use a valid name', command: 'push', input: { paths: [file], name: valid } };
  }
  return workspace.vals.ofFile(val.file) === undefined
    ? `Rename the file to ${valid}${extname(file)}.`
    : `In vals.json, change the name "${name}" to "${valid}".`;
}

const notOverwritten = (count: number, thing: string): string =>
  `${count} ${thing}${count === 1 ? ' was' : 's were'} not overwritten.`;

function withDeclined(
  outcomes: OutcomesResult,
  declined: readonly PlannedItem[],
  { isNamed }: { isNamed: boolean },
): OutcomesResult {
  const count = declined.length;
  // If another val failed, its error mentions the declined vals.
  if (count === 0 || outcomes.error !== undefined) return outcomes;
  const message = notOverwritten(count, 'val');
  const files = declined.map(({ file }) => file);
  const hint = [
    { text: 'To see the differences', command: 'diff' },
    { text: 'To write the code of the service into the files', command: 'pull', input: { force: true } },
  ].map((each) => (isNamed ? hintAbout(files, each) : each));
  const isPartial = changedSomething(outcomes.rows);
  return {
    ...outcomes,
    error: isPartial ? new PartialError(message, { hint }) : new UsageError(message, { hint }),
  };
}

async function sendItems(
  context: Context,
  { items, declined }: Answer,
  send: Sender['send'],
  { concurrency, prune }: Pick<CarryOutOptions, 'concurrency' | 'prune'>,
): Promise<OutcomesResult> {
  const { say, signal } = context;
  const remarks: Remarked[] = [];
  const tasks = items.map((item) => ({
    row: fileAndName(item),
    label: item.file,
    verb: isDeletion(item.step, prune) ? 'deleted' : undefined,
    run: () => send(item, addTo(remarks)),
  }));
  const result = await runBatch(tasks, {
    concurrency,
    signal,
    progress: 'Pushing',
    ...pushWording(say),
    consequence: declined.size === 0 ? undefined : notOverwritten(declined.size, 'other val'),
  });
  const annotate = createAnnotations(context);
  for (const { file, error } of result.rows) if (error instanceof ValsError) annotate(`${file}`, error);
  for (const sentence of summarizeRemarks(remarks)) say({ kind: 'warning', text: sentence });
  return result;
}

/** Of a missing file, only --prune plans anything else than to leave the val. */
const isDeletion = (step: PlannedItem['step'], prune: boolean): boolean =>
  prune && step !== undefined && step.found.here === undefined && step.kind !== 'leave';

interface SaveOptions extends Pick<CarryOutOptions, 'isNamed'> {
  remotes: RemoteVals;
}

async function saveWorkspaces(
  context: Context,
  items: readonly PlannedItem[],
  sent: OutcomesResult,
  { remotes, isNamed }: SaveOptions,
): Promise<Pick<OutcomesResult, 'rows' | 'error'>> {
  // The ids must be learnt before vals.json is saved.
  const rows = await withMissingIds(items, sent.rows, remotes);
  let { error } = sent;
  for (const workspace of workspacesOf(items)) {
    const unsaved = await workspace.saveManifest();
    const gone = items.filter((item, index) => {
      if (item.workspace !== workspace) return false;
      return rows[index]?.status === 'deleted' || (!isNamed && item.step?.why === 'gone');
    });
    const vals = gone.flatMap(({ val }) => val ?? []);
    const notTakenOut = await takeOut(workspace, context, vals);
    error ??= unsaved ?? notTakenOut;
  }
  return { rows, error };
}

async function withMissingIds(
  items: readonly PlannedItem[],
  rows: readonly OutcomeRow[],
  remotes: RemoteVals,
): Promise<readonly OutcomeRow[]> {
  const learnt = rows.map(async (row, index) => {
    const { val, workspace } = items[index] ?? {};
    if (val === undefined || workspace === undefined || !isSentWithoutId(row)) return row;
    return { ...row, ...(await learnId(workspace, remotes, val)) };
  });
  return Promise.all(learnt);
}

/** Takes the vals out of vals.json that are neither here nor on the service. An id on another service stays. */
async function takeOut(
  { root, service, records }: Workspace,
  context: WorkspaceContext,
  vals: readonly WorkspaceVal[],
): Promise<LocalError | undefined> {
  if (vals.length === 0) return undefined;
  try {
    await updateManifest(root, context, (manifest) => {
      for (const { file } of vals) {
        const entry = manifest.vals.get(file);
        entry?.ids.delete(service);
        if (entry?.ids.size === 0) manifest.vals.delete(file);
      }
    });
    for (const { file } of vals) records.remove(file);
    return undefined;
  } catch (error) {
    if (error instanceof LocalError) return error;
    throw error;
  }
}
