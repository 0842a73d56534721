import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { integer, path, text } from '../../cli/value-types.ts';
import { UsageError } from '../../errors.ts';
import { column, idColumn } from '../../terminal/column.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import { followMoves } from '../../workspace/moved.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { fileColumn, outcomeColumn, versionColumn } from '../shared/columns.ts';
import { dryRun, ifVersion, yes } from '../shared/options.ts';
import { noCheck } from '../shared/syntax.ts';
import type { Selection } from './item.ts';
import { readAndCheck } from './read-and-check.ts';
import { selectFiles } from './select-files.ts';
import { type SendOptions, sendAll } from './send.ts';
import { fileAndName } from './sent-rows.ts';
import { createSyntaxCheck, refuseBroken, withoutCheck } from './syntax-check.ts';

const requestCount = integer({ min: 1 });

const parseConcurrency = (word: string): number | 'auto' =>
  word === 'auto' ? word : requestCount.parse(word);

const foldersAndConflicts =
  'A folder stands for its .ts .tsx .mts .js .jsx .mjs files, without tests (*.test.*, *.spec.*), settings of tools (*.config.*) and what .gitignore or .valsignore lists. ' +
  'In a workspace, a val that changed in its file and on the service is in conflict, and is not sent.';

export const command = defineCommand({
  summary: 'Create or update vals from files and folders',
  description:
    'Create or update vals from files. The file send-mail.ts becomes the val send_mail. In a workspace, `vals push` without a ' +
    'path sends all new and changed files.',
  details:
    `${foldersAndConflicts} If vals has no record of a val, as in a fresh checkout, and the code differs, the command ` +
    'asks before it overwrites the val. --yes answers yes, which is right in CI: the repository is right. --force also ' +
    'overwrites vals in conflict. A val that changed only on the service stays as it is, unless its file or folder is ' +
    'named: `vals push . --force`. --prune deletes the vals on the service whose files are gone from the workspace. The ' +
    'command lists them and asks first. A val is not deleted (exit code 5) if it changed on the service since this ' +
    'folder last saw it, or has another name or owner. --concurrency auto, the default, sends up to 32 requests in ' +
    'parallel, and fewer if the service becomes slow.',
  descriptionForAgents:
    'Create or update vals from files and folders (hello.ts becomes the val hello), or from code with a name. In a ' +
    `workspace, a push without a path sends all new and changed files. ${foldersAndConflicts} A val that differs, and ` +
    'of which vals has no record, is a conflict too, unless yes is given. With force, files in conflict overwrite the ' +
    'code on the service; a val that changed only on the service stays as it is, unless its path is given. ' +
    'Each val with new code gets a new version, and the older versions stay.',
  arguments: {
    paths: {
      description: 'files or folders to push, or - for standard input',
      value: path('paths'),
      optional: true,
      repeatable: true,
      canBeCode: true,
      descriptionForAgents: 'files and folders to push; without paths, all changed files of the workspace',
    },
  },
  options: {
    name: {
      description: 'the name of the val, for one new file',
      value: text('name'),
      conflicts: ['watch'],
    },
    concurrency: {
      description: 'the number of parallel requests (default: auto)',
      value: { ...requestCount, parse: parseConcurrency, words: ['auto'] },
      forPeople: true,
    },
    force: { description: 'in a workspace: overwrite the code of vals in conflict' },
    fork: { description: "in a workspace: make your own copy of another owner's val", conflicts: ['watch'] },
    prune: {
      description: 'in a workspace: delete the vals whose files are gone',
      conflicts: ['watch', 'name'],
      deletes: true,
    },
    yes: { ...yes, description: 'in a workspace: overwrite and delete without a question' },
    watch: {
      description: 'in a workspace: push each file when it is saved',
      conflicts: ['dryRun'],
      forPeople: true,
    },
    ifVersion: { ...ifVersion, conflicts: ['watch', 'fork', 'prune'] },
    noCheck,
    dryRun,
  },
  examples: ['vals push hello.ts', 'cat hello.ts | vals push - --name hello'],
  columns: [outcomeColumn, column('name'), versionColumn, idColumn('id'), fileColumn],
  empty: 'Nothing to push.',
  jobSummary: true,
  async run(context, input) {
    const { paths, name, watch, noCheck, ifVersion, concurrency = 'auto' } = input;
    const { force = false, fork = false, prune = false, yes = false, dryRun = false } = input;
    if (paths.includes('')) {
      throw new UsageError('A path on the command line is empty.', {
        hint: 'A variable of the shell may be unset. Give a file or a folder, such as . for the current folder.',
      });
    }
    if (prune && paths.length > 0) {
      throw new UsageError('--prune works on the whole workspace, so no path can be given.', {
        hint: ['Push the paths first.', { text: 'To prune then', command: 'push', input: { prune: true } }],
      });
    }
    if (watch) {
      const { watchWorkspace } = await import('./watch-workspace.ts');
      return watchWorkspace(context, { paths, concurrency, force, yes, check: !noCheck });
    }
    const { settings } = context;
    const canConnect = () => settings.local.value || settings.token !== undefined;
    const prepare = async (workspace: Workspace) => {
      if (!dryRun || canConnect()) await followMoves(workspace, context);
    };
    const selections = await selectFiles(context, { paths, name, prepare });
    const count = selections.reduce((sum, { items }) => sum + items.length, 0);
    if (ifVersion !== undefined && count !== 1) throw notOneFile(count);
    const given = { concurrency, force, fork, prune, yes, dryRun, ifVersion, isNamed: paths.length > 0 };
    const sent: OutcomesResult[] = [];
    for (const selection of selections) {
      const isOffline =
        dryRun && paths.length > 0 && ifVersion === undefined && !(selection.workspace && canConnect());
      sent.push(await pushSelection(context, selection, { ...given, check: !noCheck, isOffline }));
    }
    const [outcomes = { kind: 'outcomes', rows: [] }, ...others] = sent;
    const all: OutcomesResult = {
      ...outcomes,
      rows: sent.flatMap(({ rows }) => rows),
      error: outcomes.error ?? others.find(({ error }) => error !== undefined)?.error,
    };
    return context.forPerson && paths.length === 0 ? withoutUnchanged(all) : all;
  },
});

async function pushSelection(
  context: Context,
  { workspace, items: planned }: Selection,
  {
    check,
    isOffline,
    ...given
  }: Omit<SendOptions, 'faults'> & { check: boolean | undefined; isOffline: boolean },
): Promise<OutcomesResult> {
  const { force, isNamed } = given;
  const checkOptions = { cwd: context.settings.cwd, workspace, checksUnchanged: force && isNamed };
  const syntax = !check ? withoutCheck : createSyntaxCheck(checkOptions);
  const { items, failure } = await readAndCheck(context, planned, syntax);
  const faults = syntax.finish();
  // `sendAll` throws the error, if the files are sent.
  faults.catch(() => {});
  if (failure !== undefined) return failure;
  if (isOffline) {
    const refused = await refuseBroken(context, items, await faults, async () => ({ status: 'planned' }));
    if (refused !== undefined) return refused;
    return { kind: 'outcomes', rows: items.map((item) => ({ ...fileAndName(item), status: 'planned' })) };
  }
  return sendAll(context, { workspace, items }, { ...given, faults });
}

const notOneFile = (count: number): UsageError =>
  new UsageError(`--if-version works with one file, but there are ${count}.`, {
    hint: { text: 'To push one file', command: 'push', input: { paths: true, ifVersion: true } },
  });

const withoutUnchanged = (outcomes: OutcomesResult): OutcomesResult => ({
  ...outcomes,
  rows: outcomes.rows.filter(({ status }) => status !== 'unchanged' && status !== 'skipped'),
});
