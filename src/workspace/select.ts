// Which vals of a workspace a command is about.
import { findNewFiles } from './sources/new-files.ts';
import { createVals, type WorkspaceVal } from './vals.ts';
import { findVal, type KnownVals, relativeTo, unknownVal } from './workspace.ts';

/** All of them, new files included, or those that were named, each once. */
export async function selectVals(
  workspace: KnownVals,
  words: readonly string[],
  warn: (message: string) => void,
): Promise<WorkspaceVal[]> {
  const isEverything = words.length === 0;
  const mayBeNew = words.some((word) => findVal(workspace, word) === undefined);
  const fresh =
    isEverything || mayBeNew
      ? (await findNewFiles(workspace.root, [...workspace.vals], warn)).map((source) => ({
          ...source,
          id: undefined,
        }))
      : [];
  const all = createVals([...workspace.vals, ...fresh]);
  if (isEverything) return [...all];
  const named = words.map((word) => {
    const found = findVal({ ...workspace, vals: all }, word);
    if (found === undefined) throw unknownVal({ vals: all }, word);
    return found;
  });
  return [...new Set(named)];
}

/** Whether a file is one of these paths, or below one; without paths, all are. */
export const isBelow = (workspace: KnownVals, paths: readonly string[], file: string): boolean =>
  paths.length === 0 ||
  paths.some((path) => {
    const place = relativeTo(workspace, path);
    return place === '' || place === file || file.startsWith(`${place}/`);
  });
