// What `vals status` proposes to do next, for each state that a val can be in.
import { type Hint, type Hints, hintList } from '../../lib/hint.ts';
import type { LikelyMove } from '../../workspace/moves.ts';
import type { Step } from '../../workspace/plan.ts';
import type { State } from '../../workspace/state.ts';
import { pathTo, type Workspace } from '../../workspace/workspace.ts';
import { hintAbout } from '../shared/hint-about.ts';

interface Advice {
  isFor(step: Step): boolean;
  hints: readonly (string | Hint)[];
}

const step = (text: string, command: string, input?: Hint['input']): Hint => ({
  text,
  command,
  ...(input && { input }),
});

const hasState =
  (...states: State[]) =>
  ({ why }: Step): boolean =>
    states.includes(why);

const isConflict = hasState('conflict');
const isOthers = hasState('deleted there', 'not yours');
const isElsewhere = ({ val }: Step): boolean => val.otherServices !== undefined;
const removeMarkers = 'In unmerged files, keep the lines you want and remove the conflict markers (<<<<<<<).';
/** Once the markers are gone, a push sends the file. */
const canBeSentThen = ({ found }: Step): boolean => found.code === 'changed here' || found.code === 'new';

const advice: readonly Advice[] = [
  { isFor: hasState('changed here', 'new'), hints: [step('To send the new and changed files', 'push')] },
  {
    isFor: hasState('renamed here'),
    hints: [step('To give the vals on the service the new names from vals.json', 'push')],
  },
  {
    isFor: hasState('differs'),
    hints: [
      'For the vals that differ, vals has no record of an earlier pull or push, so nobody knows which side is newer.',
      step('To see the differences', 'diff'),
      step('To overwrite the vals on the service', 'push', { yes: true }),
      step('To overwrite the files and keep copies of them', 'pull', { force: true }),
    ],
  },
  { isFor: hasState('moved here'), hints: [step('To write the new paths into vals.json', 'push')] },
  {
    isFor: hasState('older here'),
    hints: [
      'The files that are older here have code or a name that the service had before.',
      step('To take over what the service has, and keep copies of changed files', 'pull', { force: true }),
      step('To send what is older', 'push', { yes: true }),
    ],
  },
  {
    isFor: hasState('changed there', 'missing here'),
    hints: [step("To write the service's code into the files", 'pull')],
  },
  {
    isFor: (each) => each.why === 'unmerged' && canBeSentThen(each),
    hints: [step(`${removeMarkers} To send them then`, 'push')],
  },
  {
    isFor: (each) => each.why === 'unmerged' && !canBeSentThen(each),
    hints: [step(`${removeMarkers} To see the next step then`, 'status')],
  },
  {
    isFor: (each) => isConflict(each) && each.found.name !== 'other val',
    hints: [step("To merge the service's code into the files in conflict", 'pull', { merge: true })],
  },
  {
    isFor: (each) => isConflict(each) && each.found.name === 'other val',
    hints: [
      'For a file in conflict, vals.json has the id of a val with another name. If the file is that val, change the name in vals.json.',
      step('To make a val of your own instead', 'push', { fork: true }),
    ],
  },
  {
    isFor: (each) => each.why === 'deleted there' && !isElsewhere(each),
    hints: [step('To make new vals of the files whose vals were deleted', 'push', { fork: true })],
  },
  {
    isFor: (each) => each.why === 'not yours' && !isElsewhere(each),
    hints: [step('To make vals of your own of the files that are not yours', 'push', { fork: true })],
  },
  {
    isFor: (each) => isOthers(each) && isElsewhere(each),
    hints: [
      step('To list your services and spaces', 'use'),
      step('To push to your own vals instead', 'push', { fork: true }),
      'For each file, this updates your val of the same name, or creates the val if you have none.',
    ],
  },
];

interface NextStepOptions {
  likelyMoves: readonly LikelyMove[];
  /** Vals were given on the command line. */
  isNamed: boolean;
}

export function nextSteps(
  workspace: Workspace,
  differing: readonly Step[],
  { likelyMoves, isNamed }: NextStepOptions,
): Hints[] {
  const mayBeRenamed = new Set(likelyMoves.map(({ val }) => val.file));
  const pruning: Advice = {
    // --prune works on the whole workspace.
    isFor: ({ why, val }) => why === 'missing here' && !isNamed && !mayBeRenamed.has(val.file),
    hints: [step('To delete the vals on the service whose files are gone', 'push', { prune: true })],
  };
  return [...advice, pruning].flatMap(({ isFor, hints }) => {
    const files = differing.filter(isFor).map(({ val }) => pathTo(workspace, val.file));
    if (files.length === 0) return [];
    return [hintList(hints).map((hint) => (isNamed ? hintAbout(files, hint) : hint))];
  });
}
