import { looksLikeId } from '../api/id.ts';
import { runBatch } from '../cli/batch.ts';
import { argument, defineCommand, toggle, word } from '../cli/command.ts';
import { createResolver } from '../cli/resolve-vals.ts';
import { UsageError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { column, idColumn } from '../terminal/column.ts';
import { adopt } from '../workspace/adopt.ts';
import { createBackup } from '../workspace/disk/backup.ts';
import { followMoves } from '../workspace/moved.ts';
import { pullVal } from '../workspace/pull-val.ts';
import { createRemoteVals } from '../workspace/remote-vals.ts';
import type { WorkspaceVal } from '../workspace/vals.ts';
import { findVal, openWorkspace } from '../workspace/workspace.ts';
import { fileColumn, outcomeColumn } from './shared/columns.ts';

export const command = defineCommand({
  summary: "Bring the service's code into the workspace",
  description:
    "Bring the service's code into the files of the workspace, or add a val that the workspace does not have yet. A file that was changed " +
    'here is not overwritten without --force; --merge merges both sides and marks what it cannot decide.',
  arguments: { vals: argument('[val...]', 'names, files or ids; all of the workspace when absent') },
  options: {
    merge: toggle('--merge', 'merge what changed on both sides', { conflicts: ['force'] }),
    force: toggle('--force', 'overwrite what was changed here; a copy is kept in .vals/backup'),
    file: word('--file <path>', 'the file for a val that the workspace does not know yet'),
    dryRun: toggle('--dry-run', 'write nothing; print what would be done'),
  },
  examples: ['vals pull', 'vals pull hello.ts --merge', 'vals pull 4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11'],
  columns: [
    outcomeColumn,
    column('name'),
    { ...column('version'), droppable: 3 },
    idColumn('id'),
    fileColumn,
  ],
  empty: 'Nothing to pull.',
  async run(context, { vals: words, merge = false, force = false, dryRun = false, file }) {
    const { connect, signal, progress, say } = context;
    const workspace = await followMoves(openWorkspace(context), context);

    const resolve = await createResolver(context, false);
    const items: (WorkspaceVal | { id: string })[] = [];
    for (const word of new Set(words)) {
      const known = findVal(workspace, word);
      const id = known || looksLikeId(word) ? word : await resolve(word);
      items.push(known ?? findVal(workspace, id) ?? { id });
    }
    if (file !== undefined && (items.length !== 1 || 'file' in (items[0] ?? {}))) {
      throw new UsageError('--file is for one val that the workspace does not know yet.', {
        hint: 'To change the file of a val that it knows, edit vals.json.',
      });
    }
    const chosen = words.length === 0 ? [...workspace.vals] : items;
    const backup = createBackup(workspace.root);
    const api = await connect();
    const remotes = createRemoteVals({ ...context, api }, chosen.length);
    const options = { merge, force, dryRun, isNamed: words.length > 0, backup, holdsToken: api.holdsToken };
    const onFinished = (finished: number) => progress.show(`Pulling ${finished} of ${chosen.length}`);
    onFinished(0);
    const { rows, error } = await runBatch<(typeof chosen)[number]>(chosen, {
      describe: (item): JsonObject =>
        'file' in item ? { file: item.file, name: item.name } : { id: item.id },
      concurrency: 'auto',
      signal,
      onFinished,
      report: {
        label: (item) => ('file' in item ? item.file : item.id),
        say,
      },
      work: (item, remark) =>
        'file' in item
          ? pullVal(workspace, remotes, item, { ...options, remark })
          : adopt(workspace, remotes, item.id, { ...options, file, remark }),
    });
    const { files, folder } = backup;
    if (files.length > 0) {
      const what = files.length === 1 ? files[0] : `${files.length} files`;
      context.say.note(`What ${what} held before is kept in ${folder}.`);
    }
    const unsaved = dryRun ? undefined : await workspace.saveManifest();
    // Of hundreds of vals, a person wants to see those that something happened to.
    const isNews = ({ status }: JsonObject) =>
      words.length > 0 || !context.forPerson || status !== 'unchanged';
    if (chosen.length === 0) context.say.hint('`vals pull <val>` adds a val of the service.');
    return { kind: 'outcomes', rows: rows.filter(isNews), error: error ?? unsaved };
  },
});
