import { dirname } from 'node:path';
import { fileColumn, outcomeColumn } from '../../core/commands/shared/columns.ts';
import { RefusedError } from '../../core/errors.ts';
import { runBatch, type Task } from '../../core/failures/batch.ts';
import type { ValInList, ValList } from '../../core/find-val/val-list.ts';
import { sh } from '../../core/lib/hint.ts';
import { withoutUndefined } from '../../core/lib/json.ts';
import { column, idColumn } from '../../core/output/column.ts';
import type { Rows } from '../../core/output/out.ts';
import { learnIds } from '../belonging.ts';
import { removeLeftovers } from '../disk/write-files.ts';
import { type Finding, valOf } from '../findings.ts';
import { type Backup, createBackup } from '../own-data/own-folder.ts';
import type { Look } from '../read/look.ts';
import { noValOfId, type ReadVal, type RemoteVal } from '../read/remotes.ts';
import { hintAbout, wordsOrPlaceholder } from '../states.ts';
import { nameOfService, pathTo, relativeTo, type Workspace } from '../workspace.ts';
import { createAdopter } from './adopt.ts';
import { type Pulling, type PullResult, pullFinding } from './pull-val.ts';

export const pullColumns = [
  outcomeColumn,
  column('name'),
  { ...column('version'), droppable: 3 },
  idColumn('id'),
  fileColumn,
];

export interface PullRequest extends Omit<Pulling, 'backup'> {
  findings: readonly Finding[];
  /** Vals of the service that get a file. */
  added: readonly { id: string; name?: string | undefined }[];
}

export async function pullVals({ findings, added, ...wanted }: PullRequest): Promise<Rows> {
  const { context, look, options } = wanted;
  const { say } = context.out;
  const { workspace } = look;
  const backup = createBackup(workspace.own);
  const pulling = { ...wanted, backup };
  const done = new Map<Finding, PullResult>();
  const met = findings.flatMap((finding) => (finding.state === 'not yours' ? [] : (valOf(finding) ?? [])));
  const pulled = findings.map((finding): Task => {
    const file = pathTo(workspace, finding.file);
    return {
      row: { file, name: finding.name },
      label: file,
      async run() {
        const each = await pullFinding(pulling, finding);
        done.set(finding, each);
        if (each.conflict !== undefined) throw each.conflict;
        return outcomeOf(each);
      },
    };
  });
  const tasks = [...pulled, ...adoptions(look, added, { dryRun: options.dryRun, met })];
  const { rows, error } = await runBatch(tasks, {
    ...{ say, signal: context.host.signal },
    ...{ verb: 'pulled', things: 'vals', concurrency: 'auto', progress: 'Pulling' },
  });
  if (options.isNamed || options.merge) noteKept(wanted, done);
  noteBackup(context, workspace, backup);
  const ids = options.dryRun ? [] : met.map(({ name, id }) => [name, id] as const);
  const failure = await learnIds(context, look, ids, error);
  const merged = rows.filter(({ status }) => status === 'merged').map(({ file }) => `${file}`);
  if (merged.length > 0) {
    const text = sh`To send the merged code, run ${['push', ...wordsOrPlaceholder(merged, '<paths...>')]}.`;
    say({ kind: 'hint', text });
  }
  const written = rows.filter(({ status }) => status === 'pulled' || status === 'merged');
  if (written.length > 0 && look.repository !== undefined && context.out.forPerson) {
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
export async function pullAll(wanted: Omit<PullRequest, 'added'>): Promise<Rows> {
  const { look, findings, context } = wanted;
  const missing = findings.filter(({ state }) => state === 'missing here').map(({ name }) => name);
  if (missing.length > 0) {
    context.out.say({
      kind: 'note',
      text: [
        `Left out, because their files were deleted here: ${missing.join(', ')}.`,
        sh`To restore a file, run ${['pull', missing[0] ?? '']}.`,
      ],
    });
  }
  const here = new Set(findings.flatMap((finding) => valOf(finding)?.id ?? []));
  const added = (await listAll(look.valList, look.workspace.service)).filter(({ id }) => !here.has(id));
  const present = findings.filter(({ state }) => state !== 'missing here');
  return pullVals({ ...wanted, findings: present, added });
}

/** Names of files are chosen in the order of the list, before anything is written. */
function adoptions(
  look: Look,
  added: PullRequest['added'],
  { dryRun, met }: { dryRun: boolean; met: RemoteVal[] },
): Task[] {
  const adopter = createAdopter(look);
  return added.map(({ id, name }): Task => {
    const chosen = name === undefined ? undefined : adopter.fileFor({ id, name, owner: undefined });
    return {
      row: { ...(name !== undefined && { name }), id },
      label: name === undefined ? id : `"${name}"`,
      async run() {
        const found = await look.remotes.read(id);
        if (found === undefined) throw noValOfId(id, nameOfService(look.workspace.service));
        // A list has told that the others are the caller's.
        const val = name === undefined ? await withOwner(look, found) : found;
        const file = chosen ?? adopter.fileFor(val);
        await adopter.adopt(val, file, { dryRun });
        if (val.owner === undefined) met.push(val);
        const { version } = val;
        const row = withoutUndefined({
          file: pathTo(look.workspace, file),
          name: val.name || undefined,
          id,
          version,
        });
        return { ...row, status: dryRun ? 'planned' : 'pulled' };
      },
    };
  });
}

/** Where the val does not tell its owner, the list of its versions may. */
async function withOwner({ remotes }: Look, found: ReadVal): Promise<ReadVal> {
  if (found.owner !== undefined) return found;
  const val = await remotes.withVersion(found);
  return (await remotes.isOthers(val)) ? { ...val, owner: 'somebody else' } : val;
}

function noteKept(
  { context, look }: Pick<Pulling, 'context' | 'look'>,
  done: ReadonlyMap<Finding, PullResult>,
): void {
  const kept = [...done].filter(([{ state }, { status }]) => state === 'changed here' && status === 'kept');
  const paths = kept.map(([{ file }]) => pathTo(look.workspace, file));
  const [first, another] = paths;
  if (first === undefined) return;
  const what =
    another === undefined ? `${first} was kept: it has` : `${kept.length} files were kept: they have`;
  const send = hintAbout(paths, { text: 'To send it', command: 'push', options: [] });
  context.out.say({ kind: 'note', text: [`${what} newer code than the service.`, send] });
}

function noteBackup(
  { out: { say } }: Pulling['context'],
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
