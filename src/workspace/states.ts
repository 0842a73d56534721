// What each status means, and what push and pull do about it: one table for the screen and the refusals.
import { type Hint, sh } from '../core/lib/hint.ts';
import type { Style } from '../core/output/style.ts';
import type { GitLimit } from './compare/types.ts';
import type { State } from './findings.ts';

/** What a push does about a val. `refuse` sends nothing, and is exit code 5. */
type StepKind = 'create' | 'send' | 'leave' | 'behind' | 'refuse';

/** What a pull does about a file. `keep` leaves the file, which is no failure. */
type PullKind = 'write' | 'add' | 'keep' | 'refuse';

interface Entry {
  /** `status` lists the vals in the order of this table, which is the order of attention. */
  mark: string;
  tone: keyof Style;
  /** Follows the name of a file. */
  meaning: string;
  push: StepKind;
  /** With --force. */
  forced: StepKind;
  /** `add` is a write if the val was named. */
  pull: PullKind;
  pullForced: PullKind;
  /** What to do next. */
  next: readonly (string | Proposal)[];
}

/** A command that files can be given to. */
export interface Proposal {
  text: string;
  command: 'push' | 'pull' | 'diff';
  options: readonly string[];
}

const push = (text: string, ...options: string[]): Proposal => ({ text, command: 'push', options });
const pull = (text: string, ...options: string[]): Proposal => ({ text, command: 'pull', options });
const diff: Proposal = { text: 'To see the difference', command: 'diff', options: [] };
const overwrite = push("To overwrite the service's code", '--force');
const red = { mark: '!', tone: 'red' } as const;
const refused = { ...red, push: 'refuse', pull: 'refuse', pullForced: 'refuse' } as const;

const table: Readonly<Record<State, Entry>> = {
  marks: {
    ...refused,
    meaning: 'has conflict markers',
    forced: 'send',
    pullForced: 'write',
    next: [
      'Edit the file: keep the lines you want, and remove the conflict markers (<<<<<<<).',
      push('To send it then'),
      'If it is as it was before the merge, add --force.',
    ],
  },
  'both changed': {
    ...refused,
    meaning: 'differs from the service, and nobody can tell which side is newer',
    forced: 'send',
    pullForced: 'write',
    next: [
      diff,
      pull("To merge the service's code into the file", '--merge'),
      pull("To take the service's code instead", '--force'),
      overwrite,
    ],
  },
  'renamed there': {
    ...refused,
    meaning: 'has a val that was renamed on the service',
    forced: 'send',
    next: [],
  },
  'deleted there': {
    ...refused,
    meaning: 'has a val that the service does not show: it was deleted, or belongs to somebody else',
    forced: 'create',
    next: [push('To make the val anew', '--force'), 'Otherwise, delete the file.'],
  },
  'name taken': {
    ...refused,
    meaning: 'has no val yet, but the service says that the name is taken',
    forced: 'create',
    next: ['Find out whose val it is.'],
  },
  'not yours': {
    ...refused,
    meaning: 'has a val that belongs to somebody else, or that your token may not change',
    forced: 'create',
    pullForced: 'write',
    next: [push('To make a val of your own', '--force')],
  },
  'missing here': {
    mark: '-',
    tone: 'yellow',
    meaning: 'was deleted here, and its val was not',
    push: 'leave',
    forced: 'leave',
    pull: 'add',
    pullForced: 'add',
    next: [pull('To restore the file'), push('To delete the vals whose files are gone', '--prune')],
  },
  'changed there': {
    mark: '<',
    tone: 'cyan',
    meaning: 'changed on the service',
    push: 'behind',
    forced: 'send',
    pull: 'write',
    pullForced: 'write',
    next: [pull("To write the service's code into the file")],
  },
  'changed here': {
    mark: '>',
    tone: 'green',
    meaning: 'changed here',
    push: 'send',
    forced: 'send',
    pull: 'keep',
    pullForced: 'write',
    next: [push('To send the change')],
  },
  new: {
    mark: '+',
    tone: 'green',
    meaning: 'is not on the service yet',
    push: 'create',
    forced: 'create',
    pull: 'keep',
    pullForced: 'keep',
    next: [push('To send it')],
  },
  unchanged: {
    mark: '=',
    tone: 'dim',
    meaning: 'is the same on the service',
    push: 'leave',
    forced: 'leave',
    pull: 'keep',
    pullForced: 'keep',
    next: [],
  },
};

/** In the order of attention. */
export const states = Object.keys(table) as readonly State[];

export const entryOf = (state: State): Entry => table[state];

export const markOf = (state: string): Pick<Entry, 'mark' | 'tone'> =>
  states.some((each) => each === state) ? table[state as State] : red;

/** A command that names the files works wherever it is typed, and changes nothing else. */
export const hintAbout = (files: readonly string[], { text, command, options }: Proposal): Hint =>
  sh`${text}, run ${[command, ...wordsOrPlaceholder(files, command === 'push' ? '<paths...>' : '<val...>'), ...options]}.`;

/** With `isWhole` the commands work on the whole workspace, except those that would overwrite other vals. */
export function nextSteps(
  state: State,
  paths: readonly string[],
  {
    isWhole = false,
    without,
    canPull = false,
  }: { isWhole?: boolean; without?: Proposal['command']; canPull?: boolean | undefined } = {},
): Hint[] {
  const hints = table[state].next.flatMap((hint): Hint[] => {
    if (typeof hint === 'string') return [hint];
    const { command, options } = hint;
    if (command === without) return [];
    // --prune works on the whole workspace.
    if (options.includes('--prune')) return isWhole ? [hintAbout([], hint)] : [];
    const isRestore = state === 'missing here' && command === 'pull';
    const namesFiles = !isWhole || isRestore || options.includes('--force');
    return [hintAbout(namesFiles ? paths : [], hint)];
  });
  return state === 'changed there' && canPull ? [...hints, colleaguesCommit] : hints;
}

const colleaguesCommit = 'If a colleague committed the change, run `git pull` instead.';

/** Why git could not answer, and what helps. */
const gitLimits: Readonly<Record<GitLimit, { reason: string; cure: readonly string[] }>> = {
  shallow: {
    reason: 'the history of this checkout does not reach far enough',
    cure: ['In CI, fetch all of it (fetch-depth: 0).'],
  },
  lfs: { reason: 'Git LFS keeps the code, and git has only a pointer to it', cure: [] },
  'lfs pointer': {
    reason: 'the file is only a pointer of Git LFS',
    cure: ['To fetch its code, run `git lfs pull`.'],
  },
  'too long': { reason: 'the search of the history took longer than 5 seconds', cure: [] },
  failed: { reason: 'the history could not be read', cure: ['`git log` shows the reason.'] },
  'no git program': { reason: 'git is not installed here', cure: [] },
  'dubious ownership': {
    reason: 'git does not trust this repository, because it belongs to another user',
    cure: ['`git status` says how to trust it.'],
  },
};

export const cureOf = (limit: GitLimit | undefined): readonly string[] =>
  limit === undefined ? [] : gitLimits[limit].cure;

/** For example "git cannot tell which side is newer: git is not installed here". */
export const gitCannotTell = (limit: GitLimit, question = 'which side is newer'): string =>
  `git cannot tell ${question}: ${gitLimits[limit].reason}`;

export const hintAtGit = (limit: GitLimit | undefined, question?: string): string[] =>
  limit === undefined ? [] : [[`${gitCannotTell(limit, question)}.`, ...cureOf(limit)].join(' ')];

const mostListed = 3;

/** The files or vals of a command. A long list would make the command hard to read. */
export const wordsOrPlaceholder = (words: readonly string[], placeholder: string): readonly string[] =>
  words.length > mostListed ? [placeholder] : words;
