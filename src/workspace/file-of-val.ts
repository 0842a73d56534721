// The val of a file, wherever the file is: in a workspace, or outside of all.
import { resolve } from 'node:path';
import { nameFrom } from '../core/files/val-names.ts';
import { isCode } from '../core/files/walk.ts';
import type { FileOfVal } from '../core/find-val/identify.ts';
import type { Lookup } from '../core/find-val/my-vals.ts';
import { isFile } from '../core/lib/paths.ts';
import { chosenService } from '../core/settings/settings.ts';
import { isKnownToGit } from './git-history.ts';
import { createRemoteVals, type RemoteVal } from './remote-vals.ts';
import { nameOfFile, readFileNames } from './select.ts';
import type { Workspace, WorkspaceContext } from './workspace.ts';
import type { PathInWorkspace, Workspaces } from './workspaces.ts';

interface WordContext extends WorkspaceContext {
  workspaces: Workspaces;
}

/** Undefined if the word is no path of a file that is there or that git knows. */
export async function fileOfWord(context: WordContext, word: string): Promise<FileOfVal | undefined> {
  const { workspaces, settings, env } = context;
  const place = workspaces.placeOf(word);
  const isListed = place?.workspace.manifest.names.has(place.file) === true;
  const isThere = isListed || isFile(resolve(settings.cwd, word));
  const folder = place?.workspace.root ?? settings.cwd;
  const isKnown = isThere || (isCode(word) && (await isKnownToGit(folder, place?.file ?? word, env)));
  if (!isKnown) return undefined;
  const name = await nameInPlace(context, place, word);
  return name === undefined ? undefined : { path: word, name, recordedId: recordedId(context, place, name) };
}

const nameInPlace = async (
  context: WorkspaceContext,
  place: PathInWorkspace | undefined,
  path: string,
): Promise<string | undefined> =>
  place === undefined ? nameFrom(path) : nameOfFile(context, place.workspace, place.file);

function recordedId(
  { settings }: WordContext,
  place: PathInWorkspace | undefined,
  name: string,
): string | undefined {
  if (place === undefined || chosenService(settings) === undefined) return undefined;
  return place.workspace.records.of(name)?.id;
}

/** The val that a push of the file would update. */
export async function valOfFile(
  context: Lookup & WordContext,
  path: string,
  { mostSeconds }: { mostSeconds: number },
): Promise<RemoteVal | undefined> {
  const place = context.workspaces.placeOf(path);
  const name = await nameInPlace(context, place, path);
  if (name === undefined) return undefined;
  const record = place?.workspace.records.of(name);
  const found = await createRemoteVals(context, 1, { mostSeconds }).named(name, record);
  return found === 'unknown' ? undefined : found;
}

/** The file of the workspace whose val has this name. */
export async function fileWithName(
  context: WorkspaceContext,
  workspace: Workspace,
  name: string,
): Promise<string | undefined> {
  const history = workspace.openHistory();
  try {
    const names = await readFileNames(context, workspace, { history });
    return [...names].find(([, each]) => each === name)?.[0];
  } finally {
    await history?.close();
  }
}
