import { join } from 'node:path';
import type { Api } from '../../api/api.ts';
import { runBatch } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { UsageError, type ValsError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ListedVal } from '../../names/listed-vals.ts';
import { column, idColumn } from '../../terminal/column.ts';
import { createAdopter, quoted } from '../../workspace/adopt.ts';
import { createBackup } from '../../workspace/disk/backup.ts';
import { pullVal } from '../../workspace/pull-val.ts';
import type { RemoteVals } from '../../workspace/remote-vals.ts';
import { createLargeCodeGate } from '../../workspace/sources/large-code.ts';
import { createNestedProjectCheck } from '../../workspace/sources/nested-project.ts';
import type { WorkspaceVal } from '../../workspace/vals.ts';
import { nameOf, type Workspace } from '../../workspace/workspace.ts';
import { fileColumn, outcomeColumn } from './columns.ts';

interface NewVal {
  id: string;
  listedName?: string | undefined;
}

export type PullItem = WorkspaceVal | NewVal;

const isKnown = (item: PullItem): item is WorkspaceVal => 'file' in item;

export const pullColumns = [
  outcomeColumn,
  column('name'),
  { ...column('version'), droppable: 3 },
  idColumn('id'),
  fileColumn,
];

export interface Pulling {
  api: Api;
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
  { signal, progress, say }: Pick<Context, 'signal' | 'progress' | 'say'>,
  { api, workspace, remotes, items, file, ...given }: Pulling,
): Promise<{ rows: readonly JsonObject[]; error: ValsError | undefined }> {
  const backup = createBackup(workspace.root);
  const isInOtherProject = createNestedProjectCheck(workspace.root);
  const options = { ...given, backup, isInOtherProject, holdsToken: api.holdsToken };
  const throughGate = createLargeCodeGate();
  const adopt = createAdopter(workspace);
  const onFinished = (finished: number) => progress.show(`Pulling ${finished} of ${items.length} vals`);
  onFinished(0);
  const { rows, error } = await runBatch<PullItem>(items, {
    describe: (item): JsonObject =>
      isKnown(item)
        ? { file: item.file, name: item.name }
        : { ...(item.listedName !== undefined && { name: item.listedName }), id: item.id },
    concurrency: 'auto',
    signal,
    onFinished,
    report: { label: labelOf, say, verb: 'pulled', things: 'vals' },
    work: (item, remark) =>
      throughGate(isKnown(item) ? join(workspace.root, item.file) : undefined, (turn) =>
        isKnown(item)
          ? pullVal(workspace, remotes.inTurn(turn), item, { ...options, remark })
          : adopt(remotes.inTurn(turn), item.id, { ...options, file, remark }),
      ),
  });
  const { files, folder } = backup;
  if (files.length > 0) {
    const what = files.length === 1 ? files[0] : `${files.length} files`;
    say.note(`The old content of ${what} is kept in ${folder}.`);
  }
  const unsaved = given.dryRun ? undefined : await workspace.saveManifest();
  return { rows, error: error ?? unsaved };
}

function labelOf(item: PullItem): string {
  if (isKnown(item)) return item.file;
  return item.listedName === undefined ? item.id : quoted(item.listedName);
}

export async function listAll(remotes: RemoteVals, service: string): Promise<ListedVal[]> {
  const listed = await remotes.all();
  if (listed !== undefined) return listed;
  throw new UsageError(`${nameOf(service)} cannot list your vals, so vals can be pulled only by their ids.`, {
    hint: 'To add a val by its id, run `vals pull <id>` in a workspace.',
  });
}

export async function selectAll({ vals, service }: Workspace, remotes: RemoteVals): Promise<PullItem[]> {
  const listed = await listAll(remotes, service);
  const isInWorkspace = (id: string, name: string | undefined) => {
    if (vals.ofId(id) !== undefined) return true;
    const sameName = name === undefined ? undefined : vals.ofName(name);
    return sameName !== undefined && sameName.id === undefined;
  };
  const added = listed.filter(({ id, name }) => !isInWorkspace(id, name));
  return [...vals, ...added.map(({ id, name }) => ({ id, listedName: name }))];
}
