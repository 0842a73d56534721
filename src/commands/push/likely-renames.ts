import type { Context } from '../../cli/context.ts';
import { ValsError } from '../../errors.ts';
import { existsBelow, readBelow } from '../../workspace/disk/files.ts';
import { examine } from '../../workspace/examine.ts';
import type { RemoteVals } from '../../workspace/remote-vals.ts';
import { likelyRenames, mostPairs, renameHint } from '../../workspace/similar.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';
import type { PushItem } from './item.ts';

/** To read more vals from the service would take too long for a hint. */
const mostReads = 20;

/** A file that was renamed and edited at once looks like a new file, and a push would make a second val from it. */
export async function noteLikelyRenames(
  { say }: Context,
  workspace: Workspace,
  items: readonly Pick<PushItem, 'file' | 'val'>[],
  remotes: RemoteVals,
): Promise<void> {
  const { root, vals } = workspace;
  const missing = [...vals].filter(({ file }) => !existsBelow(root, file));
  const fresh = items.filter(({ val }) => val !== undefined && vals.ofFile(val.file) === undefined);
  if (missing.length * fresh.length === 0 || missing.length * fresh.length > mostPairs) return;
  const codesOf = async (val: WorkspaceVal) =>
    missing.length > mostReads ? [workspace.records.of(val)?.code] : lastCodes(workspace, remotes, val);
  const before = await Promise.all(
    missing.map(async (val) => ({ file: pathTo(workspace, val.file), codes: await codesOf(val) })),
  );
  const after = fresh.map(({ file, val }) => ({ file, read: () => readBelow(root, val?.file ?? '') }));
  for (const rename of likelyRenames(before, after)) say({ kind: 'note', text: renameHint(rename) });
}

async function lastCodes(
  workspace: Workspace,
  remotes: RemoteVals,
  val: WorkspaceVal,
): Promise<(string | undefined)[]> {
  try {
    const { record, remote } = await examine(workspace, remotes, val);
    return [record?.code, remote?.code];
  } catch (error) {
    if (error instanceof ValsError) return [workspace.records.of(val)?.code];
    throw error;
  }
}
