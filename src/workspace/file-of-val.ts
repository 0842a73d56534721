// The val of a file, wherever the file is: in a workspace, or outside of all.

import { resolve } from 'node:path';
import type { FindFile, Run } from '../core/command-line/command.ts';
import { nameFrom } from '../core/files/val-names.ts';
import { isCode } from '../core/files/walk.ts';
import type { FileOfVal } from '../core/find-val/find-val.ts';
import { isFile } from '../core/lib/paths.ts';
import { chosenService } from '../core/settings/settings.ts';
import { isKnownToGit } from './git-history.ts';
import { nameOfFile } from './select.ts';
import type { WorkspaceContext } from './workspace.ts';
import { createWorkspaces, type PathInWorkspace, type Workspaces } from './workspaces.ts';

interface WordContext extends WorkspaceContext {
  workspaces: Workspaces;
}

export function openFiles(run: Run): FindFile {
  const workspaces = createWorkspaces(run);
  return (word) => fileOfWord({ ...run, workspaces }, word);
}

/** Undefined if the word is no path of a file that is there or that git knows. */
async function fileOfWord(run: WordContext, word: string): Promise<FileOfVal | undefined> {
  const {
    workspaces,
    settings,
    host: { env },
  } = run;
  const place = workspaces.placeOf(word);
  const isListed = place?.workspace.manifest.names.has(place.file) === true;
  const isThere = isListed || isFile(resolve(settings.cwd, word));
  const folder = place?.workspace.root ?? settings.cwd;
  const isKnown = isThere || (isCode(word) && (await isKnownToGit(folder, place?.file ?? word, env)));
  if (!isKnown) return undefined;
  const name = await nameInPlace(run, place, word);
  return name === undefined ? undefined : { path: word, name, recordedId: recordedId(run, place, name) };
}

const nameInPlace = async (
  run: WorkspaceContext,
  place: PathInWorkspace | undefined,
  path: string,
): Promise<string | undefined> =>
  place === undefined ? nameFrom(path) : nameOfFile(run, place.workspace, place.file);

function recordedId(
  { settings }: WordContext,
  place: PathInWorkspace | undefined,
  name: string,
): string | undefined {
  if (place === undefined || chosenService(settings) === undefined) return undefined;
  return place.workspace.records.of(name)?.id;
}
