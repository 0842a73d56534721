// The val of a file, wherever the file is: in a workspace, or outside of all.
import { resolve } from 'node:path';
import type { Context, FindFile } from '../core/command-line/command.ts';
import { nameFrom } from '../core/files/val-names.ts';
import { isCode } from '../core/files/walk.ts';
import type { FileOfVal } from '../core/find-val/find-val.ts';
import { isFile, typedAsOnDisk } from '../core/lib/paths.ts';
import { isKnownToGit, openRepository } from './git/repository.ts';
import { openLastSyncs } from './last-syncs.ts';
import { chosenService } from './manifest.ts';
import { nameOfFile } from './read/local.ts';
import { createWorkspaces, type PathInWorkspace } from './workspace.ts';

export function openFiles(context: Context): FindFile {
  const workspaces = createWorkspaces(context);
  return (word) => fileOfWord(context, workspaces.placeOf(word), word);
}

/** Undefined if the word is no path of a file that is there or that git knows. */
async function fileOfWord(
  context: Context,
  place: PathInWorkspace | undefined,
  word: string,
): Promise<FileOfVal | undefined> {
  const { cwd } = context.settings;
  const isListed = place?.workspace.manifest.names.has(place.file) === true;
  const isThere = isListed || isFile(resolve(cwd, word));
  if (!isThere && !(isCode(word) && (await isInGit(context, place, word)))) return undefined;
  const name =
    place === undefined
      ? nameFrom(typedAsOnDisk(word, context.settings))
      : nameOfFile(place.workspace, place.file);
  return name === undefined ? undefined : { path: word, name, syncedId: knownId(context, place, name) };
}

async function isInGit(context: Context, place: PathInWorkspace | undefined, word: string): Promise<boolean> {
  const repository = openRepository(place?.workspace.root ?? context.settings.cwd, context.host);
  return repository !== undefined && isKnownToGit(repository, place?.file ?? word);
}

/** Of the last sync, or of vals.json. */
function knownId(
  { settings }: Context,
  place: PathInWorkspace | undefined,
  name: string,
): string | undefined {
  const service = chosenService(settings);
  if (place === undefined || service === undefined) return undefined;
  const { own, manifest } = place.workspace;
  return openLastSyncs(own, service).of(name)?.id ?? manifest.ids.get(service)?.get(name);
}
