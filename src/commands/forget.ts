import { defineCommand } from '../cli/command.ts';
import { valWord } from '../cli/value-types.ts';
import { identifyInWorkspace } from '../names/identify.ts';
import { notInThisWorkspace } from '../names/unknown-word.ts';
import { column } from '../terminal/column.ts';
import { forgetVals } from '../workspace/forget-val.ts';
import { workspaceOf } from '../workspace/select.ts';
import { pathTo } from '../workspace/workspace.ts';
import { createWorkspaces } from '../workspace/workspaces.ts';
import { outcomeColumn } from './shared/columns.ts';

export const command = defineCommand({
  summary: 'Remove vals from the workspace',
  description:
    'Remove vals from vals.json and list their files in .valsignore, so that the files are no longer pushed. The files and ' +
    'the vals on the service stay. To add a file again, ' +
    'remove its line from .valsignore, then run `vals push <file>`.',
  arguments: { vals: { description: 'names, files or ids of vals', value: valWord(), repeatable: true } },
  options: { dryRun: { description: 'write nothing; print what would be done' } },
  examples: ['vals forget hello'],
  columns: [outcomeColumn, column('name'), column('file')],
  async run(context, { vals: words, dryRun }) {
    const workspaces = createWorkspaces(context);
    const found = words.map((word) => {
      const val = identifyInWorkspace(workspaces, word);
      if (val === undefined) throw notInThisWorkspace(workspaceOf(workspaces, word), word);
      return val;
    });
    const chosen = [...new Map(found.map((each) => [each.val, each])).values()];
    const rowsWith = (status: string) =>
      chosen.map(({ workspace, val: { file, name } }) => ({ file: pathTo(workspace, file), name, status }));
    if (dryRun) return { kind: 'outcomes', rows: rowsWith('planned') };
    for (const workspace of new Set(chosen.map((each) => each.workspace))) {
      const vals = chosen.filter((each) => each.workspace === workspace).map(({ val }) => val);
      await forgetVals(workspace, context, vals);
    }
    context.say({ kind: 'hint', text: '.valsignore now lists the forgotten files, so a push skips them.' });
    return { kind: 'outcomes', rows: rowsWith('forgotten') };
  },
});
