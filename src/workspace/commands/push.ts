import { defineCommand } from '../../core/command-line/command.ts';
import {
  concurrencyDetails,
  command as corePush,
  folderDetails,
  pathsArgument,
  pushOptions,
} from '../../core/commands/push.ts';
import { yes } from '../../core/commands/shared/options.ts';
import { UsageError } from '../../core/errors.ts';
import { annotateFailures } from '../../core/push/github.ts';
import { pushWorkspace } from '../push/push-workspace.ts';
import { selectFiles } from '../push/select-files.ts';

const rule =
  'In a workspace, a file is sent if the code of its val on the service is in the history of git, or is what this folder ' +
  'last had in common with the service. If the service has newer code, nothing is sent. If both sides have code that the ' +
  'other side never had, that is a conflict.';

const { name, ...otherOptions } = pushOptions;

export const command = defineCommand({
  ...corePush,
  description:
    'Create or update vals from files. The file send-mail.ts becomes the val send_mail. In a workspace, `vals push` without a ' +
    'path sends all new and changed files. Outside of one, a push replaces the code of the val; its versions stay.',
  details:
    `${folderDetails} ${rule} At a terminal, the command lists the vals in conflict and asks once; --yes answers yes. --force ` +
    'sends every file that differs, whatever the service has. --prune also deletes the vals whose files were deleted: it ' +
    'lists them and asks. A val whose code neither git nor this folder had is never deleted. ' +
    concurrencyDetails,
  descriptionForAgents:
    'Create or update vals from files and folders (hello.ts becomes the val hello), or from code with a name. In a ' +
    `workspace, a push without a path sends all new and changed files. ${folderDetails} ${rule} With force, files in ` +
    'conflict overwrite the code on the service. Each val with new code gets a new version, and the older versions stay.',
  arguments: {
    paths: {
      ...pathsArgument,
      descriptionForAgents: 'files and folders to push; without paths, all changed files of the workspace',
    },
  },
  options: {
    name,
    force: { description: 'in a workspace: send every file that differs, whatever the service has' },
    prune: {
      description: 'in a workspace: delete the vals whose files are gone',
      conflicts: ['watch', 'name', 'ifVersion'],
      deletes: true,
    },
    yes: { ...yes, description: 'in a workspace: answer yes to the question' },
    watch: {
      description: 'in a workspace: push each file when it is saved',
      conflicts: ['dryRun', 'name', 'ifVersion'],
      forPeople: true,
    },
    pull: {
      description: 'with --watch: also write what changes on the service into unchanged files',
      forPeople: true,
    },
    ...otherOptions,
  },
  async run(run, input) {
    const { paths, name, watch, ifVersion, concurrency = 'auto', noCheck = false, pull = false } = input;
    const { force = false, prune = false, yes = false, dryRun = false } = input;
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
      const { watchWorkspace } = await import('../push/watch.ts');
      return watchWorkspace(run, { paths, concurrency, force, yes, noCheck, pull });
    }
    const selection = await selectFiles(run, { paths, name });
    if (selection.kind === 'files')
      return corePush.run(run, { paths, name, concurrency, ifVersion, noCheck, dryRun });
    const options = { force, yes, prune, ifVersion, dryRun, noCheck, concurrency, name };
    const result = await pushWorkspace(run, selection, options);
    annotateFailures(run, result.rows);
    return result;
  },
});
