import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../cli/context.ts';
import { valWord } from '../../cli/value-types.ts';
import { ConflictError } from '../../errors.ts';
import type { Hint, Hints } from '../../lib/hint.ts';
import { type JsonObject, withoutUndefined } from '../../lib/json.ts';
import { type Column, column, idColumn, moment } from '../../terminal/column.ts';
import type { Style } from '../../terminal/style.ts';
import { readBelow } from '../../workspace/disk/files.ts';
import type { Examined } from '../../workspace/examine.ts';
import { likelyRenames, renameHint } from '../../workspace/similar.ts';
import { type State, stateOf } from '../../workspace/state.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';
import { fileColumn } from '../shared/columns.ts';
import { fileAndOthers, notePossibleTakeovers } from '../shared/notes.ts';
import { compareVals } from './compare-vals.ts';

/** `vals status` lists the vals in the order of these keys. */
const marks: Record<State, { mark: string; tone: keyof Style }> = {
  unmerged: { mark: '!', tone: 'red' },
  conflict: { mark: '!', tone: 'red' },
  differs: { mark: '?', tone: 'red' },
  'not yours': { mark: 'x', tone: 'yellow' },
  'deleted there': { mark: 'x', tone: 'yellow' },
  'missing here': { mark: '-', tone: 'yellow' },
  'changed there': { mark: '<', tone: 'cyan' },
  'changed here': { mark: '>', tone: 'green' },
  'renamed here': { mark: '>', tone: 'green' },
  new: { mark: '+', tone: 'green' },
  unchanged: { mark: '=', tone: 'dim' },
};

const attention = Object.keys(marks);
const byAttention = (a: Examined, b: Examined): number =>
  attention.indexOf(stateOf(a)) - attention.indexOf(stateOf(b));

const statusColumn: Column = {
  ...column('status'),
  neverCut: true,
  present(status, { count }) {
    const { mark, tone } = marks[status as State];
    return { text: [mark, count, status].filter((part) => part !== undefined).join(' '), tone };
  },
};

export const command = defineCommand({
  summary: 'Compare the workspace with the service',
  description:
    'Compare each file of the workspace with its val on the service. The status of a val is unchanged, changed here, ' +
    'changed there (on the service), conflict, differs, unmerged, new, renamed here, missing here, deleted there or not ' +
    'yours.',
  details:
    'A val is in conflict if it changed in its file and on the service, or if the id in vals.json belongs to a val of ' +
    'another name. A val differs if the codes are not the same and vals has no record of the val, so that nobody knows ' +
    'which side is newer. A val is unmerged if its file has conflict markers (<<<<<<<). A val is renamed here if its ' +
    'name was edited in vals.json.',
  arguments: {
    vals: {
      description: 'names, files or ids of vals (default: the whole workspace)',
      value: valWord(),
      optional: true,
      repeatable: true,
    },
  },
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
  ],
  empty: [
    'The workspace has no vals yet. Write some code to hello.ts.',
    { text: 'To make it a val', command: 'push' },
  ],
  async run(context, { vals, exitCode }) {
    const { workspace, examined, error } = await compareVals(context, vals, {
      keepsCode: ({ code }) => code === 'missing here',
    });
    const isUnchanged = (val: Examined) => stateOf(val) === 'unchanged';
    const differing = examined.filter((val) => !isUnchanged(val));
    const unchanged = examined.filter(isUnchanged);
    const row = (each: Examined) => rowOf(workspace, each);
    const isFolded = context.forPerson && context.flags.fields === undefined && vals.length === 0;
    const rows = isFolded
      ? [...differing.toSorted(byAttention).map(row), ...foldUnchanged(unchanged)]
      : examined.map(row);
    if (error !== undefined) return { kind: 'outcomes', rows, error };
    if (exitCode && differing.length > 0) {
      const message = `${differing.length} of ${examined.length} vals differ from the service.`;
      return {
        kind: 'outcomes',
        rows,
        error: new ConflictError(message, { hint: { text: 'To see the differences', command: 'diff' } }),
      };
    }
    for (const hint of [...nextSteps(differing), ...renameHints(workspace, differing)])
      context.say({ kind: 'hint', text: hint });
    const possibleTakeovers = differing
      .filter(({ isNameUnknown, here }) => isNameUnknown && here !== undefined)
      .map(({ val }) => pathTo(workspace, val.file));
    notePossibleTakeovers(context, possibleTakeovers);
    noteAssumptions(context, workspace, examined);
    if (isFolded && differing.length === 0 && examined.length > 0) {
      return { kind: 'text', text: allUnchanged(examined.length) };
    }
    return { kind: 'list', rows };
  },
});

function noteAssumptions({ flags, say }: Context, workspace: Workspace, examined: readonly Examined[]): void {
  const [first, ...others] = examined
    .filter(({ isRemoteAssumed }) => isRemoteAssumed)
    .map(({ val }) => pathTo(workspace, val.file));
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

const foldUnchanged = (unchanged: readonly Examined[]): JsonObject[] =>
  unchanged.length === 0 ? [] : [{ status: 'unchanged', count: unchanged.length }];

function rowOf(workspace: Workspace, examined: Examined): JsonObject {
  const { val, remote, record } = examined;
  const status = stateOf(examined);
  const { madeAt, madeBy } = (status === 'differs' && remote?.newestVersion) || {};
  return withoutUndefined({
    file: pathTo(workspace, val.file),
    name: val.name,
    status,
    id: val.id,
    version: remote?.version ?? record?.version,
    changedAt: madeAt,
    changedBy: madeBy,
  });
}

function renameHints(workspace: Workspace, differing: readonly Examined[]): string[] {
  const { root } = workspace;
  const valsThatAre = (wanted: State) => differing.filter((examined) => stateOf(examined) === wanted);
  const missing = valsThatAre('missing here').map(({ val, record, remote }) => ({
    file: pathTo(workspace, val.file),
    codes: [record?.code, remote?.code],
  }));
  const fresh = valsThatAre('new').map(({ val }) => ({
    file: pathTo(workspace, val.file),
    read: () => readBelow(root, val.file),
  }));
  return likelyRenames(missing, fresh).map(renameHint);
}

function nextSteps(differing: readonly Examined[]): Hints[] {
  const has = (...wanted: State[]) =>
    differing.some((examined) => wanted.includes(stateOf(examined)) && !isDeletedEverywhere(examined));
  const conflicts = differing.filter((examined) => stateOf(examined) === 'conflict');
  const isOthers = has('deleted there', 'not yours');
  const isElsewhere = differing.some(({ val }) => val.otherServices !== undefined);
  const step = (text: string, command: string, input?: Hint['input']): Hint => ({
    text,
    command,
    ...(input && { input }),
  });
  const steps: [isNeeded: boolean, hint: Hints][] = [
    [has('changed here', 'new'), step('To send the new and changed files', 'push')],
    [has('renamed here'), step('To give the vals on the service the new names from vals.json', 'push')],
    [
      has('differs'),
      [
        'For the vals that differ, vals has no record of an earlier pull or push, so nobody knows which side is newer.',
        step('To see the differences', 'diff'),
        step('To overwrite the vals on the service', 'push', { yes: true }),
        step('To overwrite the files and keep copies of them', 'pull', { force: true }),
      ],
    ],
    [has('changed there', 'missing here'), step("To write the service's code into the files", 'pull')],
    [
      has('missing here'),
      step('To delete the vals on the service whose files are gone', 'push', { prune: true }),
    ],
    [
      has('unmerged'),
      step(
        'In unmerged files, keep the lines you want and remove the conflict markers (<<<<<<<). To send them then',
        'push',
      ),
    ],
    [
      conflicts.some(({ name }) => name !== 'other val'),
      step("To merge the service's code into the files in conflict", 'pull', { merge: true }),
    ],
    [
      conflicts.some(({ name }) => name === 'other val'),
      [
        'For a file in conflict, vals.json has the id of a val with another name. If the file is that val, change the name in vals.json.',
        step('To make a val of your own instead', 'push', { fork: true }),
      ],
    ],
    [isOthers && !isElsewhere, step('To make vals of your own from the files', 'push', { fork: true })],
    [
      isOthers && isElsewhere,
      [
        step('To list your services and spaces', 'use'),
        step('To push to your own vals instead', 'push', { fork: true }),
        'For each file, this updates your val of the same name, or creates the val if you have none.',
      ],
    ],
    [
      differing.some(isDeletedEverywhere),
      step('To remove vals that are neither in the workspace nor on the service', 'forget'),
    ],
  ];
  return steps.flatMap(([isNeeded, hint]) => (isNeeded ? [hint] : []));
}

const isDeletedEverywhere = ({ here, remote }: Examined): boolean =>
  here === undefined && remote === undefined;
