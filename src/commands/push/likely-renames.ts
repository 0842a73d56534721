import type { Context } from '../../cli/context.ts';
import { existsBelow, readBelow } from '../../workspace/disk/files.ts';
import { likelyRenames, renameHint } from '../../workspace/similar.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';
import type { PushItem } from './item.ts';

/** A file that was renamed and edited at once looks like a new file, and a push would make a second val from it. */
export function noteLikelyRenames({ say }: Context, workspace: Workspace, items: readonly PushItem[]): void {
  const { root, vals, records } = workspace;
  const missing = [...vals].filter(({ file }) => !existsBelow(root, file));
  if (missing.length === 0) return;
  const isNew = ({ val }: PushItem) => val !== undefined && vals.ofFile(val.file) === undefined;
  const found = likelyRenames(
    missing.map((val) => ({ file: pathTo(workspace, val.file), read: () => records.of(val)?.code ?? '' })),
    items
      .filter(isNew)
      .map(({ file, val }) => ({ file, read: () => readBelow(root, val?.file ?? '') ?? '' })),
  );
  for (const rename of found) say.note(renameHint(rename));
}
