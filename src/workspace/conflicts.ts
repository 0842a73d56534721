// Why a val was not pushed or pulled: for each reason of a conflict one sentence, and the next commands.
import { ConflictError } from '../core/errors.ts';
import { type Hint, sh } from '../core/lib/hint.ts';
import { ago } from '../core/output/times.ts';
import type { CompareReason, Comparison } from './compare/types.ts';
import { type Conflict, type FileStatus, isReason, type Reason, valOf } from './file-status.ts';
import type { RemoteVal } from './read/remote-val.ts';
import type { Session } from './session.ts';
import { fixFor, gitCannotTell, hintAbout, meaningOfState, pull, push } from './states.ts';
import { pathTo } from './workspace.ts';

class WorkspaceConflict extends ConflictError {
  constructor(
    readonly reason: Reason,
    ...rest: ConstructorParameters<typeof ConflictError>
  ) {
    super(...rest);
  }
}

export const conflictReason = (error: ConflictError): Reason | undefined =>
  error instanceof WorkspaceConflict ? error.reason : undefined;

/** What is so, and the way on that fits best. */
export function conflictOf(conflict: Conflict, session: Session): ConflictError {
  const { ofMany, sentence } = wordsFor(conflict);
  return new WorkspaceConflict(conflict.state, sentenceOf(conflict, session), {
    ofMany: `Each ${(ofMany ?? sentence)(factsOf(conflict, session))}.`,
    hint: bestNextCommands(conflict, session),
  });
}

/** What is so of one file, whatever its state is. */
export function sentenceOf(fileStatus: FileStatus, session: Session): string {
  const path = pathTo(session.workspace, fileStatus.file);
  const { state, comparison } = fileStatus;
  if (isReason(state))
    return `${path} ${wordsFor({ state, comparison }).sentence(factsOf(fileStatus, session))}.`;
  const present = state === 'changed there' ? describePresent(valOf(fileStatus), session, comparison) : '';
  return `${path} ${meaningOfState(state)}${present}.`;
}

/** The diff of the file shows all ways. Of a name that is taken, only a push knows. */
export function bestNextCommands(conflict: Conflict, session: Session): Hint[] {
  const ways = allNextCommands(conflict, session);
  const [best, another] = ways;
  if (best === undefined || another === undefined || conflict.state === 'name taken') return ways;
  const path = pathTo(session.workspace, conflict.file);
  return [best, sh`To see all ways, run ${['diff', path]}.`];
}

/** All commands that resolve this conflict, the best one first. */
export const allNextCommands = (conflict: Conflict, session: Session): Hint[] =>
  wordsFor(conflict).next(factsOf(conflict, session));

/** Marks that a merge has just left are this conflict, too. */
export const commandsAfterMerge = (path: string): Hint[] => [
  'Edit the file: keep the lines you want, and remove the conflict markers (<<<<<<<).',
  hintAbout([path], push('To send it then')),
  'If it is as it was before the merge, add --force.',
];

interface Facts extends Pick<Comparison, 'fileVersion' | 'restored'> {
  fileStatus: FileStatus;
  session: Session;
  path: string;
  val: RemoteVal | undefined;
  /** For example " (version 4, by bob, 2h ago)". */
  present: string;
  reason: CompareReason | undefined;
}

function factsOf(fileStatus: FileStatus, session: Session): Facts {
  const { fileVersion, restored, reason } = fileStatus.comparison ?? {};
  const path = pathTo(session.workspace, fileStatus.file);
  const val = valOf(fileStatus);
  const present = describePresent(val, session);
  return { fileStatus, session, path, val, present, reason, fileVersion, restored };
}

/** For example " (version 4, the code of version 2 again, by bob, 2h ago)". */
export function describePresent(
  { version, madeBy, madeAt }: Partial<RemoteVal> = {},
  { clock }: Pick<Session, 'clock'>,
  { restored }: Pick<Comparison, 'restored'> = {},
): string {
  if (version === undefined) return '';
  const again = restored === undefined ? [] : `the code of version ${restored} again`;
  const by = madeBy === undefined ? [] : `by ${madeBy}`;
  const at = madeAt === undefined ? [] : ago(madeAt, clock.now());
  return ` (${[`version ${version}`, again, by, at].flat().join(', ')})`;
}

interface Words {
  /** Follows the name of the file. */
  sentence(facts: Facts): string;
  /** The same of each of several files, if the sentence has facts of one. */
  ofMany?(facts: Facts): string;
  /** The best one first. */
  next(facts: Facts): Hint[];
}

type Cause = CompareReason['kind'] | Exclude<Reason, 'both changed'>;

const table: Readonly<Record<Cause, Words>> = {
  'both went on': {
    sentence({ present, reason, restored }) {
      const since = reason?.kind === 'both went on' ? reason.since : undefined;
      const change =
        restored === undefined
          ? `its val changed on the service${present}`
          : `its val went back to the code of version ${restored} on the service${present}`;
      return `changed here, and ${change} since both had ${since === undefined ? 'the same code' : `version ${since}`}`;
    },
    ofMany: () => 'changed here and on the service',
    next: commandsForTwoCodes,
  },
  'no shared code': {
    sentence: ({ present, session }) =>
      `and its val${present} never had the same code, as far as ${session.repository === undefined ? 'this folder' : 'git'} and the val's newest versions tell`,
    ofMany: () => 'never had the same code as its val, as far as can be told',
    next: commandsForTwoCodes,
  },
  'older code': {
    sentence({ present, restored, fileVersion }) {
      const isBefore = restored !== undefined && fileVersion !== undefined && restored < fileVersion;
      return isBefore
        ? `has the code of version ${fileVersion}, from which the service went back to that of version ${restored}${present}`
        : `has the code of version ${fileVersion}, and its val changed on the service since${present}`;
    },
    ofMany: () => 'has the code of an older version, which the service replaced',
    next: commandsForTwoCodes,
  },
  'version gone': {
    sentence: ({ present, reason }) =>
      `differs from its val: version ${reason?.kind === 'version gone' ? reason.version : ''}, which this folder had last, is gone, and the service has an older one${present}`,
    ofMany: () => 'had a version last that is gone on the service',
    next: commandsForTwoCodes,
  },
  git: {
    sentence: ({ present, reason }) => `differs from its val${present}, and ${whyGitCannotTell(reason)}`,
    ofMany: ({ reason }) => `differs from its val, and ${whyGitCannotTell(reason)}`,
    next: ({ path, reason }) => [
      ...fixFor(reason?.kind === 'git' ? reason.limit : undefined),
      ...overwrites(path),
    ],
  },
  marks: {
    sentence: () => 'has conflict markers',
    next: ({ path }) => commandsAfterMerge(path),
  },
  'renamed there': {
    sentence: ({ fileStatus, val }) =>
      `has the val "${fileStatus.name}", which is named "${val?.name}" on the service now`,
    ofMany: () => 'has a val that was renamed on the service',
    next: ({ fileStatus: { file, name }, val }) => [
      `If the file shall keep its name, write "${file}": "${val?.name}" into "names" of vals.json.`,
      sh`To give the old name back, run ${['val', 'set', val?.id ?? val?.name ?? '', '--name', name]}.`,
    ],
  },
  'deleted there': {
    sentence: () => 'has a val that the service does not show: it was deleted, or belongs to somebody else',
    next: ({ fileStatus: { name }, session, path }) => {
      const anew = hintAbout([path], push('To make the val anew', '--force'));
      const { id } = session.lastSyncs.of(name) ?? {};
      const idInFile = session.manifestIds.get(name);
      if (id === undefined)
        return [
          // A commit can do that, where only CI has a token.
          `If the val belongs to somebody else, use their token; if it was deleted, remove "${name}" from "ids" of vals.json, and the next push makes it anew.`,
          anew,
        ];
      if (idInFile !== undefined && idInFile !== id)
        return [
          `vals.json has another id for "${name}" than the val that this folder had, which is ${id}. Put that id back.`,
        ];
      return [anew, 'Otherwise, delete the file.'];
    },
  },
  'name taken': {
    sentence: () => 'has no val yet, but the service says that the name is taken',
    next: ({ fileStatus: { remote }, path }) =>
      remote.kind === 'unknown'
        ? commandsForUnknownVal(path)
        : ['Rename the file, or find out whose val it is.'],
  },
  'not yours': {
    sentence: () => 'has a val that belongs to somebody else, or that your token may not change',
    next: ({ fileStatus: { name }, session, path }) => [
      "To change the val, use its owner's token.",
      hintAbout([path], push('To make a val of your own', '--force')),
      ...(session.manifestIds.has(name)
        ? [`To write another val of that name, remove "${name}" from "ids" of vals.json.`]
        : []),
    ],
  },
};

const wordsFor = ({ state, comparison }: Pick<Conflict, 'state' | 'comparison'>): Words =>
  table[state === 'both changed' ? (comparison?.reason?.kind ?? 'no shared code') : state];

const whyGitCannotTell = (reason: CompareReason | undefined): string =>
  gitCannotTell(reason?.kind === 'git' ? reason.limit : 'failed');

const overwrites = (path: string): Hint[] => [
  hintAbout([path], pull("To take the service's code instead", '--force')),
  hintAbout([path], push("To overwrite the service's code", '--force')),
];

/** Somebody restored an older version, or deleted the newest one. */
export const wasRolledBack = ({ restored, reason }: Comparison = { state: 'unchanged' }): boolean =>
  restored !== undefined || reason?.kind === 'version gone';

function commandsForTwoCodes({ fileStatus, session, path, val }: Facts): Hint[] {
  const merge = hintAbout([path], pull('To merge both', '--merge'));
  return [...commandsByGit(fileStatus, session, { path, val }), merge, ...overwrites(path)];
}

function commandsByGit(
  { name, comparison }: FileStatus,
  { repository, lastSyncs }: Session,
  { path, val }: Pick<Facts, 'path' | 'val'>,
): Hint[] {
  if (repository === undefined) return [];
  if (wasRolledBack(comparison))
    return [
      sh`If the service is right, take the change back in git, too (\`git revert\`); if the file is right, run ${['push', path, '--force']}.`,
    ];
  const { version } = lastSyncs.of(name) ?? {};
  if (version !== undefined && version === val?.version)
    return [sh`If you amended or squashed what this folder pushed, run ${['push', path, '--force']}.`];
  if (!comparison?.canPull) return [];
  return [
    'If a colleague committed that change, run `git pull`.',
    'If you merged it on another machine, push from there.',
  ];
}

/** The service cannot list vals, so nobody here knows the val that has the name. */
const commandsForUnknownVal = (path: string): Hint[] => [
  'If it is your val, put its id into "ids" of vals.json, under its name: the run that made it printed the id, and `vals pull <id>` writes it.',
  sh`If nobody has the id, as after an interrupted push, overwrite the service's code: run ${['push', path, '--force']}.`,
];
