import type { Api } from '../api/api.ts';
import * as routes from '../api/routes.ts';
import { LocalError, NotFoundError } from '../errors.ts';
import type { Outcome } from '../lib/outcome.ts';
import { notDeleted, otherName } from './conflicts.ts';
import { existsBelow } from './disk/files.ts';
import { updateManifest, type WorkspaceContext } from './disk/manifest-file.ts';
import { examine } from './examine.ts';
import type { PushOptions } from './push-val.ts';
import { idAndVersion, isSameVersion, type RemoteVal, type RemoteVals } from './remote-vals.ts';
import type { WorkspaceVal } from './vals.ts';
import { pathTo, type Workspace } from './workspace.ts';

/** Returns undefined if the service has no such val. Throws if the val must not be deleted. */
export async function readPrunable(
  workspace: Workspace,
  remotes: RemoteVals,
  val: WorkspaceVal,
): Promise<RemoteVal | undefined> {
  const recorded = workspace.records.of(val);
  // Without the code, the val itself is read, and not only seen in the list.
  const examined = await examine(workspace, remotes, val, { record: recorded, code: undefined });
  const { remote, record, isOthers, name, isNameUnknown, isRemoteAssumed } = examined;
  const refusal = (reason: string) => notDeleted(pathTo(workspace, val.file), reason);
  if (isOthers) throw refusal('the val belongs to another owner');
  if (isNameUnknown || isRemoteAssumed)
    throw refusal('its id is not known, and the service cannot list vals');
  if (remote === undefined) return undefined;
  if (name === 'other val') throw otherName(workspace, examined);
  if (name !== 'same') throw refusal(`the val is named "${remote.name}" on the service`);
  // Some services answer a push without the version. Then only the code can be compared.
  const hasOtherVersion = record?.version !== undefined && !isSameVersion(remote.version, record.version);
  const hasOtherCode = record !== undefined && remote.code !== record.code;
  if (hasOtherVersion || hasOtherCode) throw refusal('the val changed on the service');
  return remote;
}

export async function pruneVal(
  workspace: Workspace,
  api: Api,
  val: WorkspaceVal,
  { remotes, dryRun, beforeSending }: Pick<PushOptions, 'remotes' | 'dryRun' | 'beforeSending'>,
): Promise<Outcome> {
  // While the command asked for confirmation, the user may have restored the file, or another command may have moved
  // the val to another file or removed it from vals.json.
  const listed = workspace.vals.ofFile(val.file);
  const isListed = listed !== undefined && listed.id === val.id;
  if (!isListed || existsBelow(workspace.root, val.file)) return { status: 'skipped' };
  const remote = await readPrunable(workspace, remotes, val);
  if (remote?.id === undefined) {
    // An earlier prune of this folder deleted the val, and was interrupted then.
    const wasDeletedHere = workspace.records.of(val) !== undefined;
    return { status: wasDeletedHere ? 'deleted' : 'unchanged', ...idAndVersion(val.id, undefined) };
  }
  const idAndVersionThere = idAndVersion(remote.id, remote.version);
  if (dryRun) return { status: 'planned', ...idAndVersionThere };
  beforeSending();
  await api.send({ ...routes.deleteVal(remote.id), ifMatch: remote.etag }).catch((error) => {
    if (!(error instanceof NotFoundError)) throw error;
  });
  return { status: 'deleted', ...idAndVersionThere };
}

/** Takes the vals out of vals.json whose files are gone here and which the service does not have any more. */
export async function forgetPruned(
  { root, service, records }: Workspace,
  context: WorkspaceContext,
  files: readonly string[],
): Promise<LocalError | undefined> {
  if (files.length === 0) return undefined;
  try {
    await updateManifest(root, context, ({ vals }) => {
      for (const file of files) {
        const entry = vals.get(file);
        entry?.ids.delete(service);
        if (entry?.ids.size === 0) vals.delete(file);
      }
    });
    for (const file of files) records.remove(file);
    return undefined;
  } catch (error) {
    if (error instanceof LocalError) return error;
    throw error;
  }
}
