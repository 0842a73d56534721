import type { Api } from '../api/api.ts';
import * as routes from '../api/routes.ts';
import { ConflictError, LocalError, NotFoundError } from '../errors.ts';
import type { Outcome } from '../lib/outcome.ts';
import { shell } from '../lib/shell-command.ts';
import type { WorkspaceContext } from './disk/dot-vals.ts';
import { existsBelow } from './disk/files.ts';
import { updateManifest } from './disk/manifest-file.ts';
import type { PushOptions } from './push-val.ts';
import { idAndVersion, isSameVersion, type RemoteVal, type RemoteVals } from './remote-vals.ts';
import type { WorkspaceVal } from './vals.ts';
import type { Workspace } from './workspace.ts';

export async function readPrunable(
  { bases }: Workspace,
  remotes: RemoteVals,
  val: WorkspaceVal,
): Promise<RemoteVal | undefined> {
  const base = val.id === undefined ? undefined : bases.read(val);
  // Only a pull or push in this folder sets `base.name`. Without this check, a hostile vals.json could make
  // the command delete any val of the user.
  if (val.id === undefined || base?.name === undefined) throw withoutBase(val);
  const { remote, foreign } = await remotes.read(val.id);
  if (foreign !== undefined || (remote === undefined && val.otherServices !== undefined)) {
    throw notDeleted(val, 'the val belongs to another owner');
  }
  if (remote === undefined) return undefined;
  const nameThere = remote.name ?? base.name;
  if (nameThere !== val.name) {
    throw notDeleted(val, `the val is named "${nameThere}" on the service`);
  }
  const isSame = remote.code === base.code && isSameVersion(remote.version, base.version);
  if (!isSame) throw notDeleted(val, 'the val changed on the service');
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
  const isListed = workspace.vals.ofFile(val.file)?.id === val.id;
  if (!isListed || existsBelow(workspace.root, val.file)) return { status: 'skipped' };
  const remote = await readPrunable(workspace, remotes, val);
  const facts = idAndVersion(val.id, remote?.version);
  if (dryRun) return { status: 'planned', ...facts };
  if (remote !== undefined && val.id !== undefined) {
    beforeSending();
    await api.send(routes.deleteVal(val.id)).catch((error) => {
      if (!(error instanceof NotFoundError)) throw error;
    });
  }
  return { status: 'deleted', ...facts };
}

export async function forgetPruned(
  { root, service }: Workspace,
  context: WorkspaceContext,
  files: readonly string[],
): Promise<LocalError | undefined> {
  if (files.length === 0) return undefined;
  try {
    // One update deletes the id and the entry, because after a crash in between, no prune would remove the entry.
    await updateManifest(root, context, ({ vals }) => {
      for (const file of files) {
        const entry = vals.get(file);
        entry?.ids.delete(service);
        if (entry?.ids.size === 0) vals.delete(file);
      }
    });
    return undefined;
  } catch (error) {
    if (error instanceof LocalError) return error;
    throw error;
  }
}

const notDeleted = ({ file }: WorkspaceVal, reason: string): ConflictError =>
  new ConflictError(`${file} is gone, but its val was not deleted: ${reason}.`, {
    hint:
      `To restore the file, run ${shell`vals pull ${file}`}. ` +
      `To remove the file from vals.json, run ${shell`vals forget ${file}`}.`,
  });

const withoutBase = ({ file }: WorkspaceVal): ConflictError =>
  new ConflictError(
    `${file} is gone, but its val was not deleted: this folder never pulled or pushed the val.`,
    {
      hint:
        'To delete the val, find its id with `vals ls`, then run `vals val rm <id>`. ' +
        `To remove the file from vals.json, run ${shell`vals forget ${file}`}.`,
    },
  );
