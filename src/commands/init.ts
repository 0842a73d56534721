import { defineCommand } from '../cli/command.ts';
import { messageWithHint } from '../errors.ts';
import { warnWith } from '../lib/say.ts';
import { column } from '../terminal/column.ts';
import { updateManifest } from '../workspace/disk/manifest-file.ts';
import { findRoot, refuseNested } from '../workspace/disk/root.ts';
import { findNewFiles } from '../workspace/select.ts';
import { createVals, type WorkspaceVal } from '../workspace/vals.ts';
import { workspaceAt } from '../workspace/workspace.ts';

export const command = defineCommand({
  summary: 'Make this folder a workspace',
  description:
    'Make this folder a workspace. The command writes vals.json, which lists the file and the id of each val. Commit ' +
    'vals.json. Everything else that vals knows of the workspace is in your data directory. Nothing is sent. To add new ' +
    'files to vals.json, run the command again.',
  examples: ['vals init'],
  columns: [column('status'), column('file'), column('vals'), column('added')],
  async run(context) {
    const { settings, say } = context;
    const here = settings.cwd;
    refuseNested(here);
    let added: WorkspaceVal[] = [];
    let total = 0;
    const known =
      findRoot(here) === here ? workspaceAt(here, context) : { root: here, cwd: here, vals: createVals([]) };
    const newFiles = await findNewFiles(known, warnWith(say));
    const found = newFiles.filter(({ problem }) => problem === undefined);
    const problems = new Map(
      newFiles.flatMap(({ problem }) => (problem ? [[problem.message, problem]] : [])),
    );
    const [error, ...others] = problems.values();
    for (const problem of others) say({ kind: 'warning', text: messageWithHint(problem) });
    const status = await updateManifest(here, context, ({ vals }) => {
      added = found.filter(({ file }) => !vals.has(file));
      for (const { file, name } of added) vals.set(file, { name, ids: new Map(), unknownKeys: {} });
      total = vals.size;
    });
    const vals = (count: number) => `${count} val${count === 1 ? '' : 's'}`;
    if (status === 'created')
      say({ kind: 'done', text: `This folder is now a workspace with ${vals(total)}.` });
    else if (added.length > 0) say({ kind: 'done', text: `Added ${vals(added.length)} to vals.json.` });
    say({
      kind: 'hint',
      text:
        total === 0
          ? { text: 'Write some code to hello.ts. To send it', command: 'push' }
          : [
              { text: 'To send new and changed files', command: 'push' },
              { text: 'To compare the files with the service', command: 'status' },
            ],
    });
    const record = { status, file: 'vals.json', vals: total, added: added.map(({ file }) => file) };
    return { kind: 'record', record, error };
  },
});
