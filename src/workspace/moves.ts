// Says which new file is a val whose file is gone. Every command asks this file, so all of them agree.
import { basename } from 'node:path';
import { grouped } from '../lib/grouped.ts';
import { fold, pathProblem } from './disk/file-names.ts';
import { readIfPossible } from './disk/files.ts';
import { findMissing, type MissingVal, withCodeOfRecord, withCodeThere } from './missing-vals.ts';
import type { RemoteVals } from './remote-vals.ts';
import { nameFrom } from './sources/val-names.ts';
import { walkFolder } from './sources/walk.ts';
import { hashOf } from './text/code-facts.ts';
import { createSimilarityIndex } from './text/similar.ts';
import type { WorkspaceVal } from './vals.ts';
import { pathTo, type Workspace } from './workspace.ts';

/** A new file with similar code: only the user knows whether it is the renamed file of the val. */
export interface LikelyMove {
  val: WorkspaceVal;
  to: string;
  /** No other file or val comes into question. */
  isOnlyOne: boolean;
}

export interface Moves {
  /** From the file that vals.json lists to the file that the val has now. */
  moved: Map<string, string>;
  /** Those of the new paths whose files have only the name of the val. The record says nothing of their code. */
  namesakes: ReadonlySet<string>;
  /** For each val, the most similar file comes first. */
  likely: LikelyMove[];
}

interface NewFile {
  file: string;
  code: string;
  hash: string;
}

/** From the file that vals.json lists to the file that the val has now. */
type Pair = [from: string, to: string];

/** `openRemotes` is called only if the code of a missing val has to be read from the service. */
export async function findMoves(
  workspace: Workspace,
  openRemotes: () => Promise<RemoteVals>,
): Promise<Moves> {
  const moved = new Map<string, string>();
  const missing = findMissing(workspace);
  if (missing.length === 0) return { moved, namesakes: new Set(), likely: [] };
  const { files, newFiles } = await findFiles(workspace);
  const fresh = newFiles.flatMap((file) => readNew(workspace.root, file));
  const taken = new Set<string>();
  const follow = (found: Iterable<Pair>) => {
    for (const [from, to] of found) {
      if (moved.has(from) || taken.has(to)) continue;
      moved.set(from, to);
      taken.add(to);
    }
  };
  const isMissing = ({ file }: WorkspaceVal) => !moved.has(file);
  const untaken = () => fresh.filter(({ file }) => !taken.has(file));
  const recorded = fresh.length === 0 ? [] : missing.map((val) => withCodeOfRecord(workspace, val));
  follow(exactMoves(recorded, fresh));
  const unrecorded = recorded.filter(({ val }) => isMissing(val));
  const mustRead = unrecorded.length > 0 && untaken().length > 0;
  const read = mustRead ? await withCodeThere(workspace, await openRemotes(), unrecorded) : unrecorded;
  follow(exactMoves(read, untaken()));
  follow(movesBySpelling(missing.filter(isMissing), files));
  const similar = similarFiles(
    read.filter(({ val }) => isMissing(val)),
    untaken(),
  );
  const named = movesByName(missing.filter(isMissing), untaken());
  const similarKeys = new Set(similar.map(({ val, to }) => `${val.file}\n${to}`));
  const isSimilar = (pair: Pair) => similarKeys.has(pair.join('\n'));
  follow(named.filter(isSimilar));
  const open = similar.filter(({ val, to }) => isMissing(val) && !taken.has(to));
  const namesakes = named.filter((pair) => !isSimilar(pair));
  follow(namesakes);
  return {
    moved,
    namesakes: new Set(namesakes.map(([, to]) => to)),
    likely: likelyMoves(
      open.filter(({ val }) => isMissing(val)),
      taken,
    ),
  };
}

function exactMoves(missing: readonly MissingVal[], fresh: readonly NewFile[]): Pair[] {
  const lost = missing.flatMap(({ val, codes }) =>
    [...new Set(codes.map(hashOf))].map((hash) => ({ file: val.file, hash })),
  );
  const newByHash = grouped(fresh, ({ hash }) => hash);
  const lostByHash = grouped(lost, ({ hash }) => hash);
  return [...lostByHash].flatMap(([hash, same]) => pairs(filesOf(same), filesOf(newByHash.get(hash))));
}

const filesOf = (items: readonly { file: string }[] = []): string[] => items.map(({ file }) => file);

/** A file that has only another spelling now, such as Hello.ts instead of hello.ts, keeps its val even if it was edited. */
function movesBySpelling(missing: readonly WorkspaceVal[], files: readonly string[]): Pair[] {
  const bySpelling = grouped(files, fold);
  return missing.flatMap(({ file }) => pairWithOnly(file, bySpelling.get(fold(file))));
}

/** No second val can have the name of a missing one, so a new file with that name is that val. */
function movesByName(missing: readonly WorkspaceVal[], fresh: readonly NewFile[]): Pair[] {
  const byName = grouped(filesOf(fresh), nameFrom);
  return missing.flatMap(({ file, name }) => pairWithOnly(file, byName.get(name)));
}

const pairWithOnly = (from: string, [to, another]: readonly string[] = []): Pair[] =>
  to === undefined || another !== undefined ? [] : [[from, to]];

type SimilarFile = Pick<LikelyMove, 'val' | 'to'>;

function similarFiles(missing: readonly MissingVal[], fresh: readonly NewFile[]): SimilarFile[] {
  if (missing.length === 0 || fresh.length === 0) return [];
  const index = createSimilarityIndex(new Map(fresh.map(({ file, code }) => [file, code])));
  return missing.flatMap(({ val, codes }) => index.similarTo(codes).map((to) => ({ val, to })));
}

function likelyMoves(similar: readonly SimilarFile[], taken: ReadonlySet<string>): LikelyMove[] {
  const byVal = grouped(similar, ({ val }) => val.file);
  const byFile = grouped(similar, ({ to }) => to);
  return similar.map(({ val, to }) => ({
    val,
    to,
    isOnlyOne: byVal.get(val.file)?.length === 1 && byFile.get(to)?.length === 1 && !taken.has(to),
  }));
}

/** The val of a moved file keeps its name and its id. */
export function applyMoves<Val extends WorkspaceVal>(
  { vals }: Pick<Workspace, 'vals'>,
  selected: readonly Val[],
  { moved, namesakes }: Pick<Moves, 'moved' | 'namesakes'>,
): (Val | WorkspaceVal)[] {
  if (moved.size === 0) return [...selected];
  const origins = new Map([...moved].map(([from, to]) => [to, from]));
  const selectedFiles = new Set(selected.map(({ file }) => file));
  return selected.flatMap((val): (Val | WorkspaceVal)[] => {
    const to = moved.get(val.file);
    if (to !== undefined && selectedFiles.has(to)) return [];
    const from = to === undefined ? origins.get(val.file) : val.file;
    const listed = from === undefined ? undefined : vals.ofFile(from);
    if (from === undefined || listed === undefined) return [val];
    const file = to ?? val.file;
    return [{ ...listed, file, movedFrom: from, ...(namesakes.has(file) && { isNamesake: true }) }];
  });
}

async function findFiles(workspace: Workspace): Promise<Record<'files' | 'newFiles', string[]>> {
  const found = await walkFolder(workspace.root, { pathOf: (below) => pathTo(workspace, below) });
  const files = found.filter((file) => pathProblem(file) === undefined);
  const known = new Set([...workspace.vals].map(({ file }) => fold(file)));
  return { files, newFiles: files.filter((file) => !known.has(fold(file))) };
}

function readNew(root: string, file: string): NewFile[] {
  const code = readIfPossible(root, file);
  return code === undefined ? [] : [{ file, code, hash: hashOf(code) }];
}

function pairs(from: readonly string[], to: readonly string[]): Pair[] {
  const isOnlyPair = from.length === 1 && to.length === 1;
  return from.flatMap((file) => {
    if (isOnlyPair) return pairWithOnly(file, to);
    const hasSameName = (other: string) => basename(other) === basename(file);
    return from.filter(hasSameName).length === 1 ? pairWithOnly(file, to.filter(hasSameName)) : [];
  });
}
