import { pushWorkspaces } from '../../../workspace/push/push-workspace.ts';
import { selectFiles } from '../../../workspace/push/select-files.ts';
import { defineCommand } from '../../command-line/command.ts';
import { integer, path, text, type ValueType } from '../../command-line/value-types.ts';
import { InvalidValue, UsageError } from '../../errors.ts';
import { column, idColumn } from '../../output/column.ts';
import { annotateFailures } from '../../push/github.ts';
import { upsertFiles } from '../../push/upsert.ts';
import { fileColumn, outcomeColumn, versionColumn } from '../shared/columns.ts';
import { dryRun, ifVersion, yes } from '../shared/options.ts';
import { noCheck } from '../shared/syntax.ts';

const requestCount: ValueType<number | 'auto'> = {
  ...integer({ min: 1 }),
  words: ['auto'],
  parse(word) {
    if (word === 'auto') return word;
    if (/^0*[1-9]\d*$/.test(word)) return Number(word);
    throw new InvalidValue(`takes auto or a whole number of at least 1, not "${word}".`, 'For example auto.');
  },
};

const folders =
  'A folder stands for its .ts .tsx .mts .js .jsx .mjs files, without tests (*.test.*, *.spec.*), settings of tools (*.config.*) and what git ignores or .valsignore lists.';

const rule =
  'In a workspace, a file is sent if the code of its val on the service is in the history of git, or is what this folder ' +
  'last had in common with the service. If the service has newer code, nothing is sent. If both sides have code that the ' +
  'other side never had, that is a conflict.';

export const command = defineCommand({
  summary: 'Create or update vals from files and folders',
  description:
    'Create or update vals from files. The file send-mail.ts becomes the val send_mail. In a workspace, `vals push` without a ' +
    'path sends all new and changed files. Outside of one, a push replaces the code of the val; its versions stay.',
  details:
    `${folders} ${rule} At a terminal, the command lists the vals in conflict and asks once; --yes answers yes. --force ` +
    'sends every file that differs, whatever the service has. --prune also deletes the vals whose files were deleted: it ' +
    'lists them and asks. A val whose code neither git nor this folder had is never deleted. ' +
    '--concurrency auto, the default, sends up to 32 requests in parallel, and fewer if the service becomes slow.',
  descriptionForAgents:
    'Create or update vals from files and folders (hello.ts becomes the val hello), or from code with a name. In a ' +
    `workspace, a push without a path sends all new and changed files. ${folders} ${rule} With force, files in conflict ` +
    'overwrite the code on the service. Each val with new code gets a new version, and the older versions stay.',
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
      value: requestCount,
      rare: true,
      forPeople: true,
    },
    force: { description: 'in a workspace: send every file that differs, whatever the service has' },
    prune: {
      description: 'in a workspace: delete the vals whose files are gone',
      conflicts: ['watch', 'name'],
      deletes: true,
    },
    yes: { ...yes, description: 'in a workspace: answer yes to the question' },
    watch: {
      description: 'in a workspace: push each file when it is saved',
      conflicts: ['dryRun'],
      forPeople: true,
    },
    pull: {
      description: 'with --watch: also write what changes on the service into unchanged files',
      forPeople: true,
    },
    ifVersion: { ...ifVersion, conflicts: ['watch', 'prune'] },
    noCheck,
    dryRun,
  },
  examples: ['vals push hello.ts', 'cat hello.ts | vals push - --name hello'],
  columns: [
    outcomeColumn,
    { ...column('plan'), only: 'terminal' },
    column('name'),
    versionColumn,
    idColumn('id'),
    fileColumn,
  ],
  empty: 'Nothing to push.',
  async run(context, input) {
    const { paths, name, watch, ifVersion, concurrency = 'auto', noCheck = false, pull = false } = input;
    const { force = false, prune = false, yes = false, dryRun = false } = input;
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
    if (pull && !watch) {
      throw new UsageError('--pull works only with --watch.', {
        hint: [
          { text: 'To write what changed on the service into the files', command: 'pull' },
          { text: 'To watch both sides', command: 'push', input: { watch: true, pull: true } },
        ],
      });
    }
    if (watch) {
      const { watchWorkspace } = await import('../../../workspace/push/watch.ts');
      return watchWorkspace(context, { paths, concurrency, force, yes, noCheck, pull });
    }
    const selection = await selectFiles(context, { paths, name });
    const options = { force, yes, prune, ifVersion, dryRun, noCheck, concurrency, name };
    const result =
      selection.kind === 'files'
        ? await upsertFiles(context, selection.files, options)
        : await pushWorkspaces(context, selection, options);
    if (result.kind === 'outcomes') annotateFailures(context, result.rows);
    return result;
  },
});
