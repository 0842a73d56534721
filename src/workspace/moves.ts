// Says which new file is a val whose file is gone. Every command asks this file, so all of them agree.
import { basename, dirname } from 'node:path';
import { LocalError, ValsError } from '../errors.ts';
import { fold, pathProblem } from './disk/file-names.ts';
import { namesBelow, readBelow } from './disk/files.ts';
import { examine, recordOf } from './examine.ts';
import type { RemoteVals } from './remote-vals.ts';
import { nameFrom } from './sources/val-names.ts';
import { walkFolder } from './sources/walk.ts';
import { factsOf } from './text/code-facts.ts';
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
  likely: LikelyMove[];
}

interface MissingVal {
  val: WorkspaceVal;
  /** The code of the record and the code on the service. A fresh checkout has no record, and a record may be old. */
  codes: string[];
}

interface NewFile {
  file: string;
  code: string;
  hash: string;
}

/** `openRemotes` is called only if the code of a missing val has to be read from the service. */
export async function findMoves(
  workspace: Workspace,
  openRemotes: () => Promise<RemoteVals>,
): Promise<Moves> {
  const moved = new Map<string, string>();
  const missing = findMissing(workspace);
  if (missing.length === 0) return { moved, likely: [] };
  const { known, files } = await findFiles(workspace);
  const newFiles = files.filter((file) => !known.has(fold(file)));
  if (files.length === 0 || (newFiles.length === 0 && !missing.some(({ file }) => known.has(fold(file)))))
    return { moved, likely: [] };
  const fresh = newFiles.flatMap((file) => readNew(workspace.root, file));
  const isMissing = ({ file }: WorkspaceVal) => !moved.has(file);
  const follow = (found: Iterable<[string, string]>) => {
    const taken = new Set(moved.values());
    for (const [from, to] of found) {
      if (moved.has(from) || taken.has(to)) continue;
      moved.set(from, to);
      taken.add(to);
    }
  };
  const untaken = () => {
    const taken = new Set(moved.values());
    return fresh.filter(({ file }) => !taken.has(file));
  };
  const recorded = missing.map((val) => ({ val, codes: codesOf([recordOf(workspace, val)?.code]) }));
  follow(exactMoves(recorded, fresh));
  const unrecorded = recorded.filter(({ val }) => isMissing(val));
  const mustRead = unrecorded.length > 0 && untaken().length > 0;
  const read = mustRead ? await withCodeThere(workspace, await openRemotes(), unrecorded) : unrecorded;
  follow(exactMoves(read, untaken()));
  follow(movesByName(missing.filter(isMissing), files, newFiles));
  return {
    moved,
    likely: likelyMoves(
      read.filter(({ val }) => isMissing(val)),
      untaken(),
    ),
  };
}

const codesOf = (codes: readonly (string | undefined)[]): string[] =>
  codes.filter((code) => code !== undefined);

async function withCodeThere(
  workspace: Workspace,
  remotes: RemoteVals,
  missing: readonly MissingVal[],
): Promise<MissingVal[]> {
  return Promise.all(
    missing.map(async ({ val, codes }) => {
      try {
        const local = { record: recordOf(workspace, val), here: undefined };
        const { remote, isOthers } = await examine(workspace, remotes.ahead, val, local);
        return { val, codes: codesOf([...codes, isOthers ? undefined : remote?.code]) };
      } catch (error) {
        // The command itself will report the error.
        if (!(error instanceof ValsError)) throw error;
        return { val, codes };
      }
    }),
  );
}

function exactMoves(missing: readonly MissingVal[], fresh: readonly NewFile[]): [string, string][] {
  const newByHash = grouped(fresh, ({ hash }) => hash);
  const lostByHash = new Map<string, string[]>();
  for (const { val, codes } of missing) {
    for (const hash of new Set(codes.map((code) => factsOf(code).hash))) {
      lostByHash.set(hash, [...(lostByHash.get(hash) ?? []), val.file]);
    }
  }
  return [...lostByHash].flatMap(([hash, lost]) =>
    pairs(
      lost,
      (newByHash.get(hash) ?? []).map(({ file }) => file),
    ),
  );
}

/**
 * A file that has only another spelling now, such as Hello.ts instead of hello.ts, keeps its val even if it was edited.
 * So does a file with the name of the val, such as one that is in another folder now.
 */
function movesByName(
  missing: readonly WorkspaceVal[],
  files: readonly string[],
  newFiles: readonly string[],
): [string, string][] {
  const bySpelling = grouped(files, fold);
  const newByName = grouped(newFiles, nameFrom);
  return missing.flatMap(({ file, name }): [string, string][] => {
    const moved = only(bySpelling.get(fold(file))) ?? only(newByName.get(name));
    return moved === undefined ? [] : [[file, moved]];
  });
}

function likelyMoves(missing: readonly MissingVal[], fresh: readonly NewFile[]): LikelyMove[] {
  if (missing.length === 0 || fresh.length === 0) return [];
  const index = createSimilarityIndex(new Map(fresh.map(({ file, code }) => [file, code])));
  const found = missing.flatMap(({ val, codes }) => {
    const files = new Set(codes.flatMap((code) => index.similarTo(code)));
    return [...files].map((to) => ({ val, to }));
  });
  const byVal = grouped(found, ({ val }) => val.file);
  const byFile = grouped(found, ({ to }) => to);
  return found.map(({ val, to }) => ({
    val,
    to,
    isOnlyOne: byVal.get(val.file)?.length === 1 && byFile.get(to)?.length === 1,
  }));
}

/** The val of a moved file keeps its name and its id. */
export function applyMoves<Val extends WorkspaceVal>(
  { vals }: Pick<Workspace, 'vals'>,
  selected: readonly Val[],
  moved: ReadonlyMap<string, string>,
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
    return [{ ...listed, file: to ?? val.file, movedFrom: from }];
  });
}

const only = (files: readonly string[] = []): string | undefined =>
  files.length === 1 ? files[0] : undefined;

function findMissing({ root, vals }: Workspace): WorkspaceVal[] {
  const byFolder = grouped([...vals], ({ file }) => dirname(file));
  return [...byFolder].flatMap(([folder, inside]) => {
    const names = namesIn(root, folder === '.' ? '' : folder);
    return names === undefined ? [] : inside.filter(({ file }) => !names.has(basename(file)));
  });
}

function namesIn(root: string, folder: string): Set<string> | undefined {
  try {
    return new Set(namesBelow(root, folder));
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    return undefined;
  }
}

async function findFiles(workspace: Workspace): Promise<{ known: Set<string>; files: string[] }> {
  const canBeVal = (file: string) => !basename(file).startsWith('.') && pathProblem(file) === undefined;
  // The command itself warns of the files that it leaves out.
  const found = await walkFolder(
    workspace.root,
    () => {},
    (below) => pathTo(workspace, below),
  );
  return { known: new Set([...workspace.vals].map(({ file }) => fold(file))), files: found.filter(canBeVal) };
}

function readNew(root: string, file: string): NewFile[] {
  try {
    const code = readBelow(root, file);
    return code === undefined ? [] : [{ file, code, hash: factsOf(code).hash }];
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    return [];
  }
}

function pairs(from: readonly string[], to: readonly string[]): [string, string][] {
  const [firstFrom] = from;
  const [firstTo] = to;
  if (firstFrom === undefined || firstTo === undefined) return [];
  if (from.length === 1 && to.length === 1) return [[firstFrom, firstTo]];
  return from.flatMap((file): [string, string][] => {
    const hasSameName = (other: string) => basename(other) === basename(file);
    const [target, ...otherTargets] = to.filter(hasSameName);
    const isOnlyPair = otherTargets.length === 0 && from.filter(hasSameName).length === 1;
    return target !== undefined && isOnlyPair ? [[file, target]] : [];
  });
}

function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | undefined,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
