import { defineCommand, type Run } from '../../core/command-line/command.ts';
import { fileColumn } from '../../core/commands/shared/columns.ts';
import { valsOfWorkspace } from '../../core/commands/shared/options.ts';
import { ConflictError } from '../../core/errors.ts';
import type { Hint } from '../../core/lib/hint.ts';
import { type JsonObject, withoutUndefined } from '../../core/lib/json.ts';
import { type Column, column, idColumn, moment } from '../../core/output/column.ts';
import type { Style } from '../../core/output/style.ts';
import { noteOtherService } from '../belonging.ts';
import { isSameCode } from '../code.ts';
import type { Status } from '../compare.ts';
import { compareWorkspace, notInThisWorkspace } from '../compare-workspace.ts';
import { type Examined, nameBeforeOf, nameThereOf } from '../examine.ts';
import { hintAbout, hintAtGit, nextSteps, situationOf, situations } from '../next-steps.ts';
import { fileAndOthers, notePossibleTakeovers } from '../possible-takeovers.ts';
import { isTypedInside, pathTo, type Workspace } from '../workspace.ts';

/** `vals status` lists the vals in the order of these keys. */
const marks: Record<Status, { mark: string; tone: keyof Style }> = {
  unmerged: { mark: '!', tone: 'red' },
  conflict: { mark: '!', tone: 'red' },
  'deleted there': { mark: 'x', tone: 'yellow' },
  'missing here': { mark: '-', tone: 'yellow' },
  'changed there': { mark: '<', tone: 'cyan' },
  'changed here': { mark: '>', tone: 'green' },
  'renamed here': { mark: '>', tone: 'green' },
  new: { mark: '+', tone: 'green' },
  unchanged: { mark: '=', tone: 'dim' },
};

const isStatus = (text: unknown): text is Status => typeof text === 'string' && text in marks;

const attention = Object.keys(marks);
const byAttention = (a: Examined, b: Examined): number =>
  attention.indexOf(a.status) - attention.indexOf(b.status);

const statusColumn: Column = {
  ...column('status'),
  neverCut: true,
  present(status, { count }) {
    const { mark, tone } = marks[isStatus(status) ? status : 'unchanged'];
    return { text: [mark, count, status].filter((part) => part !== undefined).join(' '), tone };
  },
};

export const command = defineCommand({
  summary: 'Compare the workspace with the service',
  description:
    'Compare each file of the workspace with its val on the service. The status of a val is unchanged, changed here, ' +
    'changed there (on the service), conflict, unmerged, new, renamed here, missing here or deleted there.',
  details:
    'A val is changed here if the code on the service is in the history of git, or is what this folder last had in ' +
    'common with the service. It is changed there if the file has such code, or the code of an earlier version. ' +
    'Otherwise both sides changed, which is a conflict. A val is unmerged if its file has conflict markers (<<<<<<<), and ' +
    'renamed here if git renamed its file, or a new file has its code.',
  arguments: { vals: valsOfWorkspace },
  options: {
    exitCode: { description: 'exit with code 5 if a val differs from the service', forPeople: true },
  },
  examples: ['vals status', 'vals status hello --exit-code', 'vals status --json | jq -r ".[].status"'],
  columns: [
    statusColumn,
    column('name'),
    { ...column('version'), droppable: 3 },
    { ...moment('changed', 'changedAt'), only: 'terminal', droppable: 4 },
    { ...column('by', 'changedBy'), only: 'terminal', droppable: 5 },
    idColumn('id'),
    fileColumn,
    { ...column('note'), only: 'terminal', droppable: 6 },
  ],
  empty: [
    'The workspace has no vals yet. Write some code to hello.ts.',
    { text: 'To make it a val', command: 'push' },
  ],
  run: (run, { vals: words, exitCode }) =>
    compareWorkspace(run, { words, findsMissing: true }, async ({ look, vals, unknown, error }) => {
      const [word] = unknown;
      if (word !== undefined) throw notInThisWorkspace(look, word);
      const { workspace } = look;
      noteOtherService(run.out.say, workspace);
      const isNamed = words.length > 0;
      const differing = vals.filter(({ status }) => status !== 'unchanged');
      const isFolded = run.out.forPerson && run.flags.fields === undefined && !isNamed;
      const row = (val: Examined) => rowOf(workspace, val, run);
      const rows = isFolded
        ? [...differing.toSorted(byAttention).map(row), ...foldUnchanged(vals.length - differing.length)]
        : vals.map(row);
      if (error !== undefined) return { kind: 'list', rows, error };
      if (exitCode && differing.length > 0) {
        const message = `${differing.length} of ${vals.length} vals differ from the service.`;
        const paths = differing.map(({ file }) => pathTo(workspace, file));
        const hint = isNamed ? hintAbout(paths, seeAll) : seeAll;
        return { kind: 'list', rows, error: new ConflictError(message, { hint }) };
      }
      sayNextSteps(run, workspace, differing, { isNamed });
      const isAssumed = ({ there }: Examined) => there !== undefined && there.id === undefined;
      noteAssumptions(
        run,
        vals.filter(isAssumed).map(({ file }) => pathTo(workspace, file)),
      );
      if (isFolded && differing.length === 0 && vals.length > 0) {
        return { kind: 'text', text: allUnchanged(vals.length) };
      }
      return { kind: 'list', rows };
    }),
});

const seeAll: Hint = { text: 'To see the differences', command: 'diff' };

function sayNextSteps(
  run: Run,
  workspace: Workspace,
  differing: readonly Examined[],
  { isNamed }: { isNamed: boolean },
): void {
  const pathOf = ({ file }: Examined) => pathTo(workspace, file);
  const isWhole = !isNamed && isTypedInside(workspace);
  for (const situation of situations) {
    const vals = differing.filter((val) => situationOf(val) === situation);
    if (vals.length === 0) continue;
    const limit = vals.map((val) => val.code && val.gitLimit).find((each) => each !== undefined);
    const steps = nextSteps(situation, vals.map(pathOf), { isWhole });
    run.out.say({ kind: 'hint', text: [...hintAtGit(limit), ...steps] });
  }
  const mayTakeOver = (val: Examined) => val.there === undefined && val.isNameUnknown;
  notePossibleTakeovers(run, differing.filter(mayTakeOver).map(pathOf));
}

function noteAssumptions({ flags, out: { say } }: Run, [first, ...others]: readonly string[]): void {
  if (first === undefined || flags.json || flags.ndjson) return;
  const files = fileAndOthers(first, others.length);
  say({
    kind: 'note',
    text: [
      `The service sent no id for ${files} and cannot list vals. So the comparison is with the code that was pushed last.`,
      'To compare with the code on the service, find the id of the val on the service.',
      { text: 'To make the id known', command: 'pull', input: { vals: true } },
    ],
  });
}

const allUnchanged = (count: number): string =>
  count === 1
    ? 'The only val of the workspace is unchanged.\n'
    : `All ${count} vals of the workspace are unchanged.\n`;

const foldUnchanged = (count: number): JsonObject[] => (count === 0 ? [] : [{ status: 'unchanged', count }]);

function rowOf(workspace: Workspace, val: Examined, { out: { forPerson } }: Run): JsonObject {
  const { file, name, status, there } = val;
  return withoutUndefined({
    file: pathTo(workspace, file),
    name,
    status,
    id: there?.id,
    version: there?.version,
    nameBefore: nameBeforeOf(val),
    ...(forPerson && status !== 'unchanged' && { changedAt: there?.madeAt, changedBy: there?.madeBy }),
    ...(forPerson && { note: noteOf(val) }),
  });
}

/** Which version the file has, where that is known, or which other name the val has. */
function noteOf(val: Examined): string | undefined {
  const [nameThere, nameBefore] = [nameThereOf(val), nameBeforeOf(val)];
  if (nameThere !== undefined) return `named "${nameThere}" on the service`;
  if (nameBefore !== undefined) return `was ${nameBefore}`;
  if (val.status !== 'changed there') return undefined;
  const { here, record, fileVersion } = val;
  const version = fileVersion ?? (isSameCode(here, record?.code) ? record?.version : undefined);
  return version === undefined ? undefined : `file: version ${version}`;
}
