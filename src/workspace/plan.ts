// What a push does is decided here, once, as a list of steps. `vals status` and `--dry-run` show the steps, the question
// is about steps, and a push carries them out.
import { checkVersion, noSuchVal } from '../api/expected-version.ts';
import { ConflictError, type ValsError } from '../errors.ts';
import { maybeMovedElsewhere, maybeRenamed, notDeleted, notPushed, otherName } from './conflict-messages.ts';
import { type Examined, examine, type LocalSide, recordIfSame } from './examine.ts';
import type { LikelyMove } from './moves.ts';
import type { MoveElsewhere } from './other-workspaces.ts';
import { isSameVersion, type RemoteVals } from './remote-vals.ts';
import { decide, type Permission, type State, stateOf } from './state.ts';
import type { WorkspaceVal } from './vals.ts';
import { pathTo, type Workspace } from './workspace.ts';

type StepKind =
  | 'create'
  | 'send'
  /** The val gets the name that vals.json has. */
  | 'rename'
  /** vals.json gets the path that the file has now. Nothing is sent. */
  | 'move'
  | 'delete'
  | 'leave'
  /** The service has newer code, and the file did not change. */
  | 'behind'
  /** Done only if the user agrees. */
  | 'ask'
  | 'refuse';

export interface Step {
  kind: StepKind;
  why: State;
  /** As vals.json or the name of the file has it. */
  val: WorkspaceVal;
  /** The three sides, without their codes. */
  found: Examined;
  /** After a rename, the code is sent too. */
  alsoSends?: boolean;
  /** The user saw these codes of file and service, and agreed to the step. */
  isAgreed?: boolean;
  /** Why the step is refused, or would be if nobody can be asked. */
  refusal?: ValsError;
}

/** The step changes the val or its entry in vals.json, and needs the file for it. */
export const isChange = ({ kind }: Step): boolean =>
  kind === 'create' || kind === 'send' || kind === 'rename' || kind === 'move';

export interface PlanOptions extends Pick<Permission, 'force' | 'isNamed' | 'isSave'> {
  /** --yes */
  mayOverwrite: boolean;
  fork: boolean;
  prune: boolean;
  /** The val is written only if it has this version. */
  ifVersion: number | undefined;
  /** New files that may be renamed files of missing vals. */
  likelyMoves: readonly LikelyMove[];
  /** With --prune, if nobody is asked: vals whose files may be in another workspace now. */
  movesElsewhere?: readonly MoveElsewhere[];
}

export interface PlannedVal {
  val: WorkspaceVal;
  local: LocalSide;
}

export async function planVal(
  workspace: Workspace,
  remotes: RemoteVals,
  { val, local }: PlannedVal,
  options: PlanOptions,
): Promise<Step> {
  const examined = await examineForPush(workspace, remotes, { val, local }, options);
  recordIfSame(workspace, examined);
  return stepFor(workspace, val, withoutCode(examined), options);
}

/** Whether the step sends the code of the file. */
export const sendsCode = ({ kind, alsoSends = false }: Step): boolean =>
  kind === 'create' || kind === 'send' || alsoSends;

/** An error about one val is its step, so that the other vals are pushed. */
export const failedStep = (val: WorkspaceVal, { record, here }: LocalSide, refusal: ValsError): Step => ({
  kind: 'refuse',
  why: 'new',
  val,
  found: {
    ...{ val, here, record, recorded: record, remote: undefined, owner: undefined },
    ...{ code: 'new', name: 'same', isOthers: false, isUnmerged: false, isMoved: false, isOlderName: false },
    ...{ isNameUnknown: false, isRemoteAssumed: false },
  },
  refusal,
});

export const withoutCode = ({ remote, ...facts }: Examined): Examined => ({
  ...facts,
  remote: remote && { ...remote, code: undefined },
});

/** With --fork, a val that is gone, or belongs to another owner or name, counts as a val without an id. */
async function examineForPush(
  workspace: Workspace,
  remotes: RemoteVals,
  { val, local }: PlannedVal,
  { fork }: Pick<PlanOptions, 'fork'>,
): Promise<Examined> {
  const examined = await examine(workspace, remotes, val, local);
  const isOtherVal = examined.isOthers || examined.code === 'deleted there' || examined.name === 'other val';
  if (!fork || !isOtherVal) return examined;
  const { file, name } = val;
  return examine(workspace, remotes, { file, name, id: undefined }, { record: undefined, here: local.here });
}

/** Makes the step of a push for one val. Whether its code may be sent is the rule in state.ts. */
export function stepFor(
  workspace: Workspace,
  val: WorkspaceVal,
  found: Examined,
  options: PlanOptions,
): Step {
  const step = (kind: StepKind, more: Partial<Step> = {}): Step => ({
    kind,
    why: stateOf(found),
    val,
    found,
    ...more,
  });
  if (found.here === undefined) return stepForMissing(workspace, step, found, options);
  const { ifVersion } = options;
  const otherVersion = ifVersion === undefined ? undefined : versionConflict(ifVersion, found);
  if (otherVersion !== undefined) return step('refuse', { refusal: otherVersion });
  const isKnownVersion = ifVersion !== undefined;
  const mayOverwrite = options.mayOverwrite || isKnownVersion;
  const decision = decide(found, { ...options, mayOverwrite, isKnownVersion });
  if (decision === 'refuse' || decision === 'ask') {
    const isForked = options.fork && val.id !== undefined && found.val.id !== val.id;
    return step(decision, { refusal: notPushed(workspace, found, isForked) });
  }
  if (found.name === 'renamed here') return step('rename', { alsoSends: decision === 'send' });
  if (decision === 'send') return step(found.remote === undefined ? 'create' : 'send');
  if (found.isMoved) return step('move');
  return step(found.code === 'changed there' ? 'behind' : 'leave');
}

type MakeStep = (kind: StepKind, more?: Partial<Step>) => Step;

function stepForMissing(workspace: Workspace, step: MakeStep, found: Examined, options: PlanOptions): Step {
  if (!options.prune || found.code === 'gone') return step('leave');
  const refusal = reasonNotToDelete(workspace, found, options);
  return refusal === undefined ? step('delete') : step('refuse', { refusal });
}

function reasonNotToDelete(
  workspace: Workspace,
  found: Examined,
  { likelyMoves, movesElsewhere = [] }: PlanOptions,
): ConflictError | undefined {
  const { val, remote, record, name } = found;
  const refusal = (reason: string) => notDeleted(pathTo(workspace, val.file), reason);
  if (found.isOthers) return refusal('the val belongs to another owner');
  if (found.isRemoteAssumed || remote === undefined)
    return refusal('its id is not known, and the service cannot list vals');
  if (name === 'other val') return otherName(workspace, found);
  if (name !== 'same') return refusal(`the val is named "${remote.name}" on the service`);
  // Some services answer a push without the version. Then only the code can be compared.
  const hasOtherVersion = record?.version !== undefined && !isSameVersion(remote.version, record.version);
  const hasOtherCode = record !== undefined && remote.hash !== record.hash;
  if (hasOtherVersion || hasOtherCode) return refusal('the val changed on the service');
  const likely = likelyMoves.find((move) => move.val.file === val.file);
  if (likely !== undefined) return maybeRenamed(workspace, likely);
  const elsewhere = movesElsewhere.find((move) => move.val.file === val.file);
  return elsewhere && maybeMovedElsewhere(workspace, elsewhere);
}

function versionConflict(expected: number, { val, remote }: Examined): ConflictError | undefined {
  if (remote === undefined) return noSuchVal(val.name, expected);
  try {
    checkVersion(expected, {
      val: val.id ?? val.name,
      name: remote.name ?? val.name,
      version: remote.version,
    });
    return undefined;
  } catch (error) {
    if (error instanceof ConflictError) return error;
    throw error;
  }
}
