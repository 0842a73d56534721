import { defineCommand } from '../cli/command.ts';
import { summarizeRemarks } from '../cli/failures.ts';
import { namePattern, nameRule } from '../lib/val-limits.ts';
import { column } from '../terminal/column.ts';
import { readManifest, updateManifest } from '../workspace/disk/manifest-file.ts';
import { nearestRootOfAnyUser, refuseNested, refuseOthers } from '../workspace/disk/root.ts';
import { findNewFiles } from '../workspace/select.ts';
import type { Source } from '../workspace/sources/walk.ts';

export const command = defineCommand({
  summary: 'Make this folder a workspace',
  description:
    'Make this folder a workspace. The command writes vals.json, which lists the file and the id of each val. Commit ' +
    'vals.json. The folder .vals keeps the base of each val: the last code that the file and the service had in common. ' +
    'git ignores .vals. Nothing is sent. To add new files to vals.json, run the command again.',
  examples: ['vals init'],
  columns: [column('status'), column('file'), column('vals'), column('added')],
  async run(context) {
    const { settings, say } = context;
    const here = settings.cwd;
    refuseOthers(settings, here);
    refuseNested(settings, here);
    let added: Source[] = [];
    let total = 0;
    const known = nearestRootOfAnyUser(here) === here ? sourcesIn(here) : [];
    const found = await findNewFiles(here, known, say.warn);
    const status = await updateManifest(here, context, ({ vals }) => {
      added = found.filter(({ file }) => !vals.has(file));
      for (const { file, name } of added) vals.set(file, { name, ids: new Map(), unknownKeys: {} });
      total = vals.size;
    });
    const refusable = added.filter(({ name }) => !namePattern.test(name));
    const message = `The service may refuse the name of the val. ${nameRule} Change the name in vals.json, or list the file in .valsignore.`;
    for (const sentence of summarizeRemarks(refusable.map(({ file }) => ({ label: file, message })))) {
      say.warn(sentence);
    }
    const vals = (count: number) => `${count} val${count === 1 ? '' : 's'}`;
    if (status === 'created') say.done(`This folder is now a workspace with ${vals(total)}.`);
    else if (added.length > 0) say.done(`Added ${vals(added.length)} to vals.json.`);
    say.hint(
      total === 0
        ? 'Write some code to hello.ts, then run `vals push`.'
        : 'To send new and changed files, run `vals push`. To compare the files with the service, run `vals status`.',
    );
    const record = { status, file: 'vals.json', vals: total, added: added.map(({ file }) => file) };
    return { kind: 'record', record };
  },
});

const sourcesIn = (root: string): Source[] =>
  [...readManifest(root).vals].map(([file, { name }]) => ({ file, name }));
