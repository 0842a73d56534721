import { basename, dirname } from 'node:path';
import { LocalError } from '../errors.ts';
import { fold, pathProblem } from './disk/file-names.ts';
import { existsBelow, namesBelow, readBelow } from './disk/files.ts';
import { updateManifest, type WorkspaceContext } from './disk/manifest-file.ts';
import { hashOf } from './records/val-records.ts';
import { nameFrom } from './sources/val-names.ts';
import { walkFolder } from './sources/walk.ts';
import { createVals, type WorkspaceVal } from './vals.ts';
import { pathTo, type Workspace, workspaceAt } from './workspace.ts';

export async function followMoves(workspace: Workspace, context: WorkspaceContext): Promise<Workspace> {
  const moves = await findMoves(workspace);
  if (moves.size === 0) return workspace;
  let recorded: [from: string, to: string][] = [];
  await updateManifest(workspace.root, context, ({ vals }) => {
    recorded = [];
    for (const [from, to] of moves) {
      const entry = vals.get(from);
      if (entry === undefined || vals.has(to)) continue;
      vals.delete(from);
      vals.set(to, entry);
      recorded.push([from, to]);
    }
  });
  for (const [from, to] of recorded) {
    context.say({
      kind: 'note',
      text: `${pathTo(workspace, from)} was moved to ${pathTo(workspace, to)}. vals.json was updated.`,
    });
  }
  return workspaceAt(workspace.root, context);
}

/** For agents that only read: the moves count, but vals.json stays as it is. */
export async function viewWorkspace(workspace: Workspace): Promise<Workspace> {
  const moves = await findMoves(workspace);
  const vals = [...workspace.vals].map((val) => ({ ...val, file: moves.get(val.file) ?? val.file }));
  return { ...workspace, vals: createVals(vals) };
}

async function findMoves(workspace: Workspace): Promise<Map<string, string>> {
  const { root, vals, records } = workspace;
  const newPaths = new Map<string, string>();
  const missing = findMissing(workspace);
  if (missing.length === 0) return newPaths;
  const known = new Set([...vals].map(({ file }) => fold(file)));
  const canBeVal = (file: string) => !basename(file).startsWith('.') && pathProblem(file) === undefined;
  // The command itself warns of the files that it leaves out.
  const found = await walkFolder(
    root,
    () => {},
    (below) => pathTo(workspace, below),
  );
  const files = found.filter(canBeVal);
  const newFiles = files.filter((file) => !known.has(fold(file)));
  const recordedHash = (val: WorkspaceVal) => {
    const code = records.of(val)?.code;
    return code === undefined ? undefined : hashOf(code);
  };
  // Hashes are compared, because the code of all new files would fill the memory.
  const newByHash = grouped(newFiles, (file) => hashOfText(root, file));
  for (const [hash, lost] of grouped(missing, recordedHash)) {
    const lostFiles = lost.map(({ file }) => file);
    for (const [from, to] of pairs(lostFiles, newByHash.get(hash) ?? [])) newPaths.set(from, to);
  }
  const isStillMissing = ({ file }: WorkspaceVal) => !newPaths.has(file) && !existsBelow(root, file);
  // A file that has only another spelling now, such as Hello.ts instead of hello.ts, keeps its val even if it was
  // edited. So does a file that is in another folder now, or that has the name of the val.
  const bySpelling = grouped(files, fold);
  const newByFileName = grouped(newFiles, (file) => basename(file));
  const newByName = grouped(newFiles, nameFrom);
  const taken = new Set(newPaths.values());
  for (const { file, name } of missing.filter(isStillMissing)) {
    const moved =
      only(bySpelling.get(fold(file))) ??
      only(newByFileName.get(basename(file))) ??
      only(newByName.get(name));
    if (moved === undefined || taken.has(moved)) continue;
    newPaths.set(file, moved);
    taken.add(moved);
  }
  return newPaths;
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

function hashOfText(root: string, file: string): string | undefined {
  try {
    const text = readBelow(root, file);
    return text === undefined ? undefined : hashOf(text);
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    return undefined;
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
