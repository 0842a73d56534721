// Why a val was not pushed or pulled, and what to do next.
import { ConflictError } from '../core/errors.ts';
import { type Hint, sh } from '../core/lib/hint.ts';
import { ago } from '../core/output/times.ts';
import type { Compared } from './compare/types.ts';
import { type Finding, isReason, type Reason, type State, valOf } from './findings.ts';
import type { Look } from './read/look.ts';
import type { RemoteVal } from './read/remotes.ts';
import { cureOf, entryOf, gitCannotTell, nextSteps } from './states.ts';
import { pathTo } from './workspace.ts';

class WorkspaceConflict extends ConflictError {
  constructor(
    readonly state: State,
    ...rest: ConstructorParameters<typeof ConflictError>
  ) {
    super(...rest);
  }
}

export const conflictReason = (error: ConflictError): Reason | undefined =>
  error instanceof WorkspaceConflict && isReason(error.state) ? error.state : undefined;

/** Two sentences: what is so, and the way on that fits best. The diff of the file shows all ways. */
export function conflictOf(conflict: Finding, look: Look): ConflictError {
  const path = pathTo(look.workspace, conflict.file);
  return new WorkspaceConflict(conflict.state, `${path} ${conflictSentence(conflict, look)}.`, {
    ofMany: `Each ${conflictOfMany(conflict)}.`,
    hint: waysToSay(conflict, look),
  });
}

/** Follows the name of the file. */
export function conflictSentence(conflict: Finding, { clock }: Pick<Look, 'clock'>): string {
  const val = valOf(conflict);
  switch (conflict.state) {
    case 'renamed there':
      return `has the val "${conflict.name}", which is named "${val?.name}" on the service now`;
    case 'both changed':
      return conflictOfMany(conflict) + (val ? whatIsThere(val, conflict.compared, clock.now()) : '');
    default:
      return conflictOfMany(conflict);
  }
}

/** Names neither the file nor the val. */
function conflictOfMany({ state, compared }: Finding): string {
  const limit = compared?.limit;
  return limit === undefined
    ? entryOf(state).meaning
    : `differs from the service, and ${gitCannotTell(limit)}`;
}

type WentBack = Pick<Compared, 'restored' | 'deleted'>;

/** For example ": the service has version 3 (the code of version 1 again, by ada, made 2h ago)". */
export function whatIsThere(
  { version, madeBy, madeAt }: RemoteVal,
  { restored, deleted }: WentBack = {},
  now: number,
): string {
  if (version === undefined) return '';
  if (deleted !== undefined)
    return `: version ${version} is the current one again, because version ${deleted} is gone`;
  const facts = [
    restored === undefined ? [] : `the code of version ${restored} again`,
    madeBy === undefined ? [] : `by ${madeBy}`,
    madeAt === undefined ? [] : `made ${ago(madeAt, now)}`,
  ].flat();
  return `: the service has version ${version}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}

/** The ways on that are said with a conflict. Whose a val is, only a person knows. */
export function waysToSay(conflict: Finding, look: Look): Hint[] {
  const isQuestion = ['name taken', 'not yours'].includes(conflict.state);
  return isQuestion ? waysOn(conflict, look) : [bestWay(conflict, look)];
}

function bestWay(conflict: Finding, look: Look): Hint {
  const { name, state, compared, remote } = conflict;
  const { repository, lastSyncs } = look;
  const path = pathTo(look.workspace, conflict.file);
  const all = ['diff', path];
  const [cure] = cureOf(compared?.limit);
  if (cure !== undefined) return cure;
  if (state !== 'both changed') return waysOn(conflict, look)[0] ?? sh`To see the difference, run ${all}.`;
  if (repository !== undefined && wentBack(compared))
    return sh`If the service is right, take the change back in git, too (\`git revert\`); if the file is right, run ${['push', path, '--force']}.`;
  const version = remote.kind === 'val' ? remote.version : undefined;
  if (version !== undefined && lastSyncs.of(name)?.version === version)
    return sh`If you amended or squashed what this folder pushed, run ${['push', path, '--force']}; ${all} shows what else you can do.`;
  if (compared?.canPull)
    return sh`If a colleague committed that change, run \`git pull\`; ${all} shows what else you can do.`;
  return sh`To merge both, run ${['pull', path, '--merge']}; ${all} shows what else you can do.`;
}

/** Everything that somebody who has this conflict can do, except to look at the difference. */
export function waysOn(conflict: Finding, look: Look): Hint[] {
  const path = pathTo(look.workspace, conflict.file);
  const { canPull } = conflict.compared ?? {};
  const steps = nextSteps(conflict.state, [path], { without: 'diff', canPull });
  const val = valOf(conflict);
  const name = conflict.name;
  switch (conflict.state) {
    case 'renamed there':
      return [
        `If the file shall keep its name, write "${conflict.file}": "${val?.name}" into "names" of vals.json.`,
        sh`To give the old name back, run ${['val', 'set', val?.id ?? val?.name ?? '', '--name', name]}.`,
      ];
    case 'both changed':
      return [...waysByGit(conflict, look), ...steps];
    case 'deleted there':
      return look.lastSyncs.of(name) === undefined ? [withoutEntry(name), ...steps] : steps;
    case 'not yours':
      return [
        "To change the val, use its owner's token.",
        ...(look.written.has(name)
          ? [`To push to a val of your own, remove "${name}" from "ids" of vals.json.`]
          : []),
        ...steps,
      ];
    case 'name taken':
      return conflict.remote.kind === 'unknown' ? waysToId(path) : steps;
    default:
      return steps;
  }
}

/** Somebody restored an older version, or deleted the newest one. */
export const wentBack = ({ restored, deleted }: WentBack = {}): boolean =>
  restored !== undefined || deleted !== undefined;

function waysByGit({ compared }: Finding, { repository }: Look): string[] {
  if (repository === undefined) return [];
  if (wentBack(compared))
    return ['If the val was set back on purpose, take the change back in git, too (`git revert`).'];
  return [
    ...(compared?.canPull ? ['If a colleague committed the other change, run `git pull` first.'] : []),
    'If you merged it on another machine, push from there.',
  ];
}

/** A commit can do that, where only CI has a token. */
const withoutEntry = (name: string): string =>
  `If the val was deleted, remove "${name}" from "ids" of vals.json, and the next push makes it anew; if it belongs to somebody else, use their token.`;

/** The service cannot list vals, so nobody here knows the val that has the name. */
const waysToId = (path: string): Hint[] => [
  'If it is your val, put its id into "ids" of vals.json, under its name: the run that made it printed the id, and `vals pull <id>` writes it.',
  sh`If nobody has the id, as after an interrupted push, overwrite the service's code: run ${['push', path, '--force']}.`,
];
