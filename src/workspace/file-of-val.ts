// Which val the path of a file means, for commands of core such as `vals val get hello.ts`.
import { resolve } from 'node:path';
import type { Context, FindFile, ValUse } from '../core/command-line/command.ts';
import { NotFoundError, UsageError } from '../core/errors.ts';
import { nameFrom } from '../core/files/val-names.ts';
import { isCode } from '../core/files/walk.ts';
import { isUsableFile } from '../core/files/within.ts';
import type { FileOfVal } from '../core/find-val/find-val.ts';
import { sh } from '../core/lib/hint.ts';
import { typedAsOnDisk } from '../core/lib/paths.ts';
import { isKnownToGit, openRepository } from './git/repository.ts';
import { openLastSyncs } from './last-syncs.ts';
import { chosenService, idsOn } from './manifest.ts';
import { nameOfFile } from './read/local.ts';
import { refuseOtherService } from './services.ts';
import { createWorkspaces, nameOfService, type PathInWorkspace } from './workspace.ts';

export function openFiles(context: Context, use: ValUse): FindFile {
  const workspaces = createWorkspaces(context);
  return async (word) => {
    const place = workspaces.placeOf(word);
    const isThere = isUsableFile(resolve(context.settings.cwd, word), context.host.agent);
    if (!isThere && !(isCode(word) && (await isInGit(context, place, word)))) return undefined;
    return place === undefined ? outsideOfAll(context, word) : inWorkspace(context, place, word, use);
  };
}

async function isInGit(context: Context, place: PathInWorkspace | undefined, word: string): Promise<boolean> {
  const repository = openRepository(place?.workspace.root ?? context.settings.cwd, context.host);
  return repository !== undefined && isKnownToGit(repository, place?.file ?? word);
}

function outsideOfAll({ settings }: Context, path: string): FileOfVal | undefined {
  const name = nameFrom(typedAsOnDisk(path, settings));
  return name === undefined ? undefined : { path, name, syncedId: undefined };
}

function inWorkspace(
  { settings }: Context,
  { workspace, file }: PathInWorkspace,
  path: string,
  { isForWriting }: ValUse,
): FileOfVal | undefined {
  if (isForWriting) refuseOtherService(workspace);
  const { dataFolder, manifest } = workspace;
  const name = nameOfFile(workspace, file);
  if (name === undefined) return undefined;
  const service = chosenService(settings);
  if (service === undefined) return { path, name, syncedId: undefined };
  const lastSyncs = openLastSyncs(dataFolder, service);
  const manifestId = idsOn(service, manifest).get(name);
  const isChosen = name !== nameFrom(file) || manifestId !== undefined;
  const synced = lastSyncs.of(name)?.id;
  // A push of other files says nothing about this one.
  const isPushed = lastSyncs.hasPushed() && synced !== undefined && (manifestId ?? synced) === synced;
  if (isForWriting && isChosen && !isPushed) throw notConfirmed({ path, name, id: manifestId }, service);
  const chosen =
    manifestId === undefined ? undefined : { id: manifestId, notFound: noChosenVal(path, name, manifestId) };
  return { path, name, chosen, syncedId: synced };
}

/** vals.json of a repository that was only cloned decides nothing that is written by a file which this folder never pushed. */
function notConfirmed(
  { path, name, id }: { path: string; name: string; id: string | undefined },
  service: string,
): UsageError {
  const val = id === undefined ? `"${name}"` : `"${name}" (${id})`;
  return new UsageError(
    `Only vals.json says that ${path} is the val ${val}, and this folder has not pushed that file to ${nameOfService(service)} yet.`,
    {
      hint: [
        `If you mean that val, give its ${id === undefined ? 'name' : 'id'} instead: ${id ?? name}.`,
        sh`To see what a push would do, run ${['status']}.`,
      ],
    },
  );
}

/** An id of vals.json means that val alone, whatever has its name now. */
const noChosenVal =
  (path: string, name: string, id: string) =>
  (nameNow: string | undefined): NotFoundError =>
    nameNow === undefined
      ? new NotFoundError(
          `vals.json says that ${path} is the val ${id}, which the service does not show: it was deleted, or belongs to somebody else.`,
          {
            hint: `Correct the entry "${name}" in "ids" of vals.json, or give the id of the val that you mean.`,
          },
        )
      : new NotFoundError(
          `vals.json says that ${path} is the val ${id}, which is named "${nameNow}" on the service now.`,
          { hint: `To use the val "${nameNow}", give its id: ${id}.` },
        );
