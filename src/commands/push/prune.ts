// Shows the vals that `vals push --prune` would delete, and asks before anything is sent.
import type { Context } from '../../cli/context.ts';
import { ConflictError } from '../../errors.ts';
import { cellText } from '../../terminal/fields.ts';
import { existsBelow } from '../../workspace/disk/files.ts';
import { readPrunable } from '../../workspace/prune-val.ts';
import type { RemoteVals } from '../../workspace/remote-vals.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { confirmDeletion } from '../shared/remove.ts';

/** The vals that have an id on the service, but no file here. */
export const chooseForPruning = ({ root }: Workspace, vals: readonly WorkspaceVal[]): WorkspaceVal[] =>
  vals.filter(({ id, file }) => id !== undefined && !existsBelow(root, file));

/** Leaves out vals that may not be deleted. The push reports them as conflicts. */
export async function confirmPruning(
  context: Context,
  workspace: Workspace,
  remotes: RemoteVals,
  vals: readonly WorkspaceVal[],
): Promise<void> {
  const read = vals.map(async (val) => {
    const remote = await readPrunable(workspace, remotes, val).catch(undefinedIfConflict);
    return remote === undefined ? [] : { val, remote };
  });
  const found = (await Promise.all(read)).flat();
  if (found.length === 0) return;
  await confirmDeletion(
    context,
    async () => {
      context.progress.stop();
      const lines = found.map(({ val: { name, file }, remote: { version } }) => {
        const facts = [name, version === undefined ? '' : `version ${cellText(version)}`, file];
        return `  ${facts.filter((fact) => fact !== '').join('  ')}\n`;
      });
      context.say.banner(lines.join(''));
      return found.length === 1
        ? `The file of this val is gone. Delete the val on the service, with all its versions?`
        : `The files of these ${found.length} vals are gone. Delete the vals on the service, with all their versions?`;
    },
    'Nothing was pushed or deleted.',
  );
}

function undefinedIfConflict(error: unknown): undefined {
  if (!(error instanceof ConflictError)) throw error;
}
