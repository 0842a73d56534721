// What each status means, and what to do next: one table for `status`, `diff`, refusals and questions.
import { ConflictError, type Problem } from '../core/errors.ts';
import { type Hint, listOf } from '../core/lib/hint.ts';
import type { Status } from './compare.ts';
import { type ComparedVal, type Examined, type MissingVal, nameThereOf } from './examine.ts';
import type { GitLimit } from './git-history.ts';
import { pathTo, type Workspace } from './workspace.ts';

/** A status, split where the next step differs. */
export type Situation =
  | Exclude<Status, 'unchanged'>
  /** Somebody renamed the val on the service. */
  | 'renamed there'
  /** The file has the marks of a merge, and the service has code that it lacks. */
  | 'unmerged conflict';

export function situationOf(val: Examined): Situation | undefined {
  const { status, code } = val;
  if (status === 'unchanged') return undefined;
  if (nameThereOf(val) !== undefined) return 'renamed there';
  const lacksCode = code === 'conflict' || code === 'changed there';
  return status === 'unmerged' && lacksCode ? 'unmerged conflict' : status;
}

interface NextStep {
  meaning: { one: string; many: string };
  hints: readonly (string | Hint)[];
}

const push = (text: string, input: Hint['input'] = {}): Hint => ({ text, command: 'push', input });
const pull = (text: string, input: Hint['input'] = {}): Hint => ({ text, command: 'pull', input });

const editMarkers = 'Edit the file: keep the lines you want, and remove the conflict markers (<<<<<<<).';
const hasMarkers = { one: 'has conflict markers', many: 'have conflict markers' };
const same = (text: string) => ({ one: text, many: text });

const table: Readonly<Record<Situation, NextStep>> = {
  'unmerged conflict': {
    meaning: hasMarkers,
    hints: [
      editMarkers,
      push("If the file has the service's changes then, to send it", { force: true }),
      pull('Otherwise, to merge them into it', { merge: true }),
    ],
  },
  unmerged: { meaning: hasMarkers, hints: [editMarkers, push('To send it then')] },
  conflict: {
    meaning: same('changed here and on the service'),
    hints: [
      { text: 'To see the difference', command: 'diff' },
      pull("To merge the service's code into the file", { merge: true }),
      pull("To replace the file with the service's code", { force: true }),
      push("To overwrite the service's code", { force: true }),
    ],
  },
  'renamed there': {
    meaning: {
      one: 'has a val that was renamed on the service',
      many: 'have vals that were renamed on the service',
    },
    hints: [pull('To take the new name over')],
  },
  'deleted there': {
    meaning: {
      one: 'has no val on the service any more, because the val was deleted',
      many: 'have no vals on the service any more, because the vals were deleted',
    },
    hints: [push('To make the val anew', { yes: true }), 'Otherwise, delete the file.'],
  },
  'missing here': {
    meaning: {
      one: 'is gone here, and its val is on the service',
      many: 'are gone here, and their vals are on the service',
    },
    hints: [pull('To restore the file'), push('To delete the vals whose files are gone', { prune: true })],
  },
  'changed there': {
    meaning: same('changed on the service'),
    hints: [pull("To write the service's code into the file")],
  },
  'changed here': { meaning: same('changed here'), hints: [push('To send the change')] },
  'renamed here': {
    meaning: { one: 'was renamed here', many: 'were renamed here' },
    hints: [push('To rename the val on the service')],
  },
  new: {
    meaning: { one: 'is not on the service yet', many: 'are not on the service yet' },
    hints: [push('To send it')],
  },
};

/** The statuses in the order in which they need attention. */
export const situations = Object.keys(table) as readonly Situation[];

export const meaningOf = (situation: Situation): Problem => table[situation].meaning;

/** The argument of each proposed command that takes files. */
const argumentOfFiles: Readonly<Record<string, string>> = { push: 'paths', pull: 'vals', diff: 'vals' };

/** A command that names the files works wherever it is typed, and changes nothing else. */
export function hintAbout(files: readonly string[], hint: Hint): Hint {
  const argument = argumentOfFiles[hint.command ?? ''];
  return argument === undefined ? hint : { ...hint, input: { [argument]: listOf(files), ...hint.input } };
}

/**
 * What to do about vals in one situation. The commands name the files, so that they work wherever they are typed and
 * change nothing else. With `isWhole` they work on the whole workspace, except those that would overwrite other vals.
 */
export function nextSteps(
  situation: Situation,
  paths: readonly string[],
  { isWhole = false } = {},
): (string | Hint)[] {
  return table[situation].hints.flatMap((hint): (string | Hint)[] => {
    if (typeof hint === 'string') return [hint];
    const { command = '', input = {} } = hint;
    // --prune works on the whole workspace.
    if (input.prune === true) return isWhole ? [hint] : [];
    const isRestore = situation === 'missing here' && command === 'pull';
    const namesFiles = !isWhole || isRestore || input.force === true || input.yes === true;
    return [namesFiles ? hintAbout(paths, hint) : hint];
  });
}

/** Why git could not answer, and what helps. */
const gitLimits: Readonly<Record<GitLimit, readonly [reason: string, cure?: string] | undefined>> = {
  shallow: ['git has only a part of the history here', ' In CI, fetch all of it (fetch-depth: 0).'],
  'too long': ['git took longer than 5 seconds to search the history'],
  failed: ['git could not read the history', ' `git log` shows the reason.'],
  'no git program': ['git is not installed here'],
  'no commits': undefined,
};

export function hintAtGit(limit: GitLimit | undefined, question = 'which side is newer'): string[] {
  const [reason, cure = ''] = (limit && gitLimits[limit]) ?? [];
  return reason === undefined ? [] : [`${reason}, so it cannot tell ${question}.${cure}`];
}

/** Said of vals that no file has the name of. */
export const hintAtMissing = (limit: GitLimit | undefined): string[] =>
  hintAtGit(limit, 'which files were deleted or renamed');

/** A colleague may have committed the change that the service has. */
const gitFirst = ({ head }: Workspace, situation: Situation): string[] =>
  head === undefined || situation !== 'conflict'
    ? []
    : ['If somebody committed the change, merge it with `git pull`, and run the command again.'];

/** Why a val was not pushed or pulled, and what to do next. */
export function conflictOf(
  workspace: Workspace,
  val: Examined,
  situation: Situation = situationOf(val) ?? 'conflict',
): ConflictError {
  const path = pathTo(workspace, val.file);
  if (val.code !== undefined && situation === 'renamed there') return renamedThere(val, path);
  const problem = meaningOf(situation);
  const limit = val.code === undefined ? undefined : val.gitLimit;
  const message = `${path} ${typeof problem === 'string' ? problem : problem.one}.`;
  return new ConflictError(situation === 'conflict' ? message + madeBy(val) : message, {
    subject: path,
    problem,
    hint: [...hintAtGit(limit), ...gitFirst(workspace, situation), ...nextSteps(situation, [path])],
  });
}

const madeBy = ({ there }: Examined): string =>
  there?.madeBy === undefined || there.version === undefined
    ? ''
    : ` Version ${there.version} there is by ${there.madeBy}.`;

/** There are two ways out of a rename on the service. */
function renamedThere({ name, there }: ComparedVal, path: string): ConflictError {
  const problem = `has the val "${name}", which is named "${there.name}" on the service now`;
  const giveBack: Hint = {
    text: 'To give the old name back',
    command: 'val set',
    input: { val: there.id ?? there.name, name },
  };
  return new ConflictError(`${path} ${problem}.`, {
    subject: path,
    problem,
    hint: [...nextSteps('renamed there', [path]), giveBack],
  });
}

/** The record shows that the file was here, but the service has code by now that neither git nor the record has. */
export function notDeleted(workspace: Workspace, { name, file }: MissingVal): ConflictError {
  const path = pathTo(workspace, file);
  return new ConflictError(
    `${path} is gone, but its val "${name}" was not deleted: it changed on the service, and neither git nor a record has that code.`,
    {
      hint: [
        ...nextSteps('missing here', [path]),
        { text: 'To delete the val all the same', command: 'val rm', input: { vals: [name] } },
      ],
    },
  );
}
