import { ValsError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { idAndVersion, type RemoteVals } from './remote-vals.ts';
import type { WorkspaceVal } from './vals.ts';
import type { Workspace } from './workspace.ts';

export async function learnId(
  workspace: Workspace,
  remotes: RemoteVals,
  { file, name }: WorkspaceVal,
): Promise<JsonObject> {
  const sent = workspace.bases.read({ name });
  const remote = await remotes.named(name).catch(unknownIfRefused);
  if (sent === undefined || remote === undefined || remote === 'unknown' || remote.id === undefined)
    return {};
  const { id } = remote;
  const base = remote.code === sent.code ? remote : sent;
  workspace.bases.write({ file, id, name }, { ...base, name });
  workspace.remember({ file, name, id });
  return idAndVersion(id, base.version);
}

function unknownIfRefused(error: unknown): 'unknown' {
  if (error instanceof ValsError) return 'unknown';
  throw error;
}
