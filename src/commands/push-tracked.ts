// Pushing what a workspace knows: compared first, and remembered after.
import type { Api } from '../api/api.ts';
import type { Context } from '../command.ts';
import type { JsonObject } from '../json.ts';
import { pushVal } from '../workspace/push-val.ts';
import {
  type KnownVals,
  valsOf,
  type Workspace,
  type WorkspaceVal,
  workspaceAt,
} from '../workspace/workspace.ts';
import { withVersionBefore } from './version-change.ts';

/** The workspace, and what it knows; names alone where nothing will be sent, which needs no service. */
export async function tracker(
  context: Context,
  root: string | undefined,
  namesAlone: boolean,
): Promise<{ workspace?: Workspace; known?: KnownVals }> {
  if (root === undefined) return {};
  if (namesAlone) return { known: { root, vals: valsOf(root, '') } };
  const workspace = workspaceAt(root, context);
  return { workspace, known: workspace };
}

export async function pushTracked(
  context: Context,
  workspace: Workspace,
  api: Api,
  val: WorkspaceVal,
  code: string | undefined,
  options: { force: boolean; dryRun: boolean },
): Promise<JsonObject> {
  const { warn, signal } = context;
  if (code === undefined) {
    warn(`${val.file} is gone; \`vals pull ${val.file}\` brings it back, and vals.json can forget it.`);
    return { status: 'skipped' };
  }
  const beforeSending = () => signal.throwIfAborted();
  const { outcome, before } = await pushVal(workspace, api, val, code, { ...options, beforeSending, warn });
  return withVersionBefore(outcome, before);
}
