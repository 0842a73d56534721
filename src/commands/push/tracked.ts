// Pushing what a workspace knows: compared first, and remembered after. Files beside it are pushed plainly.
import { join, relative } from 'node:path';
import type { Api } from '../../api/api.ts';
import type { Context } from '../../cli/context.ts';
import type { Outcome } from '../../lib/outcome.ts';
import { shell } from '../../lib/shell-command.ts';
import { readBelow } from '../../workspace/disk/files.ts';
import { followMoves } from '../../workspace/moved.ts';
import { pushVal } from '../../workspace/push-val.ts';
import { selectForPush } from '../../workspace/select.ts';
import { notEmpty } from '../../workspace/sources/read-text.ts';
import { isPath, nameFrom, refuseTwins } from '../../workspace/sources/walk.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import {
  fileBelow,
  findVal,
  type KnownVals,
  valsOf,
  type Workspace,
  workspaceAt,
} from '../../workspace/workspace.ts';
import { type SendOptions, type Tracker, untracked } from './tracker.ts';

/** With names alone, where nothing will be sent, no service has to be chosen. */
export async function tracked(context: Context, root: string, namesAlone: boolean): Promise<Tracker> {
  const plain = untracked(context);
  const workspace = namesAlone ? undefined : await followMoves(workspaceAt(root, context), context);
  const known: KnownVals = workspace ?? { root, cwd: context.settings.cwd, vals: valsOf(root, '') };
  return {
    async all() {
      const vals = await selectForPush(known, context.say);
      return vals.map((val) => ({ file: val.file, name: val.name, val, isNamed: false }));
    },
    pathOf(word) {
      const named = isPath(known.cwd, word) ? undefined : findVal(known, word);
      return named === undefined ? word : relative(known.cwd, join(root, named.file));
    },
    sourceOf(found) {
      const file = fileBelow(known, found.file);
      if (file === undefined) return plain.sourceOf(found);
      const val = valFor(file, known);
      return { ...found, name: val.name, val, isNamed: true };
    },
    async read(source) {
      const code = source.val && readBelow(root, source.val.file);
      if (code !== undefined) return notEmpty(source.file, code);
      return source.isNamed ? plain.read(source) : undefined;
    },
    push: (api, source, code, options) =>
      source.val === undefined || workspace === undefined
        ? plain.push(api, source, code, options)
        : pushTracked(context, workspace, api, source.val, code, options),
    settle: async () => workspace?.settle(),
  };
}

/** The val that vals.json has for a file, or the one that it would become. */
export function valFor(file: string, { vals }: KnownVals): WorkspaceVal {
  const known = vals.ofFile(file);
  if (known !== undefined) return known;
  const name = nameFrom(file);
  const namesake = vals.ofName(name);
  if (namesake !== undefined) refuseTwins([namesake, { file, name }]);
  return { file, name, id: undefined };
}

export async function pushTracked(
  { signal }: Context,
  workspace: Workspace,
  api: Api,
  val: WorkspaceVal,
  code: string | undefined,
  options: SendOptions,
): Promise<Outcome> {
  if (code === undefined) {
    options.remark(
      `${val.file} is gone; ${shell`vals pull ${val.file}`} brings it back, ${shell`vals forget ${val.file}`} leaves it out.`,
    );
    return { status: 'skipped' };
  }
  const beforeSending = () => signal.throwIfAborted();
  return pushVal(workspace, api, options.remotes, val, code, { ...options, beforeSending });
}
