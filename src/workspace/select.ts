// Which files of a workspace are vals, and their names.
import { UsageError } from '../core/errors.ts';
import { existsBelow } from '../core/files/files.ts';
import { notInWorkspace } from '../core/files/root.ts';
import { nameFrom, refuseUnusableNames } from '../core/files/val-names.ts';
import { walkFolder } from '../core/files/walk.ts';
import { withSlashes } from '../core/lib/paths.ts';
import { warnWith } from '../core/lib/say.ts';
import type { GitHistory } from './git-history.ts';
import { pathTo, relativeTo, type Workspace, type WorkspaceContext } from './workspace.ts';
import type { Workspaces } from './workspaces.ts';

/** The val of each file of a workspace, by the file. Undefined for a file whose name no val can have. */
export type FileNames = ReadonlyMap<string, string | undefined>;

export interface LocalVal {
  /** Relative to the root of the workspace. */
  file: string;
  name: string;
}

/** Every file that a push of the folder takes, and the files that the user named. */
export async function readFileNames(
  run: WorkspaceContext,
  workspace: Workspace,
  { history, named = [] }: { history: GitHistory | undefined; named?: readonly string[] },
): Promise<FileNames> {
  const walked = await walkFolder(workspace.root, {
    warn: warnWith(run.out.say),
    pathOf: (below) => pathTo(workspace, below),
  });
  const present = named.filter((file) => existsBelow(workspace.root, file));
  const files = [...new Set([...walked, ...present])].sort();
  const renamed = await renamedEntries(run, workspace, files, history);
  const { names } = workspace.manifest;
  return new Map(files.map((file) => [file, names.get(file) ?? renamed.get(file) ?? nameFrom(file)]));
}

/** The name of the val that one file of a workspace has or had. */
export async function nameOfFile(
  run: WorkspaceContext,
  workspace: Workspace,
  file: string,
): Promise<string | undefined> {
  const listed = workspace.manifest.names.get(file);
  if (listed !== undefined) return listed;
  const history = workspace.openHistory();
  try {
    return (await renamedEntries(run, workspace, [file], history)).get(file) ?? nameFrom(file);
  } finally {
    await history?.close();
  }
}

/** The names of files that git renamed, and that `names` in vals.json still has under their old paths. */
async function renamedEntries(
  { out: { say } }: WorkspaceContext,
  workspace: Workspace,
  files: readonly string[],
  history: GitHistory | undefined,
): Promise<ReadonlyMap<string, string>> {
  const { names } = workspace.manifest;
  const present = new Set(files);
  const gone = new Map(
    [...names].filter(([file]) => !present.has(file) && !existsBelow(workspace.root, file)),
  );
  const renamed = new Map<string, string>();
  if (history === undefined) return renamed;
  for (const file of files) {
    if (gone.size === 0) break;
    if (names.has(file)) continue;
    const from = (await history.renamedFrom(file, (path) => gone.has(path))) ?? '';
    const name = gone.get(from);
    if (name === undefined) continue;
    gone.delete(from);
    renamed.set(file, name);
    say({
      kind: 'note',
      text: `git renamed ${pathTo(workspace, from)} to ${pathTo(workspace, file)}, so it is still the val "${name}". In vals.json, change "${from}" in "names" to "${file}".`,
    });
  }
  return renamed;
}

/** Throws if one of the chosen files has no usable name, or shares its name with another file of the workspace. */
export function usableVals(
  workspace: Workspace,
  names: FileNames,
  isChosen: (file: string) => boolean,
): LocalVal[] {
  const chosen = [...names].filter(([file]) => isChosen(file));
  const chosenNames = new Set(chosen.map(([, name]) => name));
  const others = [...names].filter(([file, name]) => !isChosen(file) && name && chosenNames.has(name));
  // Of two files of one name, the hint names the second: the chosen one.
  refuseUnusableNames(
    [...others, ...chosen].map(([file, name]) => ({ file: pathTo(workspace, file), name })),
  );
  return chosen.map(([file, name = '']) => ({ file, name }));
}

/** All vals with usable names, and what is wrong with the others. */
export function namedVals(
  workspace: Workspace,
  names: FileNames,
): { vals: LocalVal[]; problem: UsageError | undefined } {
  const counts = new Map<string, number>();
  for (const name of names.values()) if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  const vals = [...names].flatMap(([file, name = '']) => (counts.get(name) === 1 ? [{ file, name }] : []));
  try {
    usableVals(workspace, names, () => true);
    return { vals, problem: undefined };
  } catch (error) {
    if (error instanceof UsageError) return { vals, problem: error };
    throw error;
  }
}

/** The workspace that a command with words works on: vals, paths or folders of one workspace. */
export function workspaceOfWords(workspaces: Workspaces, words: readonly string[]): Workspace {
  // A word without a slash may be the name of a val.
  for (const word of words) if (withSlashes(word).includes('/')) workspaces.refuseOtherRepository(word);
  const found = words.flatMap((word) => workspaces.placeOf(word)?.workspace ?? []);
  const [workspace = workspaces.here(), another] = new Set(found);
  if (workspace === undefined) throw notInWorkspace();
  if (another === undefined) return workspace;
  throw new UsageError('The files belong to several workspaces.', {
    hint: 'Run the command once for each workspace.',
  });
}

export const isBelow = (workspace: Workspace, paths: readonly string[], file: string): boolean =>
  paths.length === 0 ||
  paths.some((path) => {
    const chosen = relativeTo(workspace, path);
    return chosen === '' || chosen === file || file.startsWith(`${chosen}/`);
  });
