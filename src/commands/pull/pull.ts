import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { createResolver } from '../../cli/resolve-vals.ts';
import { path } from '../../cli/value-types.ts';
import { UsageError } from '../../errors.ts';
import type { OutcomeRow } from '../../lib/outcome.ts';
import { identifyInWorkspace } from '../../names/identify.ts';
import { applyMoves, findMoves, type Moves } from '../../workspace/moves.ts';
import { createRemoteVals } from '../../workspace/remote-vals.ts';
import { isBelow, workspaceOfWords } from '../../workspace/select.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { createWorkspaces, type Workspaces } from '../../workspace/workspaces.ts';
import { valsOfWorkspace } from '../shared/options.ts';
import { type PullItem, pullColumns, pullVals, selectAll } from './pull-vals.ts';

export const command = defineCommand({
  summary: "Write the service's code into the workspace",
  description:
    "Write the service's code into the files of the workspace, or add vals that the workspace does not have yet. A file " +
    "that you changed is not overwritten without --force. --merge merges your code with the service's code, and marks " +
    'conflicts.',
  details:
    'Some names of vals cannot be names of files. --all reports these vals at the end. To add one of these vals, run ' +
    '`vals pull <id> --file <path>`. To continue after an interruption, run the command again.',
  descriptionForAgents:
    "Write the service's code into the files of the workspace, or add vals that the workspace does not have yet. A file " +
    'that was changed is not overwritten without force. merge merges both codes, and marks conflicts.',
  arguments: { vals: valsOfWorkspace },
  options: {
    all: { description: 'also add all your other vals on the service', conflicts: ['file'] },
    merge: { description: 'merge vals that changed in the file and on the service', conflicts: ['force'] },
    force: { description: 'overwrite files that you changed, and keep copies of them' },
    file: { description: 'the file for a val that the workspace does not have yet', value: path('path') },
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
    {
      text: 'To pull all your vals from the service into this workspace',
      command: 'pull',
      input: { all: true },
    },
  ],
  async run(context, { vals: words, all = false, merge = false, force = false, dryRun = false, file }) {
    if (all && words.length > 0) {
      throw new UsageError('--all pulls every val, so no names can be given.', {
        hint: { text: 'To pull every val', command: 'pull', input: { all: true } },
      });
    }
    const { say } = context;
    const workspaces = createWorkspaces(context);
    const workspace = workspaceOfWords(workspaces, words);
    const named = await itemsOf(context, workspaces, workspace, words);
    if (file !== undefined && (named.length !== 1 || 'file' in (named[0] ?? {}))) {
      throw new UsageError('--file is for one val that the workspace does not have yet.', {
        hint: 'To change the file of a val that the workspace has, edit vals.json.',
      });
    }
    const api = await context.connect();
    const known = words.length === 0 ? [...workspace.vals] : named;
    const remotes = createRemoteVals({ ...context, api }, all ? 'all' : known.length);
    if (all) context.say({ kind: 'progress', text: 'Reading the list of vals' });
    const moves = await findMoves(workspace, async () => remotes);
    const items = followMoved(workspace, all ? await selectAll(workspace, remotes, say) : known, moves);
    const isNamedInCommand = words.length > 0;
    const options = { merge, force, dryRun, isNamedInCommand, file };
    const { rows, error } = await pullVals(context, { workspace, remotes, items, ...options });
    const isWorthShowing = ({ status }: OutcomeRow) =>
      isNamedInCommand || !context.forPerson || status !== 'unchanged';
    return { kind: 'outcomes', rows: rows.filter(isWorthShowing), error };
  },
});

/** A val whose file was moved is pulled into the file where it is now. */
function followMoved(workspace: Workspace, items: readonly PullItem[], moves: Moves): PullItem[] {
  return items.flatMap((item): PullItem[] =>
    'file' in item ? applyMoves(workspace, [item], moves) : [item],
  );
}

/** A word is a val or a folder of the workspace, or a val that the workspace does not have yet. */
async function itemsOf(
  context: Context,
  workspaces: Workspaces,
  workspace: Workspace,
  words: readonly string[],
): Promise<PullItem[]> {
  const identify = await createResolver(context, { isForWriting: false, confirmsListedVals: false });
  const items: PullItem[] = [];
  for (const word of new Set(words)) {
    const known = identifyInWorkspace(workspaces, word)?.val;
    const found =
      known === undefined
        ? [...workspace.vals].filter(({ file }) => isBelow(workspace, [word], file))
        : [known];
    if (found.length > 0) {
      items.push(...found);
      continue;
    }
    const { id } = await identify(word);
    items.push(workspace.vals.ofId(id) ?? { id });
  }
  return items;
}
