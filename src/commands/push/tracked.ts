// Pushing what a workspace knows: compared first, and remembered after.
import { join, relative } from 'node:path';
import type { Api } from '../../api/api.ts';
import type { Context } from '../../cli/command.ts';
import type { JsonObject } from '../../lib/json.ts';
import { readBelow } from '../../workspace/disk/files.ts';
import { pushVal } from '../../workspace/push-val.ts';
import { selectVals } from '../../workspace/select.ts';
import { isPath, nameFrom, refuseTwins } from '../../workspace/sources/walk.ts';
import {
  fileBelow,
  findVal,
  type KnownVals,
  valsOf,
  type Workspace,
  type WorkspaceVal,
  workspaceAt,
} from '../../workspace/workspace.ts';
import { withVersionBefore } from '../shared/version-change.ts';
import type { SendOptions, Tracker } from './sources.ts';

/** With names alone, where nothing will be sent, no service has to be chosen. */
export function createTracker(context: Context, root: string, namesAlone: boolean): Tracker {
  const workspace = namesAlone ? undefined : workspaceAt(root, context);
  const known: KnownVals = workspace ?? { root, vals: valsOf(root, '') };
  return {
    all: () => selectVals(known, [], context.warn),
    find(path) {
      const file = fileBelow(root, path);
      return file === undefined ? undefined : valFor(file, known);
    },
    pathOf(word) {
      const named = isPath(word) ? undefined : findVal(known, word);
      return named === undefined ? word : relative('.', join(root, named.file));
    },
    read: (val) => readBelow(root, val.file),
    push: (api, val, code, options) =>
      pushTracked(context, workspace ?? workspaceAt(root, context), api, val, code, options),
  };
}

/** The val that vals.json has for a file, or the one that it would become. */
export function valFor(file: string, { vals }: KnownVals): WorkspaceVal {
  const known = vals.find((val) => val.file === file);
  if (known !== undefined) return known;
  const name = nameFrom(file);
  const namesake = vals.find((val) => val.name === name);
  if (namesake !== undefined) refuseTwins([namesake, { file, name }]);
  return { file, name, id: undefined };
}

export async function pushTracked(
  { warn, signal }: Context,
  workspace: Workspace,
  api: Api,
  val: WorkspaceVal,
  code: string | undefined,
  options: SendOptions,
): Promise<JsonObject> {
  if (code === undefined) {
    warn(`${val.file} is gone; \`vals pull ${val.file}\` brings it back, and vals.json can forget it.`);
    return { status: 'skipped' };
  }
  const beforeSending = () => signal.throwIfAborted();
  const { outcome, before } = await pushVal(workspace, api, val, code, { ...options, beforeSending, warn });
  return withVersionBefore(outcome, before);
}
