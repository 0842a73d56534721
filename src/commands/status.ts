import { argument, defineCommand, toggle } from '../cli/command.ts';
import type { Context } from '../cli/context.ts';
import { ConflictError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { type Column, column, idColumn } from '../terminal/column.ts';
import type { Style } from '../terminal/style.ts';
import { isDeletedEverywhere, type ShownStatus, shownStatus } from '../workspace/compare.ts';
import { readBelow } from '../workspace/disk/files.ts';
import { type Examined, unexpectedName } from '../workspace/examine.ts';
import { likelyRenames } from '../workspace/similar.ts';
import type { WorkspaceVal } from '../workspace/vals.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { fileColumn } from './shared/columns.ts';
import { compareVals } from './shared/compare-vals.ts';
import { fileAndOthers, notePossibleTakeovers } from './shared/messages.ts';

/** `vals status` lists the vals in the order of these keys. */
const marks: Record<ShownStatus, { mark: string; tone: keyof Style }> = {
  unmerged: { mark: '!', tone: 'red' },
  conflict: { mark: '!', tone: 'red' },
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
  attention.indexOf(shownStatus(a)) - attention.indexOf(shownStatus(b));

const statusColumn: Column = {
  ...column('status'),
  neverCut: true,
  present(status, { count }) {
    const { mark, tone } = marks[status as ShownStatus];
    return { text: [mark, count, status].filter((part) => part !== undefined).join(' '), tone };
  },
};

export const command = defineCommand({
  summary: 'Compare the workspace with the service',
  description:
    'Compare each file of the workspace with its val on the service. The status of a val is unchanged, changed here, ' +
    'changed there (on the service), conflict, unmerged, new, renamed here, missing here, deleted there or not yours.',
  details:
    'A val is in conflict in three cases: the val changed in its file and on the service; the file is new, and the ' +
    'service already has a val of that name; the id in vals.json belongs to a val of another name. A val is unmerged ' +
    'if its file has conflict markers (<<<<<<<). A val is renamed here if its name was edited in vals.json.',
  arguments: { vals: argument('[val...]', 'names, files or ids of vals (default: the whole workspace)') },
  options: {
    exitCode: toggle('--exit-code', 'exit with code 5 if a val differs from the service', {
      hiddenFromAgents: true,
    }),
  },
  examples: ['vals status', 'vals status hello --exit-code', 'vals status --json | jq -r ".[].status"'],
  columns: [statusColumn, column('name'), { ...column('version'), droppable: 3 }, idColumn('id'), fileColumn],
  empty: 'The workspace has no vals yet. Write some code to hello.ts, then run `vals push`.',
  async run(context, { vals, exitCode }) {
    const { workspace, examined, error } = await compareVals(context, vals, { keepsCode: () => false });
    const isUnchanged = (val: Examined) => shownStatus(val) === 'unchanged';
    const differing = examined.filter((val) => !isUnchanged(val));
    const unchanged = examined.filter(isUnchanged);
    const isFolded = context.forPerson && context.flags.fields === undefined && vals.length === 0;
    const rows = isFolded
      ? [...differing.toSorted(byAttention).map(rowOf), ...foldUnchanged(unchanged)]
      : examined.map(rowOf);
    if (error !== undefined) return { kind: 'outcomes', rows, error };
    if (exitCode && differing.length > 0) {
      const message = `${differing.length} of ${examined.length} vals differ from the service.`;
      return {
        kind: 'outcomes',
        rows,
        error: new ConflictError(message, { hint: 'To see the differences, run `vals diff`.' }),
      };
    }
    for (const hint of [...nextSteps(differing), ...renameHints(workspace, differing)])
      context.say.hint(hint);
    const possibleTakeovers = differing.filter(({ mayTakeOver }) => mayTakeOver).map(({ val }) => val.file);
    notePossibleTakeovers(context, possibleTakeovers);
    noteAssumptions(context, examined);
    if (isFolded && differing.length === 0 && examined.length > 0) {
      return { kind: 'text', text: allUnchanged(examined.length) };
    }
    return { kind: 'list', rows };
  },
});

function noteAssumptions({ flags, say }: Context, examined: readonly Examined[]): void {
  const [first, ...others] = examined
    .filter(({ isRemoteAssumed }) => isRemoteAssumed)
    .map(({ val }) => val.file);
  if (first === undefined || flags.json || flags.ndjson) return;
  const files = fileAndOthers(first, others.length);
  say.note(
    `The service sent no id for ${files} and cannot list vals. So \`vals status\` compared ${files} with the code ` +
      'that was pushed last. To compare with the code on the service, find the id of the val on the service, then run `vals pull <id>`.',
  );
}

const allUnchanged = (count: number): string =>
  count === 1
    ? 'The only val of the workspace is unchanged.\n'
    : `All ${count} vals of the workspace are unchanged.\n`;

const foldUnchanged = (unchanged: readonly Examined[]): JsonObject[] =>
  unchanged.length === 0 ? [] : [{ status: 'unchanged', count: unchanged.length }];

const rowOf = (examined: Examined): JsonObject => {
  const { val, remote, base } = examined;
  const version = remote?.version ?? base?.version;
  return {
    file: val.file,
    name: val.name,
    status: shownStatus(examined),
    ...(val.id !== undefined && { id: val.id }),
    ...(version !== undefined && { version }),
  };
};

function renameHints({ root, bases }: Workspace, differing: readonly Examined[]): string[] {
  const filesThatAre = (wanted: ShownStatus, codeOf: (val: WorkspaceVal) => string | undefined) =>
    differing
      .filter((examined) => shownStatus(examined) === wanted)
      .map(({ val }) => ({ file: val.file, read: () => codeOf(val) ?? '' }));
  const missing = filesThatAre('missing here', (val) => bases.read(val)?.code);
  const fresh = filesThatAre('new', ({ file }) => readBelow(root, file));
  return likelyRenames(missing, fresh).map(
    ({ from, to }) =>
      `${from} is missing, and the new file ${to} has similar code. If you renamed the file, replace ${from} with ${to} in vals.json.`,
  );
}

function nextSteps(differing: readonly Examined[]): string[] {
  const has = (...wanted: ShownStatus[]) =>
    differing.some((examined) => wanted.includes(shownStatus(examined)) && !isDeletedEverywhere(examined));
  const conflicts = differing.filter((examined) => shownStatus(examined) === 'conflict');
  const isOthers = has('deleted there', 'not yours');
  const isElsewhere = differing.some(({ val }) => val.otherServices !== undefined);
  const isCheckout = differing.some(
    ({ status, base, remote }) => status === 'changed here' && base === undefined && remote !== undefined,
  );
  const steps: [isNeeded: boolean, hint: string][] = [
    [has('changed here', 'new'), 'To send the new and changed files, run `vals push`.'],
    [has('renamed here'), 'To give the vals on the service the new names from vals.json, run `vals push`.'],
    [
      isCheckout,
      'For some files, this folder has no record of an earlier pull or push. So `vals status` cannot tell whether these files or their vals on the service are newer. To see the differences, run `vals diff`.',
    ],
    [has('changed there', 'missing here'), "To write the service's code into the files, run `vals pull`."],
    [has('missing here'), 'To delete the vals on the service whose files are gone, run `vals push --prune`.'],
    [
      has('unmerged'),
      'In unmerged files, keep the lines you want, remove the conflict markers (<<<<<<<), then run `vals push`.',
    ],
    [
      conflicts.some((each) => !each.isNew && !hasOtherName(each)),
      "To merge the service's code into the files in conflict, run `vals pull --merge`.",
    ],
    [
      conflicts.some(({ isNew }) => isNew),
      'The service already has a val with the name of a new file. To see the differences, run `vals diff`. To merge the code of the val into the file, run `vals pull --merge`.',
    ],
    [
      conflicts.some(hasOtherName),
      'For a file in conflict, vals.json has the id of a val with another name. To use the name and the code of that val, run `vals pull`.',
    ],
    [isOthers && !isElsewhere, 'To make vals of your own from the files, run `vals push --fork`.'],
    [
      isOthers && isElsewhere,
      'To list your services and spaces, run `vals use`. To push to your own vals instead, run `vals push --fork`. For each file, this command updates your val of the same name, or creates the val if you have none.',
    ],
    [
      differing.some(isDeletedEverywhere),
      'To remove vals that are neither in the workspace nor on the service, run `vals forget`.',
    ],
  ];
  return steps.flatMap(([isNeeded, hint]) => (isNeeded ? hint : []));
}

const hasOtherName = (examined: Examined): boolean => unexpectedName(examined) !== undefined;
