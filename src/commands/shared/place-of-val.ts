import type { Context } from '../../cli/context.ts';
import type { Identity } from '../../names/identify.ts';
import { createWorkspaces } from '../../workspace/workspaces.ts';

/** The workspace and the file of a val: of the path that the user typed, or of the current folder. */
export function placeOfVal(context: Context, id: string): Identity['place'] {
  const typed = context.givenVals.placeOf(id);
  if (typed !== undefined) return typed;
  const workspace = createWorkspaces(context).here();
  const val = workspace?.vals.ofId(id);
  return workspace && val && { workspace, val };
}
