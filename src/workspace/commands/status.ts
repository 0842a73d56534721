import { type Context, defineCommand } from '../../core/command-line/command.ts';
import { fileColumn } from '../../core/commands/shared/columns.ts';
import { valsOfWorkspace } from '../../core/commands/shared/options.ts';
import { ConflictError } from '../../core/errors.ts';
import { sh, someOf } from '../../core/lib/hint.ts';
import { type JsonObject, withoutUndefined } from '../../core/lib/json.ts';
import { type Column, column, idColumn, moment } from '../../core/output/column.ts';
import { bestNextCommands, sentenceOf } from '../conflicts.ts';
import { differs, type Finding, isConflict, isReason, statusOf, valOf } from '../findings.ts';
import { compareWorkspace, refuseUnknownWords } from '../read/choose.ts';
import type { Look } from '../read/look.ts';
import { hintAbout, hintAtGit, markOf, nextCommands, states } from '../states.ts';
import { isTypedInside, nameOfService, pathTo, type Workspace } from '../workspace.ts';

const byAttention = (a: Finding, b: Finding): number => states.indexOf(a.state) - states.indexOf(b.state);

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
      const { look, findings, gone, error } = compared;
      const { workspace } = look;
      const moved = new Map<Finding, string>(
        gone.missing.flatMap((each) => (each.movedTo === undefined ? [] : [[each, each.movedTo]])),
      );
      const isNamed = words.length > 0;
      const differing = findings.filter(differs);
      const isFolded = context.out.forPerson && context.flags.fields === undefined && !isNamed;
      const row = (finding: Finding) => rowOf(workspace, finding, context, moved.get(finding));
      const rows = isFolded
        ? [...differing.toSorted(byAttention).map(row), ...foldUnchanged(findings.length - differing.length)]
        : findings.map(row);
      if (error !== undefined) return { kind: 'list', rows, error };
      sayNextCommands(context, look, differing, { isNamed, moved });
      if (isFolded && differing.length === 0 && findings.length > 0) {
        return { kind: 'text', text: allUnchanged(findings.length, nameOfService(workspace.service)) };
      }
      if (differing.length > 0)
        context.out.say({ kind: 'hint', text: `Compared with ${nameOfService(workspace.service)}.` });
      return {
        kind: 'list',
        rows,
        error: exitCode ? differenceOf(look, differing, findings.length) : undefined,
      };
    }),
});

function sayNextCommands(
  { out: { say } }: Context,
  look: Look,
  differing: readonly Finding[],
  { isNamed, moved }: { isNamed: boolean; moved: ReadonlyMap<Finding, string> },
): void {
  const { workspace } = look;
  const isWhole = !isNamed && isTypedInside(workspace);
  for (const state of states) {
    const findings = differing.filter((finding) => finding.state === state);
    if (findings.length === 0) continue;
    const paths = findings.map((finding) => pathTo(workspace, finding.file));
    if (!isReason(state)) {
      // A prune leaves vals whose code a file has.
      const isAllMoved = findings.every((finding) => moved.has(finding));
      const canPull = findings[0]?.comparison?.canPull;
      say({ kind: 'hint', text: nextCommands(state, paths, { isWhole: isWhole && !isAllMoved, canPull }) });
      continue;
    }
    const [first, another] = findings.filter(isConflict);
    if (first === undefined) continue;
    const { reason } = first.comparison ?? {};
    const why = hintAtGit(reason?.kind === 'git' ? reason.limit : undefined);
    const text =
      another === undefined
        ? [sentenceOf(first, look), ...bestNextCommands(first, look)]
        : [...why, hintAbout(paths, allWaysOn)];
    say({ kind: 'hint', text });
  }
}

/** For a job that checks a deploy. */
function differenceOf(
  { workspace }: Look,
  differing: readonly Finding[],
  total: number,
): ConflictError | undefined {
  if (differing.length === 0) return undefined;
  const paths = differing.map(({ file }) => pathTo(workspace, file));
  const service = nameOfService(workspace.service);
  const are = differing.length === 1 ? 'is' : 'are';
  return new ConflictError(
    `${differing.length} of ${total} vals ${are} not unchanged on ${service}: ${someOf(paths)}.`,
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
  finding: Finding,
  { out: { forPerson } }: Context,
  movedTo: string | undefined,
): JsonObject {
  const remote = valOf(finding);
  return withoutUndefined({
    file: pathTo(workspace, finding.file),
    name: finding.name,
    ...statusOf(finding),
    id: remote?.id,
    version: remote?.version,
    ...(forPerson && differs(finding) && { changedAt: remote?.madeAt, changedBy: remote?.madeBy }),
    ...(forPerson && {
      note: movedTo === undefined ? noteOf(finding) : `${pathTo(workspace, movedTo)} has its code`,
    }),
  });
}

/** Which version the file has, where that is known, or which other name the val has. */
function noteOf(finding: Finding): string | undefined {
  const remote = valOf(finding);
  if (remote !== undefined && remote.name !== '' && remote.name !== finding.name)
    return `the val is "${remote.name}"`;
  const { restored, reason, fileVersion, again } = finding.comparison ?? {};
  const notes = [
    restored === undefined ? [] : `back to version ${restored}`,
    reason?.kind === 'version gone' ? `version ${reason.version} is gone` : [],
    fileVersion === undefined ? [] : `file: version ${fileVersion}`,
    again === undefined ? [] : `version ${again.replacedBy} had replaced it`,
  ].flat();
  return notes.length === 0 ? undefined : notes.join(', ');
}
