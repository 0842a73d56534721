import { defineCommand } from '../cli/command.ts';
import { valWord } from '../cli/value-types.ts';
import { embeddedService } from '../settings/settings.ts';
import { column } from '../terminal/column.ts';
import { findRoot, notInWorkspace } from '../workspace/disk/root.ts';
import { forgetVals } from '../workspace/forget-val.ts';
import { findVal, knownVals, unknownVal } from '../workspace/typed-words.ts';
import { pathTo } from '../workspace/workspace.ts';
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
    const { settings } = context;
    const root = findRoot(settings.cwd);
    if (root === undefined) throw notInWorkspace();
    const service = settings.local.value ? embeddedService : settings.baseUrl?.value.href;
    const known = knownVals(root, settings, service);
    const found = words.map((word) => {
      const val = findVal(known, word);
      if (val === undefined) throw unknownVal(known, word);
      return val;
    });
    const chosen = [...new Set(found)];
    const rowsWith = (status: string) =>
      chosen.map(({ file, name }) => ({ file: pathTo(known, file), name, status }));
    if (dryRun) return { kind: 'outcomes', rows: rowsWith('planned') };
    await forgetVals(known, context, chosen);
    context.say.hint('.valsignore now lists the forgotten files, so a push skips them.');
    return { kind: 'outcomes', rows: rowsWith('forgotten') };
  },
});
