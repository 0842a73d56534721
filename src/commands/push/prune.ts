import type { Context } from '../../cli/context.ts';
import { ConflictError } from '../../errors.ts';
import { visible } from '../../lib/visible.ts';
import { cellText } from '../../terminal/column.ts';
import { existsBelow } from '../../workspace/disk/files.ts';
import { readPrunable } from '../../workspace/prune-val.ts';
import type { RemoteVal, RemoteVals } from '../../workspace/remote-vals.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';
import { confirmDeletion } from '../shared/remove.ts';
import type { PushItem } from './item.ts';

export async function markPruned(
  context: Context,
  items: readonly PushItem[],
  { workspace, remotes, mustAsk }: { workspace: Workspace; remotes: RemoteVals; mustAsk: boolean },
): Promise<PushItem[]> {
  const isGone = ({ file }: WorkspaceVal) => !existsBelow(workspace.root, file);
  const marked = items.map((item) => ({ ...item, isPruned: item.val !== undefined && isGone(item.val) }));
  const pruned = marked.flatMap(({ val, isPruned }) => (isPruned && val !== undefined ? val : []));
  if (mustAsk) await confirmPruning(context, workspace, remotes, pruned);
  return marked;
}

/** The question omits vals that must not be deleted. The push reports these vals as conflicts. */
async function confirmPruning(
  context: Context,
  workspace: Workspace,
  remotes: RemoteVals,
  vals: readonly WorkspaceVal[],
): Promise<void> {
  const candidates = await Promise.all(vals.map((val) => readCandidate(workspace, remotes, val)));
  const shown = candidates.filter((candidate) => candidate !== undefined);
  if (shown.length === 0) return;
  await confirmDeletion(
    context,
    async () => {
      context.progress.stop();
      context.say.instruct(shown.map((each) => lineFor(workspace, each)).join(''));
      return shown.length === 1
        ? 'The file of this val is gone. Delete the val on the service, with all its versions?'
        : `The files of these ${shown.length} vals are gone. Delete the vals on the service, with all their versions?`;
    },
    'Nothing was pushed or deleted.',
  );
}

interface Candidate {
  val: WorkspaceVal;
  remote: RemoteVal;
}

async function readCandidate(
  workspace: Workspace,
  remotes: RemoteVals,
  val: WorkspaceVal,
): Promise<Candidate | undefined> {
  try {
    const remote = await readPrunable(workspace, remotes, val);
    return remote === undefined ? undefined : { val, remote };
  } catch (error) {
    if (error instanceof ConflictError) return undefined;
    throw error;
  }
}

function lineFor(
  workspace: Workspace,
  { val: { name, file: valFile }, remote: { version } }: Candidate,
): string {
  const file = pathTo(workspace, valFile);
  const parts = version === undefined ? [name, file] : [name, `version ${cellText(version)}`, file];
  return `  ${visible(parts.join('  '))}\n`;
}
