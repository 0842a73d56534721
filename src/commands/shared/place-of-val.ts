import { textAt } from '../../api/record-fields.ts';
import type { Context } from '../../cli/context.ts';
import { fileWithName } from '../../workspace/file-of-val.ts';
import { isCode } from '../../workspace/sources/walk.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { createWorkspaces } from '../../workspace/workspaces.ts';

/** The workspace and the file of a val: of the path that the user typed, or of the current folder. */
export async function placeOfVal(
  context: Context,
  id: string,
): Promise<{ workspace: Workspace; file: string; name: string } | undefined> {
  const workspaces = createWorkspaces(context);
  const word = context.givenVals.wordFor(id) ?? '';
  const typed = isCode(word) ? workspaces.placeOf(word) : undefined;
  const workspace = typed?.workspace ?? workspaces.here();
  if (workspace === undefined) return undefined;
  const name = textAt(await context.givenVals.readSummary(id), 'name') ?? '';
  const file = typed?.file ?? (await fileWithName(context, workspace, name));
  return file === undefined ? undefined : { workspace, file, name };
}
