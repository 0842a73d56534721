// The steps of a push: create, send, delete, leave, behind, refuse. They are decided before anything is done: `--dry-run` shows
// them, the question is about them, and carry-out.ts does them.
import type { ValsError } from '../../core/errors.ts';
import type { Comparison } from '../compare/types.ts';
import { conflictOf } from '../conflicts.ts';
import { type FileStatus, isConflict, valOf } from '../file-status.ts';
import type { Local } from '../read/local.ts';
import type { RemoteVal } from '../read/remote-val.ts';
import type { Session } from '../session.ts';
import { rulesOf } from '../states.ts';

/** What a row begins with. */
interface Subject {
  file: string;
  name: string;
  remote: RemoteVal | undefined;
}

export interface CreateStep extends Subject {
  kind: 'create';
  local: Local;
  /** If the name is taken, the val that has it is overwritten. */
  replaces: boolean;
  /** The file has somebody else's val, so that one's own of that name is another one. */
  isOthers: boolean;
}

interface SendStep extends Subject {
  kind: 'send';
  local: Local;
  remote: RemoteVal;
  /** The code of an older version is sent once more. */
  resent: Comparison['resent'];
}

interface DeleteStep extends Subject {
  kind: 'delete';
  remote: RemoteVal;
}

/** There is nothing to do. */
interface IdleStep extends Subject {
  kind: 'leave';
}

/** The service has newer code. */
export interface BehindStep extends Subject {
  kind: 'behind';
  comparison: Comparison | undefined;
}

interface RefuseStep extends Subject {
  kind: 'refuse';
  error: ValsError;
}

export type Step = CreateStep | SendStep | DeleteStep | IdleStep | BehindStep | RefuseStep;

export interface PlanOptions {
  force: boolean;
  prune: boolean;
}

export const sendsCode = (step: Step): step is CreateStep | SendStep =>
  step.kind === 'create' || step.kind === 'send';

/** The step of a push for one val. */
export function stepFor(fileStatus: FileStatus, session: Session, options: PlanOptions): Step {
  const { force, prune } = options;
  const { file, name, local, state, remote: found } = fileStatus;
  const remote = valOf(fileStatus);
  const subject = { file, name, remote };
  if (local === undefined) {
    return prune && remote ? { ...subject, kind: 'delete', remote } : { ...subject, kind: 'leave' };
  }
  const entry = rulesOf(state);
  const kind = force ? entry.forced : entry.push;
  if (kind === 'refuse' && isConflict(fileStatus))
    return { ...subject, kind, error: conflictOf(fileStatus, session) };
  if (kind === 'behind') return { ...subject, kind, comparison: fileStatus.comparison };
  if (kind === 'leave') return { ...subject, kind };
  if (kind === 'send' && remote !== undefined)
    return { ...subject, kind, local, remote, resent: fileStatus.comparison?.resent };
  return {
    ...{ file, name, local, remote: undefined },
    kind: 'create',
    replaces: force && found.kind !== 'none' && state !== 'not yours',
    isOthers: state === 'not yours',
  };
}
