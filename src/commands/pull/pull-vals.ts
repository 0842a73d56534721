import { dirname } from 'node:path';
import { runBatch } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { addTo, type Remarked, summarizeRemarks } from '../../cli/failures.ts';
import { UsageError, type ValsError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { OutcomeRow } from '../../lib/outcome.ts';
import type { Say } from '../../lib/say.ts';
import type { ValInList } from '../../names/listed-vals.ts';
import { column, idColumn } from '../../terminal/column.ts';
import { createAdopter, fileOfName, quoted } from '../../workspace/adopt.ts';
import { removeLeftovers } from '../../workspace/disk/write-files.ts';
import { createForgottenCheck } from '../../workspace/forget-val.ts';
import { pullVal } from '../../workspace/pull-val.ts';
import { createBackup } from '../../workspace/records/backup.ts';
import type { ValRecord } from '../../workspace/records/val-records.ts';
import type { RemoteVals } from '../../workspace/remote-vals.ts';
import { createNestedProjectCheck } from '../../workspace/sources/nested-project.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { nameOf, pathTo, relativeTo, type Workspace } from '../../workspace/workspace.ts';
import { noteMove } from '../push/move-notes.ts';
import { fileColumn, outcomeColumn } from '../shared/columns.ts';

interface NewVal {
  id: string;
  listedName?: string | undefined;
}

/** `record` is that of an interrupted command, which wrote the file but not vals.json. */
export type PullItem = (WorkspaceVal & { record?: ValRecord }) | NewVal;

const isKnown = (item: PullItem): item is WorkspaceVal & { record?: ValRecord } => 'file' in item;

export const pullColumns = [
  outcomeColumn,
  column('name'),
  { ...column('version'), droppable: 3 },
  idColumn('id'),
  fileColumn,
];

export interface Pulling {
  workspace: Workspace;
  remotes: RemoteVals;
  items: readonly PullItem[];
  merge: boolean;
  force: boolean;
  dryRun: boolean;
  isNamedInCommand: boolean;
  file?: string | undefined;
}

export async function pullVals(
  { signal, say }: Pick<Context, 'signal' | 'say'>,
  { workspace, remotes, items, file, ...given }: Pulling,
): Promise<{ rows: readonly OutcomeRow[]; error: ValsError | undefined }> {
  const backup = createBackup(workspace.own);
  const isInOtherProject = createNestedProjectCheck(workspace.root);
  const gone = new Set<string>();
  const onMove = (val: WorkspaceVal) => noteMove({ say }, workspace, val);
  const onGone = ({ file }: WorkspaceVal) => void gone.add(file);
  const options = { ...given, backup, isInOtherProject, onMove, onGone };
  const adopt = createAdopter(workspace);
  const remarks: Remarked[] = [];
  const remark = addTo(remarks);
  const tasks = items.map((item) => ({
    row: rowOf(workspace, item),
    label: labelOf(workspace, item),
    run: () =>
      isKnown(item)
        ? pullVal(workspace, remotes, item, { ...options, remark })
        : adopt(remotes, item.id, { ...options, file, remark }),
  }));
  const wording = { say, verb: 'pulled', things: 'vals', progress: 'Pulling' };
  const { rows, error } = await runBatch(tasks, { concurrency: 'auto', signal, ...wording });
  for (const sentence of summarizeRemarks(remarks)) say({ kind: 'warning', text: sentence });
  const { files, folder } = backup;
  if (files.length > 0) {
    const [first = ''] = files;
    const what = files.length === 1 ? pathTo(workspace, first) : `${files.length} files`;
    say({ kind: 'note', text: `The old content of ${what} is kept in ${folder}.` });
  }
  const unsaved = given.dryRun ? undefined : await workspace.saveManifest();
  const written = rows.filter(({ status }) => status === 'pulled' || status === 'merged');
  const folders = new Set(written.map((row) => dirname(relativeTo(workspace, `${row.file}`))));
  for (const folder of folders) removeLeftovers(workspace.root, folder);
  const isShown = (index: number) => {
    const item = items[index];
    return item === undefined || !isKnown(item) || !gone.has(item.file);
  };
  return { rows: rows.filter((_row, index) => isShown(index)), error: error ?? unsaved };
}

const rowOf = (workspace: Workspace, item: PullItem): JsonObject =>
  isKnown(item)
    ? { file: pathTo(workspace, item.file), name: item.name }
    : { ...(item.listedName !== undefined && { name: item.listedName }), id: item.id };

function labelOf(workspace: Workspace, item: PullItem): string {
  if (isKnown(item)) return pathTo(workspace, item.file);
  return item.listedName === undefined ? item.id : quoted(item.listedName);
}

export async function listAll(remotes: RemoteVals, service: string): Promise<ValInList[]> {
  const listed = await remotes.all();
  if (listed !== undefined) return listed;
  throw new UsageError(`${nameOf(service)} cannot list your vals, so vals can be pulled only by their ids.`, {
    hint: { text: 'To add a val to a workspace by its id', command: 'pull', input: { vals: true } },
  });
}

/** Leaves out vals whose files .valsignore lists, as `vals forget` does it. */
export async function selectAll(
  { root, vals, service, records }: Workspace,
  remotes: RemoteVals,
  say: Say,
): Promise<PullItem[]> {
  const listed = await listAll(remotes, service);
  const isInWorkspace = (id: string, name: string | undefined) => {
    if (vals.ofId(id) !== undefined) return true;
    const sameName = name === undefined ? undefined : vals.ofName(name);
    return sameName !== undefined && sameName.id === undefined;
  };
  const added = listed.filter(({ id, name }) => !isInWorkspace(id, name));
  // An interrupted command wrote files and records, but not vals.json.
  const recorded = new Map(records.all().flatMap((record) => (record.id ? [[record.id, record]] : [])));
  const isForgotten = createForgottenCheck(root);
  const leftOut: string[] = [];
  const items = added.flatMap(({ id, name }): PullItem[] => {
    const record = recorded.get(id);
    const isRecorded =
      record?.name === name && record !== undefined && vals.ofFile(record.file) === undefined;
    const file = isRecorded ? record.file : fileOfName(name ?? id);
    if (isForgotten({ file, name: name ?? id })) {
      leftOut.push(name ?? id);
      return [];
    }
    return isRecorded ? [{ id, name, file: record.file, record }] : [{ id, listedName: name }];
  });
  if (leftOut.length > 0)
    say({ kind: 'note', text: `Left out, because .valsignore lists their files: ${leftOut.join(', ')}.` });
  return [...vals, ...items];
}
