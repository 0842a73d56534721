// What a push does is decided here, once, as a list of steps. `vals status` and `--dry-run` show the steps, the question
// is about steps, and a push carries them out.

import { ConflictError, type ValsError } from '../core/errors.ts';
import { checkVersion, noSuchVal } from '../core/http/expected-version.ts';
import { type ComparedVal, type Examined, type MissingVal, nameThereOf, type WithoutVal } from './examine.ts';
import { conflictOf, notDeleted } from './next-steps.ts';
import type { Workspace } from './workspace.ts';

/** A change of a val. */
export type ChangeStep =
  | { kind: 'create'; val: WithoutVal; isAgreed?: boolean }
  /** The code of the file becomes a new version, the val gets the name of its file, or both. */
  | { kind: 'send' | 'rename' | 'rename and send'; val: ComparedVal; isAgreed?: boolean };

export interface DeletionStep {
  kind: 'delete';
  val: MissingVal;
}

type DeedStep = ChangeStep | DeletionStep;
export type Deed = DeedStep['kind'];

export type Step =
  | DeedStep
  /** There is nothing to do. */
  | { kind: 'leave'; val: Examined }
  /** The service has newer code. */
  | { kind: 'behind'; val: Examined }
  /** Done only if the user agrees. Without a terminal, `refusal` says why it was not done. */
  | { kind: 'ask'; val: Examined; ifAgreed: ChangeStep; refusal: ValsError }
  | { kind: 'refuse'; val: Examined; refusal: ValsError };

export interface PlanOptions {
  /** --force: the files are right, whatever the service has. */
  force: boolean;
  /** --yes: answers yes to the question. */
  yes: boolean;
  prune: boolean;
  /** The val is written only if it has this version. */
  ifVersion: number | undefined;
}

export const isChange = (step: Step): step is ChangeStep =>
  step.kind === 'create' || step.kind === 'send' || step.kind === 'rename' || step.kind === 'rename and send';

export const isDeed = (step: Step): step is DeedStep => step.kind === 'delete' || isChange(step);

/** Whether the step sends the code of the file. */
export const sendsCode = (step: Step): boolean => isChange(step) && step.kind !== 'rename';

/** The step of a push for one val. */
export function stepFor(workspace: Workspace, val: Examined, options: PlanOptions): Step {
  const { status, code } = val;
  const { force, ifVersion } = options;
  if (status === 'missing here') return stepForMissing(workspace, val, options);
  const refuse = (refusal: ValsError): Step => ({ kind: 'refuse', val, refusal });
  const otherVersion = ifVersion === undefined ? undefined : versionConflict(ifVersion, val);
  if (otherVersion !== undefined) return refuse(otherVersion);
  // Whoever renamed the val on the service would get a second val under its old name.
  if (nameThereOf(val) !== undefined) return refuse(conflictOf(workspace, val));
  if (status === 'unmerged' && !force) return refuse(conflictOf(workspace, val));
  const change = changeFor(val, options);
  if (change === undefined) return { kind: code === 'changed there' ? 'behind' : 'leave', val };
  const isAsked = status === 'conflict' || status === 'deleted there';
  if (!isAsked || force || options.yes || ifVersion !== undefined) return change;
  return { kind: 'ask', val, ifAgreed: change, refusal: conflictOf(workspace, val) };
}

/** Undefined if there is nothing to send. */
function changeFor(val: WithoutVal | ComparedVal, { force, ifVersion }: PlanOptions): ChangeStep | undefined {
  if (val.there === undefined) return { kind: 'create', val };
  const { code, renamed } = val;
  const isAhead = code === 'changed here' || code === 'conflict';
  const sends = isAhead || (code === 'changed there' && (force || ifVersion !== undefined));
  if (renamed === 'here') return { kind: sends ? 'rename and send' : 'rename', val };
  return sends ? { kind: 'send', val } : undefined;
}

function stepForMissing(workspace: Workspace, val: MissingVal, { prune }: PlanOptions): Step {
  if (!prune) return { kind: 'leave', val };
  if (val.isCodeKnown) return { kind: 'delete', val };
  return { kind: 'refuse', val, refusal: notDeleted(workspace, val) };
}

function versionConflict(expected: number, { name, there }: Examined): ConflictError | undefined {
  if (there === undefined) return noSuchVal(name, expected);
  try {
    checkVersion(expected, { val: there.id ?? name, name, version: there.version });
    return undefined;
  } catch (error) {
    if (error instanceof ConflictError) return error;
    throw error;
  }
}

/** The step as it is after the user agreed to it. */
export const agreed = (step: Step): Step =>
  step.kind === 'ask' ? { ...step.ifAgreed, isAgreed: true } : step;
