// Pairs new files with vals whose files are gone, before the push is planned.
import type { Context } from '../../cli/context.ts';
import { maybeRenamed } from '../../workspace/conflict-messages.ts';
import { recordOf } from '../../workspace/examine.ts';
import { applyMoves, findMoves, type LikelyMove, type Moves } from '../../workspace/moves.ts';
import type { RemoteVals } from '../../workspace/remote-vals.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';
import type { Asking } from './ask.ts';
import { itemOfVal, type PushItem, workspacesOf } from './item.ts';
import { likelyMoveText, noteMove } from './move-notes.ts';
import type { PlannedItem } from './plan-items.ts';

export interface Followed {
  items: readonly PushItem[];
  /** New files that may be renamed files. Nobody was asked about them. */
  likely: Map<Workspace, LikelyMove[]>;
  /** The user said that this file is the file of a val that was missing. */
  isConfirmed(workspace: Workspace, file: string): boolean;
}

interface FollowMovesOptions {
  openRemotes(): Promise<RemoteVals>;
  asking: Asking;
}

export async function followMoves(
  context: Context,
  selected: readonly PushItem[],
  { openRemotes, asking }: FollowMovesOptions,
): Promise<Followed> {
  const likely = new Map<Workspace, LikelyMove[]>();
  const confirmed = new Map<Workspace, Set<string>>();
  const asksNow = asking.aboutRenames && !asking.dryRun;
  let items = selected;
  for (const workspace of workspacesOf(selected)) {
    const moves = await findMoves(workspace, openRemotes);
    const files = filesOf(workspace, items);
    const isAsked = ({ to, isOnlyOne }: LikelyMove) => asksNow && isOnlyOne && files.has(to);
    const renamed = new Set<string>();
    for (const move of moves.likely.filter(isAsked)) {
      if (!(await askAboutRename(context, workspace, move))) continue;
      moves.moved.set(move.val.file, move.to);
      renamed.add(move.to);
    }
    confirmed.set(workspace, renamed);
    likely.set(
      workspace,
      moves.likely.filter((move) => !isAsked(move)),
    );
    items = await keepAnswers(context, workspace, withMoves(workspace, items, moves), renamed);
  }
  const isConfirmed = (workspace: Workspace, file: string) => confirmed.get(workspace)?.has(file) ?? false;
  return { items, likely, isConfirmed };
}

const filesOf = (workspace: Workspace, items: readonly PushItem[]): Set<string> =>
  new Set(items.flatMap((item) => (item.workspace === workspace ? (item.val?.file ?? []) : [])));

/** An answer goes into vals.json at once, so that nobody is asked again if the push of the file is refused. */
async function keepAnswers(
  context: Context,
  workspace: Workspace,
  items: readonly PushItem[],
  renamed: ReadonlySet<string>,
): Promise<readonly PushItem[]> {
  if (renamed.size === 0) return items;
  const kept = items.map((item) => {
    const { val } = item;
    const isRenamed = item.workspace === workspace && val !== undefined && renamed.has(val.file);
    if (!isRenamed || val.movedFrom === undefined) return item;
    const record = recordOf(workspace, val);
    if (record !== undefined) workspace.records.write({ ...record, file: val.file });
    workspace.records.remove(val.movedFrom);
    workspace.remember(val, val.id);
    noteMove(context, workspace, val);
    const { movedFrom: _movedFrom, ...atItsPath } = val;
    return { ...item, val: atItsPath };
  });
  const error = await workspace.saveManifest();
  if (error !== undefined) throw error;
  return kept;
}

function questionAbout(workspace: Workspace, { val, to }: LikelyMove): string {
  const [from, file] = [pathTo(workspace, val.file), pathTo(workspace, to)];
  return `Is ${file} the val ${val.name}, whose file ${from} is gone?`;
}

async function askAboutRename(
  { prompt, say }: Context,
  workspace: Workspace,
  move: LikelyMove,
): Promise<boolean> {
  say({ kind: 'progress' });
  return prompt.confirm(questionAbout(workspace, move), renameInstead(move.val, move.to), {
    isYesByDefault: true,
  });
}

const renameInstead = ({ file }: WorkspaceVal, to: string): string =>
  `In vals.json, change the entry "${file}" to "${to}".`;

/** Says what the push does with new files that may be renamed ones, and that nobody was asked about. */
export function warnOfLikelyMoves(
  { say }: Context,
  planned: readonly PlannedItem[],
  { likely }: Followed,
  { aboutRenames, dryRun }: Asking,
): void {
  for (const { workspace, step } of planned) {
    if (workspace === undefined || step === undefined) continue;
    for (const move of likely.get(workspace) ?? []) {
      if (move.to !== step.val.file) continue;
      if (aboutRenames && move.isOnlyOne) {
        say({ kind: 'note', text: `A push would ask: ${questionAbout(workspace, move)}` });
      } else say({ kind: 'warning', text: likelyMoveText(workspace, move, step, { dryRun }) });
    }
  }
}

/** While the question was open, the file of a val that would be deleted may have come back under another name. */
export async function refuseFoundFiles(
  items: readonly PlannedItem[],
  freshRemotes: () => RemoteVals,
): Promise<readonly PlannedItem[]> {
  // A push with --prune is about one workspace.
  const workspace = items.find(({ step }) => step?.kind === 'delete')?.workspace;
  if (workspace === undefined) return items;
  const known = new Set(items.map(({ file }) => file));
  const { moved, likely } = await findMoves(workspace, async () => freshRemotes());
  const pairs = [...likely.map(({ val, to }): [string, string] => [val.file, to]), ...moved];
  const found = new Map(pairs.filter(([, to]) => !known.has(pathTo(workspace, to))));
  return items.map((item) => {
    const { step } = item;
    const to = step?.kind === 'delete' ? found.get(step.val.file) : undefined;
    if (step === undefined || to === undefined) return item;
    return { ...item, step: { ...step, kind: 'refuse', refusal: maybeRenamed(workspace, { ...step, to }) } };
  });
}

/** The items of moved files get their vals. */
function withMoves(workspace: Workspace, items: readonly PushItem[], moves: Moves): readonly PushItem[] {
  if (moves.moved.size === 0) return items;
  const isOwn = (item: PushItem) => item.workspace === workspace && item.val !== undefined;
  const files = filesOf(workspace, items);
  const vals = items.flatMap((item) => (isOwn(item) ? (item.val ?? []) : []));
  const now = applyMoves(workspace, vals, moves);
  // A moved file was selected by its new path, or else by the path that vals.json has.
  const bySelected = new Map(now.map((val) => [files.has(val.file) ? val.file : val.movedFrom, val]));
  return items.flatMap((item): PushItem[] => {
    if (!isOwn(item)) return [item];
    const val = bySelected.get(item.val?.file);
    if (val === undefined) return [];
    return [val.movedFrom === undefined ? item : itemOfVal(workspace, val)];
  });
}
