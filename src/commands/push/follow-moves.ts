// Pairs new files with vals whose files are gone, before the push is planned.
import type { Context } from '../../cli/context.ts';
import { maybeRenamed } from '../../workspace/conflicts.ts';
import { recordOf } from '../../workspace/examine.ts';
import { applyMoves, findMoves, type LikelyMove, type Moves } from '../../workspace/moves.ts';
import type { RemoteVals } from '../../workspace/remote-vals.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';
import { likelyMoveText, noteMove } from '../shared/notes.ts';
import { itemOfVal, type PushItem, type Selection } from './item.ts';
import type { PlannedItem } from './plan-items.ts';

export interface Followed {
  selections: Selection[];
  /** New files that may be renamed files. Nobody was asked about them. */
  likely: Map<Workspace, LikelyMove[]>;
  /** The user said that this file is the file of a val that was missing. */
  isConfirmed(workspace: Workspace, file: string): boolean;
}

export interface FollowMovesOptions {
  openRemotes(): Promise<RemoteVals>;
  /** At a terminal, the user is asked whether a file with similar code is a renamed one. */
  mayAsk: boolean;
  dryRun: boolean;
}

export async function followMoves(
  context: Context,
  selections: readonly Selection[],
  { openRemotes, mayAsk, dryRun }: FollowMovesOptions,
): Promise<Followed> {
  const likely = new Map<Workspace, LikelyMove[]>();
  const confirmed = new Map<Workspace, Set<string>>();
  const followed: Selection[] = [];
  for (const selection of selections) {
    const { workspace, items } = selection;
    if (workspace === undefined) {
      followed.push(selection);
      continue;
    }
    const moves = await findMoves(workspace, openRemotes);
    const selected = new Set(items.flatMap(({ val }) => val?.file ?? []));
    const isAsked = ({ to, isOnlyOne }: LikelyMove) => mayAsk && !dryRun && isOnlyOne && selected.has(to);
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
    const movedItems = withMoves(workspace, items, moves);
    followed.push({ workspace, items: await keepAnswers(context, workspace, movedItems, renamed) });
  }
  const isConfirmed = (workspace: Workspace, file: string) => confirmed.get(workspace)?.has(file) ?? false;
  return { selections: followed, likely, isConfirmed };
}

/** An answer goes into vals.json at once, so that nobody is asked again if the push of the file is refused. */
async function keepAnswers(
  context: Context,
  workspace: Workspace,
  items: PushItem[],
  renamed: ReadonlySet<string>,
): Promise<PushItem[]> {
  if (renamed.size === 0) return items;
  const kept = items.map((item) => {
    const { val } = item;
    if (val?.movedFrom === undefined || !renamed.has(val.file)) return item;
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
  { mayAsk, dryRun }: Pick<FollowMovesOptions, 'mayAsk' | 'dryRun'>,
): void {
  for (const { workspace, step } of planned) {
    if (workspace === undefined || step === undefined) continue;
    for (const move of likely.get(workspace) ?? []) {
      if (move.to !== step.val.file) continue;
      if (mayAsk && move.isOnlyOne) {
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
function withMoves(workspace: Workspace, items: readonly PushItem[], moves: Moves): PushItem[] {
  if (moves.moved.size === 0) return [...items];
  const byFile = new Map(items.flatMap((item) => (item.val ? [[item.val.file, item]] : [])));
  const vals = items.flatMap(({ val }) => val ?? []);
  const now = applyMoves(workspace, vals, moves).map((val) => itemOf(workspace, byFile, val));
  return [...items.filter(({ val }) => val === undefined), ...now].sort((a, b) => a.order - b.order);
}

function itemOf(workspace: Workspace, byFile: ReadonlyMap<string, PushItem>, val: WorkspaceVal): PushItem {
  const item = byFile.get(val.file) ?? byFile.get(val.movedFrom ?? '');
  if (item !== undefined && val.movedFrom === undefined) return item;
  return itemOfVal(workspace, val, item?.order ?? 0);
}
