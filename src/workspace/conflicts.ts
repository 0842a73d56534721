// Why a val was not pushed or pulled, and what to do next.
import { ConflictError } from '../core/errors.ts';
import { type Hint, hintList, sh } from '../core/lib/hint.ts';
import { ago } from '../core/output/times.ts';
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

export function conflictOf(conflict: Finding, look: Look): ConflictError {
  const { workspace, clock } = look;
  const path = pathTo(workspace, conflict.file);
  const problem = conflictSentence(conflict);
  const val = conflict.state === 'both changed' ? valOf(conflict) : undefined;
  const what = val === undefined ? '' : whatIsThere(val, conflict.compared?.restored, clock.now());
  return new WorkspaceConflict(conflict.state, `${path} ${problem}.${what}`, {
    ofMany: `Each ${conflictOfMany(conflict)}.`,
    hint: [...cureOf(conflict.compared?.limit), ...waysOn(conflict, look)],
  });
}

/** Follows the name of the file. */
export function conflictSentence(conflict: Finding): string {
  const name = valOf(conflict)?.name ?? '';
  switch (conflict.state) {
    case 'renamed there':
      return `has the val "${conflict.name}", which is named "${name}" on the service now`;
    case 'renamed here':
      return `has no val of its name, and seems to be the renamed file of the val "${name}"`;
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

/** For example " Version 3 there has the code of version 1 again, by ada, made 2h ago." */
export function whatIsThere(val: RemoteVal, restored: number | undefined, now: number): string {
  if (val.version === undefined) return '';
  const code = restored === undefined ? 'is' : `has the code of version ${restored} again,`;
  const facts = [
    val.madeBy === undefined ? [] : `by ${val.madeBy}`,
    val.madeAt === undefined ? [] : `made ${ago(val.madeAt, now)}`,
  ].flat();
  if (facts.length === 0 && restored === undefined) return ` The service has version ${val.version}.`;
  const text = facts.length === 0 ? code.replace(/,$/, '') : `${code} ${facts.join(', ')}`;
  return ` Version ${val.version} there ${text}.`;
}

/** What somebody who has this conflict can do. */
export function waysOn(conflict: Finding, look: Look): Hint[] {
  const path = pathTo(look.workspace, conflict.file);
  const steps = nextSteps(conflict.state, [path]);
  const val = valOf(conflict);
  const name = conflict.name;
  switch (conflict.state) {
    case 'renamed there':
      return [
        ...steps,
        sh`To give the old name back, run ${['val', 'set', val?.id ?? val?.name ?? '', '--name', name]}.`,
      ];
    case 'renamed here':
      return [
        sh`To rename the val, too, run ${['val', 'set', val?.name ?? '', '--name', name]}.`,
        `If the val shall keep its name, or the service cannot rename it, write "${conflict.file}": "${val?.name}" into "names" of vals.json.`,
        ...steps,
      ];
    case 'both changed':
      return [...hintList(likelyCause(conflict, look)), ...steps];
    case 'name taken':
      return conflict.remote.kind === 'unknown' ? waysToId(path) : steps;
    default:
      return steps;
  }
}

function likelyCause({ name, remote, compared }: Finding, { lastSyncs, repository }: Look): string {
  if (repository === undefined) return '';
  if (compared?.restored !== undefined)
    return 'If the val was set back on purpose, take the change back in git, too (`git revert`). A commit that brings the code again counts if it is dated after the version there.';
  const version = remote.kind === 'val' ? remote.version : undefined;
  if (version !== undefined && lastSyncs.of(name)?.version === version)
    return 'This folder pushed or pulled that version. If you have amended or squashed what you pushed, overwrite it.';
  return 'If a colleague committed the other change, run `git pull` first. If you merged it on another machine, push from there.';
}

/** The service cannot list vals, so nobody here knows the val that has the name. */
const waysToId = (path: string): Hint[] => [
  'If it is your val, put its id into "ids" of vals.json, under its name: the run that made it printed the id, and `vals pull <id>` writes it.',
  sh`If nobody has the id, as after an interrupted push, overwrite the service's code: run ${['push', path, '--force']}.`,
];
