// What each status means, what a push and a pull do about it, and the next commands: the tables of all statuses.
// The sentences of conflicts are in conflicts.ts.
import { type Hint, sh } from '../core/lib/hint.ts';
import type { Style } from '../core/output/style.ts';
import type { GitLimit } from './compare/types.ts';
import type { Reason, State } from './file-status.ts';

/** What a push does about a val. `refuse` sends nothing, and is exit code 5. */
type StepKind = 'create' | 'send' | 'leave' | 'behind' | 'refuse';

/** What a pull does about a file. `keep` leaves the file, which is no failure. */
type PullKind = 'write' | 'add' | 'keep' | 'refuse';

interface Entry {
  /** `status` lists the vals in the order of this table, which is the order of attention. */
  mark: string;
  tone: keyof Style;
  push: StepKind;
  /** With --force. */
  forced: StepKind;
  /** `add` is a write if the val was named. */
  pull: PullKind;
  pullForced: PullKind;
}

const conflict: Entry = {
  ...{ mark: '!', tone: 'red' },
  ...{ push: 'refuse', forced: 'send', pull: 'refuse', pullForced: 'write' },
};

const table: Readonly<Record<State, Entry>> = {
  marks: conflict,
  'both changed': conflict,
  'renamed there': { ...conflict, pullForced: 'refuse' },
  'deleted there': { ...conflict, forced: 'create', pullForced: 'refuse' },
  'name taken': { ...conflict, forced: 'create', pullForced: 'refuse' },
  'not yours': { ...conflict, forced: 'create' },
  'missing here': {
    ...{ mark: '-', tone: 'yellow' },
    ...{ push: 'leave', forced: 'leave', pull: 'add', pullForced: 'add' },
  },
  'changed there': {
    ...{ mark: '<', tone: 'cyan' },
    ...{ push: 'behind', forced: 'send', pull: 'write', pullForced: 'write' },
  },
  'changed here': {
    ...{ mark: '>', tone: 'green' },
    ...{ push: 'send', forced: 'send', pull: 'keep', pullForced: 'write' },
  },
  new: {
    ...{ mark: '+', tone: 'green' },
    ...{ push: 'create', forced: 'create', pull: 'keep', pullForced: 'keep' },
  },
  unchanged: {
    ...{ mark: '=', tone: 'dim' },
    ...{ push: 'leave', forced: 'leave', pull: 'keep', pullForced: 'keep' },
  },
};

/** In the order of attention. */
export const states = Object.keys(table) as readonly State[];

export const rulesOf = (state: State): Entry => table[state];

export const markOf = (state: string): Pick<Entry, 'mark' | 'tone'> =>
  states.some((each) => each === state) ? table[state as State] : conflict;

/** A command that files can be given to. */
export interface Proposal {
  text: string;
  command: 'push' | 'pull' | 'diff';
  options: readonly string[];
}

export const push = (text: string, ...options: string[]): Proposal => ({ text, command: 'push', options });
export const pull = (text: string, ...options: string[]): Proposal => ({ text, command: 'pull', options });

interface Words {
  /** Follows the name of a file. */
  meaning: string;
  next: readonly (string | Proposal)[];
}

/** What is no conflict. The words of conflicts are in conflicts.ts. */
const words: Readonly<Record<Exclude<State, Reason>, Words>> = {
  'missing here': {
    meaning: 'was deleted here, and its val was not',
    next: [pull('To restore the file'), push('To delete the vals whose files are gone', '--prune')],
  },
  'changed there': {
    meaning: 'changed on the service',
    next: [pull("To write the service's code into the file")],
  },
  'changed here': { meaning: 'changed here', next: [push('To send the change')] },
  new: { meaning: 'is not on the service yet', next: [push('To send it')] },
  unchanged: { meaning: 'is the same on the service', next: [] },
};

export const meaningOfState = (state: Exclude<State, Reason>): string => words[state].meaning;

/** A command that names the files works wherever it is typed, and changes nothing else. */
export const hintAbout = (files: readonly string[], { text, command, options }: Proposal): Hint =>
  sh`${text}, run ${[command, ...wordsOrPlaceholder(files, command === 'push' ? '<paths...>' : '<val...>'), ...options]}.`;

/** With `isWhole` the commands work on the whole workspace, except those that would overwrite other vals. */
export function nextCommands(
  state: Exclude<State, Reason>,
  paths: readonly string[],
  { isWhole = false, canPull = false }: { isWhole?: boolean; canPull?: boolean | undefined } = {},
): Hint[] {
  const hints = words[state].next.flatMap((hint): Hint[] => {
    if (typeof hint === 'string') return [hint];
    const { command, options } = hint;
    // --prune works on the whole workspace.
    if (options.includes('--prune')) return isWhole ? [hintAbout([], hint)] : [];
    const isRestore = state === 'missing here' && command === 'pull';
    return [hintAbout(!isWhole || isRestore ? paths : [], hint)];
  });
  return state === 'changed there' && canPull ? [...hints, colleaguesCommit] : hints;
}

const colleaguesCommit = 'If a colleague committed the change, run `git pull` instead.';

/** Why git could not answer, and what helps. */
const gitLimits: Readonly<Record<GitLimit, { reason: string; fix: readonly string[] }>> = {
  shallow: {
    reason: 'the history of this checkout does not reach far enough',
    fix: ['In CI, fetch all of it (fetch-depth: 0).'],
  },
  lfs: {
    reason: 'Git LFS keeps the code, and git has only a pointer to it',
    fix: ['If the file here is only a pointer, too, run `git lfs pull`.'],
  },
  'too long': { reason: 'the search of the history took longer than 5 seconds', fix: [] },
  failed: { reason: 'the history could not be read', fix: ['`git log` shows the reason.'] },
  'no git program': { reason: 'git is not installed here', fix: [] },
  'dubious ownership': {
    reason: 'git does not trust this repository, because it belongs to another user',
    fix: ['`git status` says how to trust it.'],
  },
};

export const fixFor = (limit: GitLimit | undefined): readonly string[] =>
  limit === undefined ? [] : gitLimits[limit].fix;

/** For example "git cannot tell which side is newer: git is not installed here". */
export const gitCannotTell = (limit: GitLimit, question = 'which side is newer'): string =>
  `git cannot tell ${question}: ${gitLimits[limit].reason}`;

export const hintAtGit = (limit: GitLimit | undefined, question?: string): string[] =>
  limit === undefined ? [] : [[`${gitCannotTell(limit, question)}.`, ...fixFor(limit)].join(' ')];

const mostListed = 3;

/** The files or vals of a command. A long list would make the command hard to read. */
export const wordsOrPlaceholder = (words: readonly string[], placeholder: string): readonly string[] =>
  words.length > mostListed ? [placeholder] : words;
