import type { Context } from '../../cli/context.ts';
import { ConflictError } from '../../errors.ts';
import { cellText } from '../../terminal/column.ts';
import { existsBelow, readBelow } from '../../workspace/disk/files.ts';
import { readPrunable } from '../../workspace/prune-val.ts';
import type { RemoteVal, RemoteVals } from '../../workspace/remote-vals.ts';
import { type LikelyRename, likelyRenames } from '../../workspace/similar.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';
import { confirmDeletion } from '../shared/remove.ts';
import type { PushItem } from './item.ts';
import { listLine } from './sent-rows.ts';

export async function markPruned(
  context: Context,
  items: readonly PushItem[],
  { workspace, remotes, mustAsk }: { workspace: Workspace; remotes: RemoteVals; mustAsk: boolean },
): Promise<PushItem[]> {
  const isGone = ({ file }: WorkspaceVal) => !existsBelow(workspace.root, file);
  const marked = items.map((item) => ({ ...item, isPruned: item.val !== undefined && isGone(item.val) }));
  const pruned = marked.flatMap(({ val, isPruned }) => (isPruned && val !== undefined ? val : []));
  if (mustAsk) await confirmPruning(context, workspace, remotes, { pruned, kept: filesOf(marked) });
  return marked;
}

const filesOf = (items: readonly PushItem[]): string[] =>
  items.flatMap(({ val, isPruned }) => (val === undefined || isPruned ? [] : val.file));

interface Pruning {
  pruned: readonly WorkspaceVal[];
  /** The files that stay. One of them may be a renamed file, whose val would lose its history. */
  kept: readonly string[];
}

/** The question omits vals that must not be deleted. The push reports these vals as conflicts. */
async function confirmPruning(
  context: Context,
  workspace: Workspace,
  remotes: RemoteVals,
  { pruned, kept }: Pruning,
): Promise<void> {
  const candidates = await Promise.all(pruned.map((val) => readCandidate(workspace, remotes, val)));
  const shown = candidates.filter((candidate) => candidate !== undefined);
  if (shown.length === 0) return;
  const missing = shown.map(({ val, remote }) => ({ file: val.file, codes: [remote.code] }));
  const others = kept.map((file) => ({ file, read: () => readBelow(workspace.root, file) }));
  const renames = likelyRenames(missing, others);
  await confirmDeletion(
    context,
    async () => {
      context.say({ kind: 'progress' });
      context.say({
        kind: 'lines',
        text: shown.map((each) => lineFor(workspace, each, renames)).join(''),
        despite: 'quiet',
      });
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
  { val, remote: { version } }: Candidate,
  renames: readonly LikelyRename[],
): string {
  const alike = renames.find(({ from }) => from === val.file)?.to;
  return listLine([
    val.name,
    version === undefined ? '' : `version ${cellText(version)}`,
    pathTo(workspace, val.file),
    alike === undefined ? '' : `(${pathTo(workspace, alike)} has similar code)`,
  ]);
}
