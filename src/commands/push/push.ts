import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { integer, path, text, type ValueType } from '../../cli/value-types.ts';
import { InvalidValue, UsageError } from '../../errors.ts';
import { column, idColumn } from '../../terminal/column.ts';
import { fileColumn, outcomeColumn, versionColumn } from '../shared/columns.ts';
import { dryRun, ifVersion, yes } from '../shared/options.ts';
import { noCheck } from '../shared/syntax.ts';
import type { PushItem } from './item.ts';
import { pushFiles } from './push-files.ts';
import { selectFiles } from './select-files.ts';

const requestCount: ValueType<number | 'auto'> = {
  ...integer({ min: 1 }),
  words: ['auto'],
  parse(word) {
    if (word === 'auto') return word;
    if (/^0*[1-9]\d*$/.test(word)) return Number(word);
    throw new InvalidValue(`takes auto or a whole number of at least 1, not "${word}".`, 'For example auto.');
  },
};

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
    'asks before it overwrites the val. It also asks if the file has code that the service had before, as after a ' +
    'checkout of an older branch. --yes answers yes, which is right in CI: the repository is right. --force also ' +
    'overwrites vals in conflict. A val that changed only on the service stays as it is, unless its file or folder is ' +
    'named: `vals push . --force`. --prune deletes the vals on the service whose files are gone from the workspace. The ' +
    'command lists them and asks first. A val is not deleted (exit code 5) if it changed on the service since this ' +
    'folder last saw it, has another name or owner, or if a new file, or a file in another workspace of the repository, has ' +
    'similar code and may be its renamed file. ' +
    '--concurrency auto, the default, sends up to 32 requests in ' +
    'parallel, and fewer if the service becomes slow.',
  descriptionForAgents:
    'Create or update vals from files and folders (hello.ts becomes the val hello), or from code with a name. In a ' +
    `workspace, a push without a path sends all new and changed files. ${foldersAndConflicts} A val that differs, and ` +
    'of which vals has no record, or whose file has code that the service had before, is a conflict too. Without ' +
    'force or ifVersion, only a person can overwrite it. With force, files in conflict overwrite the ' +
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
      value: requestCount,
      rare: true,
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
    pull: {
      description: 'with --watch: also write what changes on the service into unchanged files',
      forPeople: true,
    },
    ifVersion: { ...ifVersion, conflicts: ['watch', 'fork', 'prune'] },
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
  jobSummary: true,
  async run(context, input) {
    const { paths, name, watch, ifVersion, concurrency = 'auto', noCheck = false, pull = false } = input;
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
    if (pull && !watch) {
      throw new UsageError('--pull works only with --watch.', {
        hint: [
          { text: 'To write what changed on the service into the files', command: 'pull' },
          { text: 'To watch both sides', command: 'push', input: { watch: true, pull: true } },
        ],
      });
    }
    if (watch) {
      const { watchWorkspace } = await import('./watch.ts');
      return watchWorkspace(context, { paths, concurrency, force, yes, noCheck, pull });
    }
    const items = await selectFiles(context, { paths, name });
    const isNamed = paths.length > 0;
    const mayBeOffline = dryRun && isNamed && ifVersion === undefined;
    return pushFiles(context, items, {
      ...{ force, fork, prune, yes, dryRun, noCheck, ifVersion, concurrency, isNamed },
      isOffline: mayBeOffline && !canCompare(context, items),
    });
  },
});

/** The token is read only if there is something to compare. */
function canCompare({ settings }: Context, items: readonly PushItem[]): boolean {
  if (items.every(({ workspace }) => workspace === undefined)) return false;
  return settings.local.value || settings.token !== undefined;
}
