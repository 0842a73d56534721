// What a push does is decided here, once, as a list of steps. `vals status` and `--dry-run` show the steps, the question
// is about steps, and a push carries them out.
import { ConflictError, type ValsError } from '../core/errors.ts';
import { checkVersion, noSuchVal } from '../core/http/expected-version.ts';
import { conflictOf, type Telling } from './conflicts.ts';
import { type Finding, fileOf, type MissingFile, nameOf, valOf } from './findings.ts';
import type { Local } from './read/local.ts';
import type { RemoteVal } from './read/remotes.ts';
import { entryOf } from './words.ts';

export type Step =
  /** `replaces`: whatever the service has under the name. */
  | { kind: 'create'; local: Local; replaces: boolean }
  | { kind: 'send'; local: Local; remote: RemoteVal }
  | { kind: 'delete'; val: MissingFile }
  /** There is nothing to do. */
  | { kind: 'leave'; file: string; name: string; remote: RemoteVal | undefined }
  /** The service has newer code. */
  | { kind: 'behind'; file: string; name: string; remote: RemoteVal | undefined }
  | {
      kind: 'refuse';
      file: string;
      name: string;
      remote: RemoteVal | undefined;
      error: ValsError;
    };

export interface PlanOptions {
  force: boolean;
  prune: boolean;
  /** The val is written only if it has this version. */
  ifVersion: number | undefined;
}

export type SendStep = Extract<Step, { kind: 'create' | 'send' }>;

export const sendsCode = (step: Step): step is SendStep => step.kind === 'create' || step.kind === 'send';

/** The step changes or deletes a val that is there. */
export const changesVal = (step: Step): step is Extract<Step, { kind: 'send' | 'delete' }> =>
  step.kind === 'send' || step.kind === 'delete';

/** What a row begins with. */
export function subjectOf(step: Step): { file: string; name: string; remote: RemoteVal | undefined } {
  switch (step.kind) {
    case 'create':
      return { ...step.local, remote: undefined };
    case 'send':
      return { ...step.local, remote: step.remote };
    case 'delete':
      return step.val;
    default:
      return step;
  }
}

/** The step of a push for one val. */
export function stepFor(finding: Finding, telling: Telling, options: PlanOptions): Step {
  const { force, prune, ifVersion } = options;
  const remote = valOf(finding);
  const subject = { file: fileOf(finding), name: nameOf(finding), remote };
  if (finding.status === 'missing here')
    return prune ? { kind: 'delete', val: finding } : { kind: 'leave', ...subject };
  const refuse = (error: ValsError): Step => ({ kind: 'refuse', ...subject, error });
  const { local } = finding;
  const otherVersion = ifVersion === undefined ? undefined : versionConflict(ifVersion, local.name, remote);
  if (otherVersion !== undefined) return refuse(otherVersion);
  const entry = entryOf(finding);
  const isSentAnyway = force || (ifVersion !== undefined && local.code.hasMarks === false);
  const kind = isSentAnyway ? entry.forced : entry.push;
  switch (kind) {
    case 'create':
    case 'send': {
      const isItsVal =
        remote !== undefined && (finding.status !== 'conflict' || finding.reason !== 'renamed here');
      if (isItsVal) return { kind: 'send', local, remote };
      return { kind: 'create', local, replaces: force && finding.remote.kind === 'unknown' };
    }
    case 'refuse':
      if (finding.status === 'conflict') return refuse(conflictOf(finding, telling));
      return { kind: 'leave', ...subject };
    case 'behind':
      return { kind, ...subject };
    default:
      return { kind: 'leave', ...subject };
  }
}

function versionConflict(
  expected: number,
  name: string,
  remote: RemoteVal | undefined,
): ConflictError | undefined {
  if (remote === undefined) return noSuchVal(name, expected);
  try {
    checkVersion(expected, { val: remote.id, name, version: remote.version });
    return undefined;
  } catch (error) {
    if (error instanceof ConflictError) return error;
    throw error;
  }
}
