import { dirname } from 'node:path';
import { runBatch, type Task } from '../../core/command-line/batch.ts';
import type { Run } from '../../core/command-line/command.ts';
import { fileColumn, outcomeColumn } from '../../core/commands/shared/columns.ts';
import { NotFoundError, UsageError } from '../../core/errors.ts';
import type { ValInList } from '../../core/find-val/directory.ts';
import { listOf } from '../../core/lib/hint.ts';
import { column, idColumn } from '../../core/output/column.ts';
import type { Rows } from '../../core/output/result.ts';
import { createAdopter } from '../adopt.ts';
import type { ComparedVals } from '../compare-workspace.ts';
import { removeLeftovers } from '../disk/write-files.ts';
import { type Examined, nameThereOf } from '../examine.ts';
import type { Look } from '../look.ts';
import { type Backup, createBackup } from '../records/backup.ts';
import type { ReadVal } from '../remote-vals.ts';
import { nameOfService, pathTo, relativeTo, type Workspace } from '../workspace.ts';
import { type PullOptions, pullVal } from './pull-val.ts';

export const pullColumns = [
  outcomeColumn,
  column('name'),
  { ...column('version'), droppable: 3 },
  idColumn('id'),
  fileColumn,
];

export interface Pulling {
  look: Look;
  /** Vals with a file here, and missing ones. */
  vals: readonly Examined[];
  /** Vals of the service that get a file. */
  added: readonly { id: string; name?: string | undefined }[];
  options: Omit<PullOptions, 'backup'>;
}

export async function pullVals(
  run: Pick<Run, 'host' | 'out'>,
  { look, vals, added, options: given }: Pulling,
): Promise<Rows> {
  const {
    host: { signal },
    out: { say },
  } = run;
  const { workspace } = look;
  const backup = createBackup(workspace.own);
  const options = { ...given, backup };
  const renamed: { from: string; to: string }[] = [];
  const pulled = vals.map((val): Task => {
    const file = pathTo(workspace, val.file);
    return {
      row: { file, name: val.name },
      label: file,
      async run() {
        const { outcome, nameBefore, conflict } = await pullVal(look, val, options);
        if (nameBefore !== undefined) renamed.push({ from: nameBefore, to: nameThereOf(val) ?? '' });
        if (conflict !== undefined) throw conflict;
        return outcome;
      },
    };
  });
  const tasks = [...pulled, ...adoptions(look, added, given)];
  const wording = { say, verb: 'pulled', things: 'vals' };
  const { rows, error } = await runBatch(tasks, {
    ...wording,
    concurrency: 'auto',
    signal,
    progress: 'Pulling',
  });
  for (const { from, to } of renamed) {
    const done = given.dryRun ? 'A pull would update vals.json.' : 'vals.json was updated.';
    say({ kind: 'note', text: `The val "${from}" is named "${to}" on the service. ${done}` });
  }
  noteKept(run, workspace, backup);
  const merged = rows.filter(({ status }) => status === 'merged').map(({ file }) => `${file}`);
  if (merged.length > 0)
    say({
      kind: 'hint',
      text: { text: 'To send the merged code', command: 'push', input: { paths: listOf(merged) } },
    });
  const written = rows.filter(({ status }) => status === 'pulled' || status === 'merged');
  const folders = new Set(written.map((row) => dirname(relativeTo(workspace, `${row.file}`))));
  for (const folder of folders) removeLeftovers(workspace.root, folder === '.' ? '' : folder);
  return { kind: 'list', rows, error };
}

/** Also adds every val of the list without a file, except those whose files were deleted here. */
export async function pullAll(
  run: Pick<Run, 'host' | 'out'>,
  { look, vals: all }: Pick<ComparedVals, 'look' | 'vals'>,
  options: Pulling['options'],
): Promise<Rows> {
  const isMissing = ({ status }: Examined) => status === 'missing here';
  const missing = all.filter(isMissing).map(({ name }) => name);
  if (missing.length > 0) {
    run.out.say({
      kind: 'note',
      text: [
        `Left out, because their files were deleted here: ${missing.join(', ')}.`,
        { text: 'To restore a file', command: 'pull', input: { vals: [missing[0] ?? ''] } },
      ],
    });
  }
  const here = new Set(all.flatMap(({ there }) => there?.id ?? []));
  const added = (await listAll(look)).filter(({ id }) => !here.has(id));
  return pullVals(run, { look, vals: all.filter((val) => !isMissing(val)), added, options });
}

/** Names of files are chosen in the order of the list, before anything is written. */
function adoptions(look: Look, added: Pulling['added'], { dryRun }: Pick<PullOptions, 'dryRun'>): Task[] {
  const adopter = createAdopter(look);
  return added.map(({ id, name }): Task => {
    const chosen = name === undefined ? undefined : adopter.fileFor({ name });
    return {
      row: { ...(name !== undefined && { name }), id },
      label: name === undefined ? id : `"${name}"`,
      async run() {
        const val = await readVal(look, id);
        return adopter.adopt(val, chosen ?? adopter.fileFor(val), { dryRun });
      },
    };
  });
}

async function readVal({ remotes, workspace }: Look, id: string): Promise<ReadVal> {
  const val = await remotes.read(id);
  if (val !== undefined) return val;
  throw new NotFoundError(
    `There is no val ${id} on ${nameOfService(workspace.service)}, or you are not allowed to read it.`,
    { hint: { text: 'To list your vals', command: 'ls' } },
  );
}

function noteKept({ out: { say } }: Pick<Run, 'out'>, workspace: Workspace, { files, folder }: Backup): void {
  const [first] = files;
  if (first === undefined) return;
  const what = files.length === 1 ? pathTo(workspace, first) : `${files.length} files`;
  say({ kind: 'note', text: `The old content of ${what} is kept in ${folder}.` });
}

export async function listAll({
  remotes,
  workspace,
}: Pick<Look, 'remotes'> & { workspace: Pick<Workspace, 'service'> }): Promise<readonly ValInList[]> {
  const listed = await remotes.all();
  if (listed !== undefined) return listed;
  throw new UsageError(
    `${nameOfService(workspace.service)} cannot list your vals, so vals can be pulled only by their ids.`,
    { hint: { text: 'To add a val to a workspace by its id', command: 'pull', input: { vals: true } } },
  );
}
