import { extname, isAbsolute, relative, resolve } from 'node:path';
import type { Api } from '../../api/api.ts';
import { textAt, versionOf } from '../../api/records.ts';
import * as routes from '../../api/routes.ts';
import { runBatch } from '../../cli/batch.ts';
import { argument, defineCommand, parsed, toggle, word } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { UsageError, type ValsError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Outcome } from '../../lib/outcome.ts';
import { shell } from '../../lib/shell-command.ts';
import type { SeenVal } from '../../names/seen-file.ts';
import { column, idColumn } from '../../terminal/column.ts';
import { findRoot } from '../../workspace/disk/root.ts';
import { learnId } from '../../workspace/learn-ids.ts';
import { forgetPruned, pruneVal } from '../../workspace/prune-val.ts';
import { pushVal } from '../../workspace/push-val.ts';
import { createRemoteVals, identity, type RemoteVals } from '../../workspace/remote-vals.ts';
import { relativeImports, relativeImportWarning } from '../../workspace/sources/warnings.ts';
import { pushedElsewhere, type Workspace } from '../../workspace/workspace.ts';
import { fileColumn, outcomeColumn, versionColumn } from '../shared/columns.ts';
import { sayWhatMayBeTakenOver } from '../shared/done.ts';
import { dryRun, wholeNumber, yes } from '../shared/options.ts';
import { withNameProposed } from '../shared/propose-name.ts';
import { checkAll, describe, label, type PushItem, planPush, pushed } from './plan.ts';
import { chooseForPruning, confirmPruning } from './prune.ts';

const foldersAndConflicts =
  'A folder stands for its .ts .tsx .mts .js .jsx .mjs files, except those that .gitignore or .valsignore lists. In a ' +
  'workspace, a val that changed here and on the service is a conflict, and nothing is sent for it.';

export const command = defineCommand({
  summary: 'Create or update vals from files and folders',
  description:
    'Create or update vals from files. The file hello.ts becomes the val hello. In a workspace, `vals push` without a ' +
    'path sends all new and changed files.',
  details:
    `${foldersAndConflicts} --force overwrites the code on the service. ` +
    '--prune deletes the vals on the service whose files are gone from the workspace. It lists the vals and asks first. ' +
    'A val is not deleted (exit code 5) if its code, name or owner changed on the service, or if the workspace has no ' +
    'base of it, as in a fresh checkout in CI. --concurrency auto, the default, sends up to 32 requests in parallel, and ' +
    'fewer if the service becomes slow.',
  toolDescription:
    'Create or update vals from files and folders (hello.ts becomes the val hello), or from code with a name. In a ' +
    `workspace, a push without a path sends all new and changed files. ${foldersAndConflicts} force overwrites the code ` +
    'on the service. Each push makes a new version, and the older versions stay.',
  arguments: {
    paths: {
      ...argument('[paths...]', 'files, folders, or - for standard input'),
      orCode: 'files and folders; without them, all changed files of the workspace',
    },
  },
  options: {
    name: word('--name <name>', 'the name of the val, if one file is pushed', { conflicts: ['watch'] }),
    concurrency: parsed(
      '--concurrency <n>',
      'requests in parallel, or auto, which adapts to the service',
      (text): number | 'auto' => (text === 'auto' ? text : wholeNumber('--concurrency', 1)(text)),
      { words: ['auto'], forPeople: true },
    ),
    force: toggle('--force', 'in a workspace: overwrite newer code on the service'),
    fork: toggle('--fork', "in a workspace: make your own copy of another owner's val", {
      conflicts: ['watch'],
    }),
    prune: toggle('--prune', 'in a workspace: delete the vals whose files are gone', {
      conflicts: ['watch', 'name'],
      deletes: true,
    }),
    yes: { ...yes, description: 'with --prune: do not ask' },
    watch: toggle('--watch', 'in a workspace: push each file when it is saved', {
      conflicts: ['dryRun'],
      forPeople: true,
    }),
    dryRun,
  },
  examples: ['vals push hello.ts', 'cat hello.ts | vals push - --name hello'],
  columns: [outcomeColumn, column('name'), versionColumn, idColumn('id'), fileColumn],
  empty: 'Nothing to push.',
  jobSummary: true,
  async run(
    context,
    { paths, name, concurrency = 'auto', dryRun = false, force = false, fork = false, watch, prune, yes },
  ) {
    if (prune && paths.length > 0) {
      throw new UsageError('--prune works on the whole workspace, so it takes no path.', {
        hint: 'Push the paths first, then run `vals push --prune`.',
      });
    }
    if (watch) {
      const { watchWorkspace } = await import('./watch.ts');
      await watchWorkspace(context, { paths, concurrency, force });
      return { kind: 'nothing' };
    }
    const canCompare = name === undefined && isInWorkspaceWithService(context);
    const namesOnly = dryRun && paths.length > 0 && !canCompare;
    const { workspace, items } = await planPush(context, { paths, name, namesOnly });
    const onFailure = ({ file }: PushItem, error: ValsError) => annotateFailure(context, file, error);
    const vals = await checkAll(context, items, onFailure);
    if ('kind' in vals) return vals;
    if (namesOnly) {
      return { kind: 'list', rows: vals.map((val) => ({ ...describe(val), status: 'planned' })) };
    }

    const known = vals.flatMap(({ val }) => val ?? []);
    const elsewhere = workspace && pushedElsewhere(workspace.service, known);
    if (elsewhere) context.say.warn(elsewhere);
    const api = await context.connect({ concurrency });
    const newRemotes = () => createRemoteVals({ ...context, api }, vals.length);
    const remotes = newRemotes();
    const pruned = new Set(prune && workspace ? chooseForPruning(workspace, known) : []);
    if (workspace && !yes && !dryRun) await confirmPruning(context, workspace, remotes, [...pruned]);
    const unknownNames: string[] = [];
    const besideFiles: { file: string; specifier: string }[] = [];
    const sending = {
      force,
      fork,
      dryRun,
      remotes,
      beforeSending: () => context.signal.throwIfAborted(),
      onRenaming: ({ file, name }: { file: string; name: string }, nameThere: string) => {
        if (dryRun && !context.flags.json && !context.flags.ndjson)
          context.say.note(`A push would rename the val "${nameThere}" of ${file} to "${name}".`);
      },
      onUnknownName: ({ file }: { file: string }) => void unknownNames.push(file),
    };
    const onFinished = (finished: number) => context.progress.show(`Pushing ${finished} of ${vals.length}`);
    onFinished(0);
    const knownBefore = workspace ? undefined : await context.seen.recall();
    const { rows: sentRows, error: failure } = await runBatch<PushItem>(vals, {
      describe,
      concurrency,
      signal: context.signal,
      onFinished,
      onFailure,
      report: { label, say: context.say, ...pushed },
      async work({ file, name, val, read }, remark) {
        const code = await read();
        if (code !== undefined && api.holdsToken(code)) {
          context.say.warn(`${file} holds your token. Anybody who can read the val can act as you.`);
        }
        const isTracked = val !== undefined && workspace !== undefined;
        if (isTracked && pruned.has(val)) return pruneVal(workspace, api, val, sending);
        const sent = isTracked
          ? pushVal(workspace, api, val, code, { ...sending, remark })
          : pushPlain(api, { name, code: code ?? '', dryRun, before: knownBefore?.mine });
        const noteImports = (outcome: Outcome) => {
          const [specifier] = isSent(outcome) || dryRun ? relativeImports(code ?? '') : [];
          if (specifier !== undefined) besideFiles.push({ file, specifier });
          return outcome;
        };
        return sent.then(noteImports, (error) => {
          throw withNameProposed(error, name, (valid) =>
            isTracked
              ? `Rename the file to ${valid}${extname(file)}.`
              : `Give it a valid name: ${shell`vals push ${file} --name ${valid}`}.`,
          );
        });
      },
    });
    const warning = relativeImportWarning(besideFiles);
    if (warning !== undefined) context.say.warn(warning);
    const rows = workspace ? await withLearntIds(workspace, vals, sentRows, newRemotes()) : sentRows;
    const unsaved = dryRun ? undefined : await workspace?.saveManifest();
    const deleted = rows.flatMap(({ status, file }) => (status === 'deleted' ? `${file}` : []));
    const unforgotten = workspace && (await forgetPruned(workspace, context, deleted));
    const error = failure ?? unsaved ?? unforgotten;
    const unnamed = rows.filter((row) => isSent(row) && row.id === undefined).length;
    if (unnamed > 0) context.say.hint(withoutIds(unnamed, vals));
    if (dryRun) sayWhatMayBeTakenOver(context, unknownNames);
    const behind = rows.filter(({ status }) => status === 'behind').length;
    if (behind > 0)
      context.say.hint(
        `${behind === 1 ? '1 val' : `${behind} vals`} changed on the service. Run \`vals pull\` to get the changes.`,
      );
    // A workspace may have hundreds of vals, so a person sees only those that changed.
    const isNews =
      context.forPerson && paths.length === 0
        ? ({ status }: JsonObject) => status !== 'unchanged' && status !== 'skipped'
        : () => true;
    return { kind: 'outcomes', rows: rows.filter(isNews), error };
  },
});

const isSent = ({ status }: JsonObject | Outcome): boolean => status === 'created' || status === 'pushed';

/** Only `vals push` works without an id: it finds the val by its name. */
function withoutIds(count: number, vals: readonly PushItem[]): string {
  const what = `The service sent no id for ${count === vals.length ? 'the pushed vals' : `${count} of the vals`}.`;
  return vals.some(({ val }) => val !== undefined)
    ? `${what} Look up the id on the service, then run \`vals pull <id>\`.`
    : `${what} Look up the id on the service before you use \`vals val\`.`;
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
    const hasNoId = isSent(row) && row.id === undefined;
    return val && hasNoId ? { ...row, ...(await learnId(workspace, remotes, val)) } : row;
  });
  return Promise.all(learnt);
}

interface PlainPush {
  name: string;
  code: string;
  dryRun: boolean;
  /** The caller's vals as this machine remembered them before the push. */
  before: readonly SeenVal[] | undefined;
}

async function pushPlain(api: Api, { name, code, dryRun, before = [] }: PlainPush): Promise<Outcome> {
  if (dryRun) return { status: 'planned' };
  const { status, body = null } = await api.send(routes.putVal(name, code));
  const id = textAt(body, 'id');
  const version = textAt(body, 'version');
  // The service makes no new version if the code is the same.
  const isUnchanged = before.some((val) => val.id === id && version !== undefined && val.version === version);
  const sent = isUnchanged ? 'unchanged' : 'pushed';
  return { status: status === 201 ? 'created' : sent, ...identity(id, versionOf(body)) };
}

const isInWorkspaceWithService = ({ settings }: Context): boolean =>
  (settings.local.value || settings.token !== undefined) && findRoot(settings) !== undefined;

function annotateFailure(context: Context, file: string, error: ValsError): void {
  if (context.env.GITHUB_ACTIONS !== 'true') return;
  const escaped = (text: string, also: RegExp) =>
    text.replace(
      also,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
  const place = inCheckout(file, context);
  context.say.annotate(`::error file=${escaped(place, /[%\r\n:,]/g)}::${escaped(error.message, /[%\r\n]/g)}`);
}

/** GitHub expects a path relative to the checkout. The step may run in another folder. */
function inCheckout(file: string, { env, settings }: Context): string {
  const checkout = env.GITHUB_WORKSPACE;
  const place = checkout ? relative(checkout, resolve(settings.cwd, file)) : '';
  return place === '' || place.startsWith('..') || isAbsolute(place) ? file : place;
}
