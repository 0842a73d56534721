// A pull: one task for each file, and one for each val that gets a new file.
import { dirname } from 'node:path';
import { fileColumn, outcomeColumn } from '../../core/commands/shared/columns.ts';
import { RefusedError } from '../../core/errors.ts';
import { runBatch, type Task } from '../../core/failures/batch.ts';
import type { ValInList, ValList } from '../../core/find-val/val-list.ts';
import { sh } from '../../core/lib/hint.ts';
import { withoutUndefined } from '../../core/lib/json.ts';
import { column, idColumn } from '../../core/output/column.ts';
import type { Rows } from '../../core/output/out.ts';
import { type Backup, createBackup } from '../data/backup.ts';
import { removeLeftovers } from '../disk/write-files.ts';
import { type FileStatus, valOf } from '../file-status.ts';
import { writeIds } from '../ids.ts';
import type { RemoteVal, ValWithCode } from '../read/remote-val.ts';
import { isOthers, noValOfId, readVal, withVersion } from '../read/remotes.ts';
import type { Session } from '../session.ts';
import { hintAbout, wordsOrPlaceholder } from '../states.ts';
import { nameOfService, pathTo, relativeTo, type Workspace } from '../workspace.ts';
import { openNewFiles } from './new-files.ts';
import { type PullContext, type PullResult, pullFile } from './pull-val.ts';

export const pullColumns = [
  outcomeColumn,
  column('name'),
  { ...column('version'), droppable: 3 },
  idColumn('id'),
  fileColumn,
];

export interface PullRequest extends Omit<PullContext, 'backup'> {
  statuses: readonly FileStatus[];
  /** Vals of the service that get a file. */
  added: readonly { id: string; name?: string | undefined }[];
}

export async function pullVals({ statuses, added, ...request }: PullRequest): Promise<Rows> {
  const { context, session, options } = request;
  const { say } = context.out;
  const { workspace } = session;
  const backup = createBackup(workspace.dataFolder);
  const pullContext = { ...request, backup };
  const results = new Map<FileStatus, PullResult>();
  // A val that was renamed keeps the entry by which its file has it.
  const ownVals = statuses.flatMap((fileStatus) => {
    const val = valOf(fileStatus);
    return val === undefined || val.name !== fileStatus.name || fileStatus.state === 'not yours' ? [] : val;
  });
  const pulled = statuses.map((fileStatus): Task => {
    const file = pathTo(workspace, fileStatus.file);
    return {
      row: { file, name: fileStatus.name },
      label: file,
      async run() {
        const each = await pullFile(pullContext, fileStatus);
        results.set(fileStatus, each);
        if (each.conflict !== undefined) throw each.conflict;
        return outcomeOf(each);
      },
    };
  });
  const tasks = [...pulled, ...tasksForNewFiles(request, added, { dryRun: options.dryRun, ownVals })];
  const { rows, error } = await runBatch(tasks, {
    ...{ say, signal: context.host.signal },
    ...{ verb: 'pulled', things: 'vals', concurrency: 'auto', progress: 'Pulling' },
  });
  if (options.isNamed || options.merge) noteKept(request, results);
  noteBackup(context, workspace, backup);
  const ids = options.dryRun ? [] : ownVals.map(({ name, id }) => [name, id] as const);
  const failure = await writeIds(context, session, ids, error);
  const merged = rows.filter(({ status }) => status === 'merged').map(({ file }) => `${file}`);
  if (merged.length > 0) {
    const text = sh`To send the merged code, run ${['push', ...wordsOrPlaceholder(merged, '<paths...>')]}.`;
    say({ kind: 'hint', text });
  }
  const written = rows.filter(({ status }) => status === 'pulled' || status === 'merged');
  if (written.length > 0 && session.repository !== undefined && context.out.forPerson) {
    const text =
      'Commit what was pulled. If git takes it back before that, your next edit may overwrite it on the service.';
    say({ kind: 'note', text });
  }
  const folders = new Set(written.map((row) => dirname(relativeTo(workspace, `${row.file}`))));
  for (const folder of folders) removeLeftovers(workspace.root, folder === '.' ? '' : folder);
  return { kind: 'list', rows, error: failure };
}

const outcomeOf = ({ status, remote }: PullResult) => ({
  status,
  ...withoutUndefined({ id: remote?.id, version: remote?.version }),
});

/** Also adds every val of the list without a file, except those whose files were deleted here. */
export async function pullAll(request: Omit<PullRequest, 'added'>): Promise<Rows> {
  const { session, statuses, context } = request;
  const missing = statuses.filter(({ state }) => state === 'missing here').map(({ name }) => name);
  if (missing.length > 0) {
    context.out.say({
      kind: 'note',
      text: [
        `Left out, because their files were deleted here: ${missing.join(', ')}.`,
        sh`To restore a file, run ${['pull', missing[0] ?? '']}.`,
      ],
    });
  }
  const here = new Set(statuses.flatMap((fileStatus) => valOf(fileStatus)?.id ?? []));
  const added = (await listAll(session.valList, session.workspace.service)).filter(({ id }) => !here.has(id));
  const present = statuses.filter(({ state }) => state !== 'missing here');
  return pullVals({ ...request, statuses: present, added });
}

/** Names of files are chosen in the order of the list, before anything is written. */
function tasksForNewFiles(
  { context, session }: Pick<PullContext, 'context' | 'session'>,
  added: PullRequest['added'],
  { dryRun, ownVals }: { dryRun: boolean; ownVals: RemoteVal[] },
): Task[] {
  const newFiles = openNewFiles(session);
  return added.map(({ id, name }): Task => {
    const chosen = name === undefined ? undefined : newFiles.fileFor({ id, name, owner: undefined });
    return {
      row: { ...(name !== undefined && { name }), id },
      label: name === undefined ? id : `"${name}"`,
      async run() {
        const found = await readVal(session, id);
        if (found === undefined) throw noValOfId(id, nameOfService(session.workspace.service));
        // A list has told that the others are the caller's.
        const val = name === undefined ? await withOwner(session, found) : found;
        const file = chosen ?? newFiles.fileFor(val);
        await newFiles.write(val, file, { dryRun });
        if (val.owner === undefined) ownVals.push(val);
        else
          context.out.say({
            kind: 'note',
            text: `${pathTo(session.workspace, file)} is a copy of somebody else's val. A push makes a val of your own.`,
          });
        const { version } = val;
        const row = withoutUndefined({
          file: pathTo(session.workspace, file),
          name: val.name,
          id,
          version,
        });
        return { ...row, status: dryRun ? 'planned' : 'pulled' };
      },
    };
  });
}

/** Where the val does not tell its owner, the list of its versions may. */
async function withOwner(session: Session, found: ValWithCode): Promise<ValWithCode> {
  if (found.owner !== undefined) return found;
  const val = await withVersion(session, found);
  return (await isOthers(session, val)) ? { ...val, owner: 'somebody else' } : val;
}

function noteKept(
  { context, session }: Pick<PullContext, 'context' | 'session'>,
  results: ReadonlyMap<FileStatus, PullResult>,
): void {
  const kept = [...results].filter(
    ([{ state }, { status }]) => state === 'changed here' && status === 'kept',
  );
  const paths = kept.map(([{ file }]) => pathTo(session.workspace, file));
  const [first, another] = paths;
  if (first === undefined) return;
  const what =
    another === undefined ? `${first} was kept: it has` : `${kept.length} files were kept: they have`;
  const send = hintAbout(paths, { text: 'To send it', command: 'push', options: [] });
  context.out.say({ kind: 'note', text: [`${what} newer code than the service.`, send] });
}

function noteBackup(
  { out: { say } }: PullContext['context'],
  workspace: Workspace,
  { files, folder }: Backup,
): void {
  const [first] = files;
  if (first === undefined) return;
  const what = files.length === 1 ? pathTo(workspace, first) : `${files.length} files`;
  say({ kind: 'note', text: `The old content of ${what} is kept in ${folder}.` });
}

export async function listAll({ all }: ValList, service: string): Promise<readonly ValInList[]> {
  const listed = await all();
  if (listed !== undefined) return listed;
  throw new RefusedError(
    `${nameOfService(service)} cannot list your vals, so vals can be pulled only by their ids.`,
    { hint: sh`To add a val to a workspace by its id, run ${['pull', '<val...>']}.` },
  );
}
