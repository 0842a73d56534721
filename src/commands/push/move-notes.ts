import type { Context } from '../../cli/context.ts';
import type { LikelyMove } from '../../workspace/moves.ts';
import type { Step } from '../../workspace/plan.ts';
import { nameFrom } from '../../workspace/sources/val-names.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';

/** The val of a moved file keeps its name, because other vals and people may know it by that name. */
export function noteMove(
  { say }: Pick<Context, 'say'>,
  workspace: Workspace,
  { file, name, movedFrom = '' }: WorkspaceVal,
  { dryRun = false }: { dryRun?: boolean } = {},
): void {
  const newName = nameFrom(file) ?? name;
  const moved = `${pathTo(workspace, movedFrom)} was moved to ${pathTo(workspace, file)}.`;
  const manifest = dryRun ? 'A push updates vals.json' : 'vals.json was updated';
  if (newName === name) {
    say({ kind: 'note', text: `${moved} ${manifest}.` });
    return;
  }
  say({
    kind: 'note',
    text: [
      `${moved} ${manifest}, and the val keeps the name "${name}".`,
      { text: 'To rename the val', command: 'val set', input: { val: name, name: newName } },
    ],
  });
}

/** `step` is what a push does with the new file. */
export function likelyMoveText(
  workspace: Workspace,
  { val, to }: LikelyMove,
  step: Step | undefined,
  { dryRun }: { dryRun: boolean },
): string[] {
  const [from, file] = [pathTo(workspace, val.file), pathTo(workspace, to)];
  const { kind, found } = step ?? {};
  return [
    `${from} is missing, and the new file ${file} has similar code.`,
    ...(kind === 'create' ? [`The file ${dryRun ? 'would be' : 'is'} pushed as a new val.`] : []),
    ...(found?.remote === undefined ? [] : [`On the service, ${file} is the val "${found.val.name}".`]),
    `If ${file} is the renamed file of the val "${val.name}", change the entry "${val.file}" in vals.json to "${to}".`,
  ];
}
