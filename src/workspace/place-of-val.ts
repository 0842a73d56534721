import type { Context } from '../core/command-line/context.ts';
import { isCode } from '../core/files/walk.ts';
import { textAt } from '../core/http/record-fields.ts';
import { fileWithName } from './file-of-val.ts';
import type { Workspace } from './workspace.ts';
import { createWorkspaces } from './workspaces.ts';

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
