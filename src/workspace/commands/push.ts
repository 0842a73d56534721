// `vals push`: in a workspace by its rules, elsewhere as core does it.
import { defineCommand } from '../../core/command-line/command.ts';
import {
  concurrencyDetails,
  command as corePush,
  folderDetails,
  pushOptions,
} from '../../core/commands/push.ts';
import { yes } from '../../core/commands/shared/options.ts';
import { UsageError } from '../../core/errors.ts';
import { sh } from '../../core/lib/hint.ts';
import { column } from '../../core/output/column.ts';
import { annotateFailures } from '../../core/push/github.ts';
import { pushWorkspace } from '../push/push-workspace.ts';
import { selectFiles } from '../push/select-files.ts';

const rule =
  'In a workspace, the versions of the val and the history of the file in git tell which side is newer. A newer file is sent. ' +
  'If the service is newer, nothing is sent. If both went on, that is a conflict, unless the file has what changed on the service.';

const { name, ...otherOptions } = pushOptions;

export const command = defineCommand({
  ...corePush,
  description:
    'Create or update vals from files. The file send-mail.ts becomes the val send_mail. In a workspace, `vals push` without a ' +
    'path sends all new and changed files. Outside a workspace, a push replaces the code of the val; older versions are kept.',
  details:
    `${folderDetails} ${rule} A conflict is refused. The ` +
    'first push from a folder to a service shows the vals that it would change, and asks. --prune also deletes the vals ' +
    'whose files were deleted: it lists them and asks. A val whose code git does not have is never deleted. ' +
    concurrencyDetails,
  options: {
    name,
    force: { description: 'in a workspace: send every file that differs, whatever the service has' },
    prune: {
      description: 'in a workspace: delete the vals whose files are gone',
      conflicts: ['watch', 'name'],
      deletes: true,
    },
    yes: { ...yes, description: 'in a workspace: do not ask before the first push or before deletions' },
    watch: {
      description: 'in a workspace: push each file when it is saved',
      conflicts: ['dryRun', 'name'],
      forPeople: true,
    },
    ...otherOptions,
  },
  columns: [...corePush.columns, { ...column('note'), only: 'terminal', droppable: 6 }],
  async run(context, input) {
    const { paths, name, watch, concurrency = 'auto', noCheck = false } = input;
    const { force = false, prune = false, yes = false, dryRun = false } = input;
    if (prune && paths.length > 0) {
      throw new UsageError('--prune works on the whole workspace, so no path can be given.', {
        hint: ['Push the paths first.', sh`To prune then, run ${['push', '--prune']}.`],
      });
    }
    if (watch) {
      const { watchWorkspace } = await import('../push/watch.ts');
      return watchWorkspace(context, { paths, concurrency, force, yes, noCheck });
    }
    const selection = await selectFiles(context, { paths, name });
    if (selection.kind === 'files')
      return corePush.run(context, { paths, name, concurrency, noCheck, dryRun });
    if (name !== undefined) throw nameInWorkspace(selection.files ?? [], name);
    const options = { force, yes, prune, dryRun, noCheck, concurrency };
    const result = await pushWorkspace(context, selection, options);
    annotateFailures(context, result.rows);
    return result;
  },
});

const nameInWorkspace = ([file = '']: readonly string[], name: string): UsageError =>
  new UsageError(`In a workspace, a val has the name of its file, so --name cannot be given for ${file}.`, {
    hint: `Rename the file, or write "${file}": "${name}" into "names" of vals.json.`,
  });
