// `vals val set`: as in core, and says how the file keeps a val that has another name now.
import { resolve } from 'node:path';
import { type Context, defineCommand } from '../../core/command-line/command.ts';
import { command as coreSet } from '../../core/commands/val/set.ts';
import type { GivenVal } from '../../core/find-val/find-val.ts';
import { isFile } from '../../core/lib/paths.ts';
import { nameOfFile, readFileNames } from '../read/local.ts';
import { createWorkspaces, type PathInWorkspace } from '../workspace.ts';

export const command = defineCommand({
  ...coreSet,
  async run(context, input) {
    const { val, name, dryRun } = input;
    const place = name === undefined || dryRun ? undefined : await placeOfVal(context, val);
    const result = await coreSet.run(context, input);
    const isRenamed = result.kind !== 'record' || result.error === undefined;
    if (name !== undefined && place !== undefined && isRenamed) noteOnFile(context, place, name);
    return result;
  },
});

/** The file of the val. Of a val that was given by its id, the name is the one that this machine has seen. */
async function placeOfVal(
  context: Context,
  { id, word, name }: GivenVal,
): Promise<PathInWorkspace | undefined> {
  const workspaces = createWorkspaces(context);
  if (isFile(resolve(context.settings.cwd, word))) return workspaces.placeOf(word);
  const workspace = workspaces.here();
  const before = name ?? context.vals.seen.recall().vals.find((val) => val.id === id)?.name;
  if (workspace === undefined || before === undefined) return undefined;
  const [file] = [...(await readFileNames(workspace))].find(([, named]) => named === before) ?? [];
  return file === undefined ? undefined : { workspace, file };
}

/** The file keeps its name, although its val has another one now. */
function noteOnFile({ out }: Context, { workspace, file }: PathInWorkspace, name: string): void {
  if (nameOfFile(workspace, file) === name) return;
  const entry = `{${JSON.stringify(file)}: ${JSON.stringify(name)}}`;
  out.say({
    kind: 'note',
    text: `The file ${file} keeps its val with this entry in vals.json: "names": ${entry}.`,
  });
}
