// Sends the vals of a push, several at a time, and says what the user should know about the outcomes.
import { extname } from 'node:path';
import type { Api } from '../../api/api.ts';
import { textAt, versionOf } from '../../api/records.ts';
import * as routes from '../../api/routes.ts';
import { runBatch } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Outcome } from '../../lib/outcome.ts';
import { shell } from '../../lib/shell-command.ts';
import type { SeenVal } from '../../names/seen-file.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import { learnId } from '../../workspace/learn-ids.ts';
import { forgetPruned, pruneVal } from '../../workspace/prune-val.ts';
import { pushVal } from '../../workspace/push-val.ts';
import { createRemoteVals, identity, type RemoteVals } from '../../workspace/remote-vals.ts';
import { relativeImports, relativeImportWarning } from '../../workspace/sources/warnings.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { pushedElsewhere, type Workspace } from '../../workspace/workspace.ts';
import { noteTakeovers, withNameProposed } from '../shared/messages.ts';
import { annotateFailure } from './github.ts';
import { identify, type PushItem, type PushPlan, reportTo } from './plan.ts';
import { chooseForPruning, confirmPruning } from './prune.ts';

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
  const tracked = items.flatMap(({ val }) => val ?? []);
  const elsewhere = workspace && pushedElsewhere(workspace.service, tracked);
  if (elsewhere) say.warn(elsewhere);
  const api = await context.connect({ concurrency });
  const newRemotes = () => createRemoteVals({ ...context, api }, items.length);
  const remotes = newRemotes();
  const pruned = new Set(prune && workspace ? chooseForPruning(workspace, tracked) : []);
  if (workspace && !yes && !dryRun) await confirmPruning(context, workspace, remotes, [...pruned]);

  const filesOfUnknownNames: string[] = [];
  const imports: { file: string; specifier: string }[] = [];
  const seenBefore = workspace ? undefined : await context.seen.recall();
  const sending = {
    force,
    fork,
    dryRun,
    remotes,
    beforeSending: () => signal.throwIfAborted(),
    onRenaming({ file, name }: WorkspaceVal, nameThere: string) {
      if (!dryRun || context.flags.json || context.flags.ndjson) return;
      say.note(`A push would rename the val "${nameThere}" of ${file} to "${name}".`);
    },
    onUnknownName: ({ file }: WorkspaceVal) => void filesOfUnknownNames.push(file),
  };

  async function send({ file, name, val, read }: PushItem, remark: (message: string) => void) {
    const code = await read();
    if (code !== undefined && api.holdsToken(code)) {
      say.warn(`${file} holds your token. Anybody who can read the val can act as you.`);
    }
    const isTracked = val !== undefined && workspace !== undefined;
    if (isTracked && pruned.has(val)) return pruneVal(workspace, api, val, sending);
    try {
      const outcome = isTracked
        ? await pushVal(workspace, api, val, code, { ...sending, remark })
        : await pushUntracked(api, name, code ?? '', { dryRun, seenBefore: seenBefore?.mine ?? [] });
      const [specifier] = isSent(outcome) || dryRun ? relativeImports(code ?? '') : [];
      if (specifier !== undefined) imports.push({ file, specifier });
      return outcome;
    } catch (error) {
      throw withNameProposed(error, name, (valid) =>
        isTracked
          ? `Rename the file to ${valid}${extname(file)}.`
          : `Give it a valid name: ${shell`vals push ${file} --name ${valid}`}.`,
      );
    }
  }

  const onFinished = (finished: number) => progress.show(`Pushing ${finished} of ${items.length}`);
  onFinished(0);
  const sent = await runBatch<PushItem>(items, {
    describe: identify,
    work: send,
    concurrency,
    signal,
    onFinished,
    onFailure: ({ file }, error) => annotateFailure(context, file, error),
    report: reportTo(say),
  });
  const warning = relativeImportWarning(imports);
  if (warning !== undefined) say.warn(warning);
  const rows = workspace ? await withLearntIds(workspace, items, sent.rows, newRemotes()) : sent.rows;
  const manifestError = dryRun ? undefined : await workspace?.saveManifest();
  const deleted = rows.flatMap(({ status, file }) => (status === 'deleted' ? `${file}` : []));
  const forgetError = workspace && (await forgetPruned(workspace, context, deleted));
  if (dryRun) noteTakeovers(context, filesOfUnknownNames);
  hintAt(context, rows, tracked.length > 0);
  return { kind: 'outcomes', rows, error: sent.error ?? manifestError ?? forgetError };
}

const isSent = ({ status }: JsonObject | Outcome): boolean => status === 'created' || status === 'pushed';

interface UntrackedPush {
  dryRun: boolean;
  /** The caller's vals as this machine remembered them before the push. */
  seenBefore: readonly SeenVal[];
}

/** Pushes a file that is in no workspace. */
async function pushUntracked(
  api: Api,
  name: string,
  code: string,
  { dryRun, seenBefore }: UntrackedPush,
): Promise<Outcome> {
  if (dryRun) return { status: 'planned' };
  const { status, body = null } = await api.send(routes.putVal(name, code));
  const id = textAt(body, 'id');
  const version = textAt(body, 'version');
  const facts = identity(id, versionOf(body));
  if (status === 201) return { status: 'created', ...facts };
  // The service makes no new version if the code is the same.
  const isUnchanged =
    version !== undefined && seenBefore.some((val) => val.id === id && val.version === version);
  return { status: isUnchanged ? 'unchanged' : 'pushed', ...facts };
}

/** Adds the ids that the service did not send, but has in its list. */
async function withLearntIds(
  workspace: Workspace,
  items: readonly PushItem[],
  rows: readonly JsonObject[],
  remotes: RemoteVals,
): Promise<readonly JsonObject[]> {
  const learnt = rows.map(async (row, index) => {
    const val = items[index]?.val;
    return val && lacksId(row) ? { ...row, ...(await learnId(workspace, remotes, val)) } : row;
  });
  return Promise.all(learnt);
}

const lacksId = (row: JsonObject): boolean => isSent(row) && row.id === undefined;

function hintAt({ say }: Context, rows: readonly JsonObject[], hasTracked: boolean): void {
  const count = rows.filter(lacksId).length;
  if (count > 0) {
    const which = count === rows.length ? 'the pushed vals' : `${count} of the vals`;
    const next = hasTracked ? 'then run `vals pull <id>`' : 'before you use `vals val`';
    say.hint(`The service sent no id for ${which}. Find the id on the service, ${next}.`);
  }
  const behind = rows.filter(({ status }) => status === 'behind').length;
  if (behind > 0) {
    const which = behind === 1 ? '1 val' : `${behind} vals`;
    say.hint(`${which} changed on the service. Run \`vals pull\` to get the changes.`);
  }
}
