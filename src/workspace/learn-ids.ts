// Learns the ids of vals that were pushed to a service that sent none, from its list of vals.
import { ValsError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { idAndVersion, type RemoteVals } from './remote-vals.ts';
import type { WorkspaceVal } from './vals.ts';
import type { Workspace } from './workspace.ts';

/** The id and version of the val; nothing if the service has no list, or if the val is not in it. */
export async function learnId(
  workspace: Workspace,
  remotes: RemoteVals,
  { file, name }: WorkspaceVal,
): Promise<JsonObject> {
  const sent = workspace.bases.read({ name });
  // The push succeeded, so a failure of this lookup is no failure of the push.
  const remote = await remotes.named(name).catch(unknownIfRefused);
  if (sent === undefined || remote === undefined || remote === 'unknown' || remote.id === undefined)
    return {};
  const { id } = remote;
  // Somebody may have changed the val since it was sent.
  const base = remote.code === sent.code ? remote : sent;
  workspace.bases.write({ id, name }, base);
  workspace.remember({ file, name, id });
  return idAndVersion(id, base.version);
}

function unknownIfRefused(error: unknown): 'unknown' {
  if (error instanceof ValsError) return 'unknown';
  throw error;
}
