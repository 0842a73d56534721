// `vals pull`.
import { type Context, defineCommand } from '../../core/command-line/command.ts';
import { createValFinder } from '../../core/command-line/resolve-vals.ts';
import { valsOfWorkspace } from '../../core/commands/shared/options.ts';
import { UsageError } from '../../core/errors.ts';
import { sh } from '../../core/lib/hint.ts';
import type { OutcomeRow } from '../../core/output/out.ts';
import type { FileStatus } from '../file-status.ts';
import { type PullRequest, pullAll, pullColumns, pullVals } from '../pull/pull-vals.ts';
import { type ComparedVals, compareWorkspace } from '../read/compare-workspace.ts';
import { hintAtGit } from '../states.ts';
import { fileAt } from '../workspace.ts';

export const command = defineCommand({
  summary: "Write the service's code into the workspace",
  description:
    "Write the service's code into the files that are behind, or add vals that the workspace does not have yet. A file " +
    'in conflict is overwritten only with --force. --merge merges both codes, and marks the lines where they disagree. A ' +
    'file that is overwritten or merged is backed up first; the output says where.',
  details:
    'If the name of a val cannot be the name of a file ' +
    'here, the val is stored under another file name, which vals.json records. To continue after an interruption, run ' +
    'the command again.',
  arguments: { vals: valsOfWorkspace },
  options: {
    all: { description: 'also add all your other vals on the service' },
    merge: { description: 'merge vals that changed in the file and on the service', conflicts: ['force'] },
    force: { description: 'overwrite files in conflict, and back them up' },
    dryRun: { description: 'write nothing; print what would be done' },
  },
  examples: [
    'vals pull',
    'vals pull --all',
    'vals pull hello.ts --merge',
    'vals pull 4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11',
  ],
  columns: pullColumns,
  empty: [
    'There is nothing to pull.',
    sh`To pull all your vals from the service into this workspace, run ${['pull', '--all']}.`,
  ],
  async run(context, { vals: words, all = false, merge = false, force = false, dryRun = false }) {
    if (all && words.length > 0) {
      throw new UsageError('--all pulls every val, so no names can be given.', {
        hint: sh`To pull every val, run ${['pull', '--all']}.`,
      });
    }
    const isNamed = words.length > 0;
    const compare = { words, findsMissing: all || isNamed, force, writesFiles: true };
    return compareWorkspace(context, compare, async (compared) => {
      const { session, deletedFiles, unknown, error: unreadable } = compared;
      if (unreadable !== undefined) throw unreadable;
      // A folder stands for its files, but new ones have nothing to do with a pull.
      const typed = words.map((word) => fileAt(session.workspace, word));
      const matches = ({ state, name, file }: FileStatus) =>
        state !== 'new' || words.includes(name) || typed.includes(file);
      if (all)
        for (const text of hintAtGit(deletedFiles.limit, lostFiles))
          context.out.say({ kind: 'warning', text });
      const statuses = isNamed ? compared.statuses.filter(matches) : compared.statuses;
      const wanted = { context, session, statuses, options: { merge, force, dryRun, isNamed } };
      const { rows, error } = all
        ? await pullAll(wanted)
        : await pullVals({ ...wanted, added: await valsOf(context, unknown) });
      // A file without a val on the service has nothing to do with a pull.
      const isWorthShowing = ({ status, id }: OutcomeRow) =>
        isNamed ||
        !context.out.forPerson ||
        (status !== 'unchanged' && (status !== 'kept' || id !== undefined));
      return { kind: 'list', rows: rows.filter(isWorthShowing), error };
    });
  },
});

const lostFiles = 'which vals lost their files';

/** Words that no val of the workspace has may be vals that it does not have yet, of another owner too. */
async function valsOf(context: Context, unknown: ComparedVals['unknown']): Promise<PullRequest['added']> {
  const identify = createValFinder(context);
  const ids = new Set<string>();
  for (const [word, id] of unknown) ids.add(id ?? (await identify(word)).id);
  return [...ids].map((id) => ({ id }));
}
