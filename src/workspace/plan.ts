// What a push does is decided here, once, as a list of steps. `vals status` and `--dry-run` show the steps, the question
// is about steps, and a push carries them out.

import { ConflictError, type ValsError } from '../errors.ts';
import type { Examined } from './examine.ts';
import { checkVersion, noSuchVal } from './expected-version.ts';
import { conflictOf, notDeleted } from './next-steps.ts';
import type { Workspace } from './workspace.ts';

/** What is done to a val. */
export type Deed =
  | 'create'
  /** The code of the file becomes a new version. */
  | 'send'
  /** The val gets the name of its file. */
  | 'rename'
  | 'rename and send'
  | 'delete';

export type Step =
  | { kind: Deed; val: Examined; isAgreed?: boolean }
  /** There is nothing to do. */
  | { kind: 'leave'; val: Examined }
  /** The service has newer code. */
  | { kind: 'behind'; val: Examined }
  /** Done only if the user agrees. Without a terminal, `refusal` says why it was not done. */
  | { kind: 'ask'; val: Examined; deed: Deed; refusal: ValsError }
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

export type DeedStep = Extract<Step, { kind: Deed }>;

export const isDeed = (step: Step): step is DeedStep =>
  step.kind !== 'leave' && step.kind !== 'behind' && step.kind !== 'ask' && step.kind !== 'refuse';

const sending: ReadonlySet<unknown> = new Set<Deed>(['create', 'send', 'rename and send']);

/** Whether the step sends the code of the file. */
export const sendsCode = ({ kind }: Step): boolean => sending.has(kind);

/** The step of a push for one val. */
export function stepFor(workspace: Workspace, val: Examined, options: PlanOptions): Step {
  const { status } = val;
  const { force, ifVersion } = options;
  if (status === 'missing here') return stepForMissing(workspace, val, options);
  const refuse = (refusal: ValsError): Step => ({ kind: 'refuse', val, refusal });
  const otherVersion = ifVersion === undefined ? undefined : versionConflict(ifVersion, val);
  if (otherVersion !== undefined) return refuse(otherVersion);
  // Whoever renamed the val on the service would get a second val under its old name.
  if (val.nameThere !== undefined) return refuse(conflictOf(workspace, val));
  if (status === 'unmerged' && !force) return refuse(conflictOf(workspace, val));
  const deed = deedFor(val, options);
  if (deed === undefined) return { kind: val.code === 'changed there' ? 'behind' : 'leave', val };
  const isAsked = status === 'conflict' || status === 'deleted there';
  if (!isAsked || force || options.yes || ifVersion !== undefined) return { kind: deed, val };
  return { kind: 'ask', val, deed, refusal: conflictOf(workspace, val) };
}

/** Undefined if there is nothing to send. */
function deedFor({ code, there, nameBefore }: Examined, { force, ifVersion }: PlanOptions): Deed | undefined {
  if (there === undefined) return 'create';
  const isAhead = code === 'changed here' || code === 'conflict';
  const sends = isAhead || (code === 'changed there' && (force || ifVersion !== undefined));
  if (nameBefore !== undefined) return sends ? 'rename and send' : 'rename';
  return sends ? 'send' : undefined;
}

function stepForMissing(workspace: Workspace, val: Examined, { prune }: PlanOptions): Step {
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
  step.kind === 'ask' ? { kind: step.deed, val: step.val, isAgreed: true } : step;
