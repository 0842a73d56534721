import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { ConflictError } from '../../errors.ts';
import type { Hint, Hints } from '../../lib/hint.ts';
import { type JsonObject, textOf, withoutUndefined } from '../../lib/json.ts';
import { type Column, column, idColumn, moment } from '../../terminal/column.ts';
import type { Style } from '../../terminal/style.ts';
import { earlierVersion } from '../../workspace/examine.ts';
import type { LikelyMove } from '../../workspace/moves.ts';
import type { Step } from '../../workspace/plan.ts';
import type { State } from '../../workspace/state.ts';
import { differInLineEnds } from '../../workspace/text/code-facts.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';
import { likelyMoveText } from '../push/move-notes.ts';
import { fileColumn } from '../shared/columns.ts';
import { fileAndOthers, hintAbout } from '../shared/hint-about.ts';
import { valsOfWorkspace } from '../shared/options.ts';
import { notePossibleTakeovers } from '../shared/possible-takeovers.ts';
import { compareVals } from './compare-vals.ts';
import { nextSteps } from './next-steps.ts';

/** `vals status` lists the vals in the order of these keys. A val that is gone everywhere is not listed. */
const marks: Record<Exclude<State, 'gone'>, { mark: string; tone: keyof Style }> = {
  unmerged: { mark: '!', tone: 'red' },
  conflict: { mark: '!', tone: 'red' },
  differs: { mark: '?', tone: 'red' },
  'older here': { mark: '?', tone: 'red' },
  'not yours': { mark: 'x', tone: 'yellow' },
  'deleted there': { mark: 'x', tone: 'yellow' },
  'missing here': { mark: '-', tone: 'yellow' },
  'changed there': { mark: '<', tone: 'cyan' },
  'changed here': { mark: '>', tone: 'green' },
  'renamed here': { mark: '>', tone: 'green' },
  'moved here': { mark: '>', tone: 'green' },
  new: { mark: '+', tone: 'green' },
  unchanged: { mark: '=', tone: 'dim' },
};

const attention = Object.keys(marks);
const byAttention = (a: Step, b: Step): number => attention.indexOf(a.why) - attention.indexOf(b.why);

const statusColumn: Column = {
  ...column('status'),
  neverCut: true,
  present(status, { count }) {
    const { mark, tone } = marks[status as keyof typeof marks];
    return { text: [mark, count, status].filter((part) => part !== undefined).join(' '), tone };
  },
};

export const command = defineCommand({
  summary: 'Compare the workspace with the service',
  description:
    'Compare each file of the workspace with its val on the service. The status of a val is unchanged, changed here, ' +
    'changed there (on the service), conflict, differs, older here, unmerged, new, renamed here, moved here, missing ' +
    'here, deleted there or not yours.',
  details:
    'A val is in conflict if it changed in its file and on the service, or if the id in vals.json belongs to a val of ' +
    'another name. A val differs if the codes are not the same and vals has no record of the val, so that nobody knows ' +
    'which side is newer. A val is older here if its file has code, or vals.json a name, that the service had before, ' +
    'as after a checkout of an older branch. A val is unmerged if its file has conflict markers (<<<<<<<). A val is ' +
    'renamed here if its name was edited in vals.json, and moved here if its file has another path than in vals.json.',
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
  async run(context, { vals, exitCode }) {
    const compared = await compareVals(context, vals, { keepsCode: false });
    const { workspace, error, likelyMoves } = compared;
    const steps = compared.vals.map(({ step }) => step);
    const isUnchanged = ({ why }: Step) => why === 'unchanged';
    const differing = steps.filter((step) => !isUnchanged(step));
    const unchanged = steps.filter(isUnchanged);
    const row = (step: Step) => rowOf(workspace, step);
    const isNamed = vals.length > 0;
    const pathOf = ({ val }: Step) => pathTo(workspace, val.file);
    const isFolded = context.forPerson && context.flags.fields === undefined && !isNamed;
    const rows = isFolded
      ? [...differing.toSorted(byAttention).map(row), ...foldUnchanged(unchanged)]
      : steps.map(row);
    if (error !== undefined) return { kind: 'outcomes', rows, error };
    if (exitCode && differing.length > 0) {
      const message = `${differing.length} of ${steps.length} vals differ from the service.`;
      return {
        kind: 'outcomes',
        rows,
        error: new ConflictError(message, {
          hint: isNamed ? hintAbout(differing.map(pathOf), seeAll) : seeAll,
        }),
      };
    }
    const hints = nextSteps(workspace, differing, { likelyMoves, isNamed });
    for (const hint of [...hints, ...moveHints(workspace, steps, likelyMoves)])
      context.say({ kind: 'hint', text: hint });
    const takeovers = differing.filter(({ found }) => found.isNameUnknown && found.here !== undefined);
    notePossibleTakeovers(context, takeovers.map(pathOf));
    noteLineEnds(context, differing.filter(haveOtherLineEnds).map(pathOf));
    const assumed = steps.filter(({ found }) => found.isRemoteAssumed);
    noteAssumptions(context, assumed.map(pathOf));
    if (isFolded && differing.length === 0 && steps.length > 0) {
      return { kind: 'text', text: allUnchanged(steps.length) };
    }
    return { kind: 'list', rows };
  },
});

const seeAll: Hint = { text: 'To see the differences', command: 'diff' };

const haveOtherLineEnds = ({ found }: Step): boolean => differInLineEnds(found.here, found.remote);

const onlyLineEnds = 'only line ends differ';

function noteLineEnds({ flags, say }: Context, [first, ...others]: readonly string[]): void {
  if (first === undefined || flags.json || flags.ndjson) return;
  say({
    kind: 'note',
    text: [
      `${fileAndOthers(first, others.length)}: ${onlyLineEnds} from the service.`,
      'git may change line ends in a checkout. The guide shows a .gitattributes that prevents this.',
    ],
  });
}

function noteAssumptions({ flags, say }: Context, [first, ...others]: readonly string[]): void {
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

const foldUnchanged = (unchanged: readonly Step[]): JsonObject[] =>
  unchanged.length === 0 ? [] : [{ status: 'unchanged', count: unchanged.length }];

function rowOf(workspace: Workspace, step: Step): JsonObject {
  const { why, found } = step;
  const { val, remote, record } = found;
  const { madeAt, madeBy } = remote?.newestVersion ?? {};
  // If nobody knows which side is newer, the time helps to decide.
  const isUnsure = why === 'differs' || why === 'older here';
  return withoutUndefined({
    file: pathTo(workspace, val.file),
    name: val.name,
    status: why,
    id: val.id,
    version: remote?.version ?? record?.version,
    changedAt: isUnsure ? madeAt : undefined,
    changedBy: isUnsure || why === 'conflict' || why === 'changed there' ? madeBy : undefined,
    note: noteOf(workspace, step),
  });
}

function noteOf(workspace: Workspace, step: Step): string | undefined {
  if (haveOtherLineEnds(step)) return onlyLineEnds;
  const { why, val, found } = step;
  const version = found.here && textOf(earlierVersion(found.record, found.here)?.version ?? null);
  if (why === 'older here' && version !== undefined) return `the file is version ${version}`;
  if (why === 'older here' && found.isOlderName) return `the val is named "${found.remote?.name}" now`;
  return val.movedFrom === undefined ? undefined : `was ${pathTo(workspace, val.movedFrom)}`;
}

const moveHints = (workspace: Workspace, steps: readonly Step[], moves: readonly LikelyMove[]): Hints[] =>
  moves
    .filter(({ isOnlyOne }) => isOnlyOne)
    .map((move) => {
      const step = steps.find(({ val }) => val.file === move.to);
      return likelyMoveText(workspace, move, step, { dryRun: true });
    });
