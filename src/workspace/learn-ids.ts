import { ValsError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { idAndVersion, type RemoteVals } from './remote-vals.ts';
import type { WorkspaceVal } from './vals.ts';
import type { Workspace } from './workspace.ts';

/** Finds the id of a val that the service stored without telling its id. */
export async function learnId(
  workspace: Workspace,
  remotes: RemoteVals,
  { file, name }: WorkspaceVal,
): Promise<JsonObject> {
  const sent = workspace.records.of({ file, name });
  const remote = await remotes.named(name).catch(unknownIfRefused);
  if (sent === undefined || remote === undefined || remote === 'unknown' || remote.id === undefined)
    return {};
  const { id } = remote;
  const { version, changedAt } = remote.code === sent.code ? remote : sent;
  workspace.records.write({ ...sent, file, id, version, changedAt });
  workspace.remember({ file, name, id });
  return idAndVersion(id, version);
}

function unknownIfRefused(error: unknown): 'unknown' {
  if (error instanceof ValsError) return 'unknown';
  throw error;
}
