// `vals status`: a row for each file, and the next commands. For another column, add it to `columns` and `rowOf`.
import { type Context, defineCommand } from '../../core/command-line/command.ts';
import { fileColumn } from '../../core/commands/shared/columns.ts';
import { valsOfWorkspace } from '../../core/commands/shared/options.ts';
import { ConflictError } from '../../core/errors.ts';
import { sh, someOf } from '../../core/lib/hint.ts';
import { type JsonObject, withoutUndefined } from '../../core/lib/json.ts';
import { type Column, column, idColumn, moment } from '../../core/output/column.ts';
import { bestNextCommands, sentenceOf } from '../conflicts.ts';
import { differs, type FileStatus, isConflict, isReason, statusOf, valOf } from '../file-status.ts';
import { compareWorkspace, refuseUnknownWords } from '../read/compare-workspace.ts';
import type { Session } from '../session.ts';
import { hintAbout, hintAtGit, markOf, nextCommands, states } from '../states.ts';
import { isTypedInside, nameOfService, pathTo, type Workspace } from '../workspace.ts';

const byAttention = (a: FileStatus, b: FileStatus): number =>
  states.indexOf(a.state) - states.indexOf(b.state);

const statusColumn: Column = {
  ...column('status'),
  neverCut: true,
  present(status, { count, reason }) {
    const { mark, tone } = markOf(`${reason ?? status}`);
    // That both sides changed is what everybody takes a conflict for.
    const isUsual = reason === undefined || reason === 'both changed';
    const words = [mark, count, status, isUsual ? undefined : `(${reason})`];
    return { text: words.filter((word) => word !== undefined).join(' '), tone };
  },
};

export const command = defineCommand({
  summary: 'Compare the workspace with the service',
  description:
    'Compare each file of the workspace with its val on the service. The status of a val is unchanged, changed here, ' +
    'changed there (on the service), conflict, new or missing here.',
  details:
    'The versions of the val and the history of the file in git tell which side is newer. If both went on, and neither ' +
    'contains the change of the other, it is a conflict. A conflict has a reason: both changed, marks (of a merge, in the ' +
    'file), deleted there, renamed there, name taken or not yours. A val is missing here if its file was deleted.',
  arguments: { vals: valsOfWorkspace },
  options: { exitCode: { description: 'exit with 5 if anything is not unchanged' } },
  examples: ['vals status', 'vals status hello', 'vals status --json | jq -r ".[].status"'],
  columns: [
    statusColumn,
    column('name'),
    { ...column('version'), droppable: 3 },
    { ...moment('changed', 'changedAt'), only: 'terminal', droppable: 4 },
    { ...column('by', 'changedBy'), only: 'terminal', droppable: 5 },
    idColumn('id'),
    fileColumn,
    { ...column('reason'), only: 'pipe' },
    { ...column('note'), only: 'terminal', droppable: 6 },
  ],
  empty: [
    'The workspace has no vals yet. Write some code to hello.ts.',
    sh`To make it a val, run ${['push']}.`,
  ],
  run: (context, { vals: words, exitCode = false }) =>
    compareWorkspace(context, { words, findsMissing: true }, async (compared) => {
      refuseUnknownWords(compared);
      const { session, statuses, deletedFiles, error } = compared;
      const { workspace } = session;
      const moved = new Map<FileStatus, string>(
        deletedFiles.missing.flatMap((each) => (each.movedTo === undefined ? [] : [[each, each.movedTo]])),
      );
      const isNamed = words.length > 0;
      const differing = statuses.filter(differs);
      const isFolded = context.out.forPerson && context.flags.fields === undefined && !isNamed;
      const row = (fileStatus: FileStatus) => rowOf(workspace, fileStatus, context, moved.get(fileStatus));
      const rows = isFolded
        ? [...differing.toSorted(byAttention).map(row), ...foldUnchanged(statuses.length - differing.length)]
        : statuses.map(row);
      if (error !== undefined) return { kind: 'list', rows, error };
      sayNextCommands(context, session, differing, { isNamed, moved });
      if (isFolded && differing.length === 0 && statuses.length > 0) {
        return { kind: 'text', text: allUnchanged(statuses.length, nameOfService(workspace.service)) };
      }
      if (differing.length > 0)
        context.out.say({ kind: 'hint', text: `Compared with ${nameOfService(workspace.service)}.` });
      return {
        kind: 'list',
        rows,
        error: exitCode ? differenceOf(session, differing, statuses.length) : undefined,
      };
    }),
});

function sayNextCommands(
  { out: { say } }: Context,
  session: Session,
  differing: readonly FileStatus[],
  { isNamed, moved }: { isNamed: boolean; moved: ReadonlyMap<FileStatus, string> },
): void {
  const { workspace } = session;
  const isWhole = !isNamed && isTypedInside(workspace);
  for (const state of states) {
    const statuses = differing.filter((fileStatus) => fileStatus.state === state);
    if (statuses.length === 0) continue;
    const paths = statuses.map((fileStatus) => pathTo(workspace, fileStatus.file));
    if (!isReason(state)) {
      // A prune leaves vals whose code a file has.
      const isAllMoved = statuses.every((fileStatus) => moved.has(fileStatus));
      const canPull = statuses[0]?.comparison?.canPull;
      say({ kind: 'hint', text: nextCommands(state, paths, { isWhole: isWhole && !isAllMoved, canPull }) });
      continue;
    }
    const [first, another] = statuses.filter(isConflict);
    if (first === undefined) continue;
    const { reason } = first.comparison ?? {};
    const why = hintAtGit(reason?.kind === 'git' ? reason.limit : undefined);
    const text =
      another === undefined
        ? [sentenceOf(first, session), ...bestNextCommands(first, session)]
        : [...why, hintAbout(paths, allWaysOn)];
    say({ kind: 'hint', text });
  }
}

/** For a job that checks a deploy. */
function differenceOf(
  { workspace }: Session,
  differing: readonly FileStatus[],
  total: number,
): ConflictError | undefined {
  if (differing.length === 0) return undefined;
  const paths = differing.map(({ file }) => pathTo(workspace, file));
  const service = nameOfService(workspace.service);
  return new ConflictError(
    `Not unchanged on ${service}: ${differing.length} of ${total} (${someOf(paths)}).`,
    { hint: sh`To see the differences, run ${['diff']}.` },
  );
}

const allWaysOn = { text: 'To see what you can do', command: 'diff', options: [] } as const;

const allUnchanged = (count: number, service: string): string =>
  count === 1
    ? `The only val of the workspace is unchanged (${service}).\n`
    : `All ${count} vals of the workspace are unchanged (${service}).\n`;

const foldUnchanged = (count: number): JsonObject[] => (count === 0 ? [] : [{ status: 'unchanged', count }]);

function rowOf(
  workspace: Workspace,
  fileStatus: FileStatus,
  { out: { forPerson } }: Context,
  movedTo: string | undefined,
): JsonObject {
  const remote = valOf(fileStatus);
  return withoutUndefined({
    file: pathTo(workspace, fileStatus.file),
    name: fileStatus.name,
    ...statusOf(fileStatus),
    id: remote?.id,
    version: remote?.version,
    ...(forPerson && differs(fileStatus) && { changedAt: remote?.madeAt, changedBy: remote?.madeBy }),
    ...(forPerson && {
      note: movedTo === undefined ? noteOf(fileStatus) : `${pathTo(workspace, movedTo)} has its code`,
    }),
  });
}

/** Which version the file has, where that is known, or which other name the val has. */
function noteOf(fileStatus: FileStatus): string | undefined {
  const remote = valOf(fileStatus);
  if (remote !== undefined && remote.name !== fileStatus.name) return `the val is "${remote.name}"`;
  const { restored, reason, fileVersion, resent } = fileStatus.comparison ?? {};
  const notes = [
    restored === undefined ? [] : `back to version ${restored}`,
    reason?.kind === 'version gone' ? `version ${reason.version} is gone` : [],
    fileVersion === undefined ? [] : `file: version ${fileVersion}`,
    resent === undefined ? [] : `version ${resent.replacedBy} had replaced it`,
  ].flat();
  return notes.length === 0 ? undefined : notes.join(', ');
}
