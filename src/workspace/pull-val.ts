import { BadResponseError, ConflictError, LocalError, NotFoundError } from '../errors.ts';
import type { Outcome, OutcomeStatus } from '../lib/outcome.ts';
import { shell } from '../lib/shell-command.ts';
import { hasLoneSurrogate } from '../lib/visible.ts';
import { notPulled } from './conflicts.ts';
import type { Backup } from './disk/backup.ts';
import { replaceBelow } from './disk/write-files.ts';
import { type Examined, examine, mayReplace, recordUnchanged, unexpectedName } from './examine.ts';
import { idAndVersion, type RemoteVal, type RemoteVals } from './remote-vals.ts';
import { inOtherProject } from './sources/nested-project.ts';
import { haveTooManyLines } from './text/lines.ts';
import { hasConflictMarkers, merge } from './text/merge.ts';
import type { WorkspaceVal } from './vals.ts';
import { nameOf, type Workspace, withoutId } from './workspace.ts';

export interface PullOptions {
  merge: boolean;
  force: boolean;
  dryRun: boolean;
  isNamedInCommand: boolean;
  remark(message: string): void;
  holdsToken(code: string): boolean;
  backup: Backup;
  isInOtherProject(file: string): boolean;
}

export async function pullVal(
  workspace: Workspace,
  remotes: RemoteVals,
  listed: WorkspaceVal,
  options: PullOptions,
): Promise<Outcome> {
  const examined = await examine(workspace, remotes, listed);
  const { val, remote, base, status } = examined;
  const outcome = (word: OutcomeStatus): Outcome => ({
    status: word,
    ...idAndVersion(val.id, remote?.version),
  });
  if (remote === undefined || val.id === undefined) return withoutRemote(workspace, examined, options);
  if (status === 'unchanged') {
    if (options.dryRun) return outcome('unchanged');
    if (examined.isNew || takesName(examined, options)) record(workspace, examined, remote, options);
    else recordUnchanged(workspace, examined, 'pull or push');
    return outcome('unchanged');
  }
  const isEdited = status === 'changed here' || status === 'conflict';
  if (status === 'changed here' && base !== undefined && !options.force) {
    if (hasConflictMarkers(examined.here ?? '')) {
      options.remark(`${val.file} has conflict markers. Edit the file, then run \`vals push\`.`);
    }
    return outcome('kept');
  }
  if (isEdited && !options.force && !options.merge) throw notPulled(examined);
  if (options.isInOtherProject(val.file)) throw inOtherProject(val.file, 'pull');
  if (options.dryRun) return outcome('planned');
  if (isEdited && !options.force) {
    const merged = await mergeInto(workspace, examined, remote, options);
    return { ...merged, ...idAndVersion(val.id, remote.version) };
  }
  take(workspace, examined, remote, options);
  return outcome('pulled');
}

function withoutRemote(
  workspace: Workspace,
  { val, status, here, foreign }: Examined,
  { isNamedInCommand, remark }: PullOptions,
): Outcome {
  if (val.id === undefined) {
    if (isNamedInCommand) throw withoutId(workspace, val);
    if (here === undefined) {
      remark(
        `${val.file} is gone and was never pushed. To remove the file from vals.json, run ${shell`vals forget ${val.file}`}.`,
      );
    }
    return { status: 'kept' };
  }
  const message =
    foreign === undefined
      ? `${val.file} has no val on ${nameOf(workspace.service)} any more, because the val was deleted or has another owner.`
      : `${val.file} is the file of a val that belongs to another owner on ${nameOf(workspace.service)}. You are not allowed to read that val.`;
  const isGone = here === undefined;
  const hint = isGone
    ? `The file is gone too. To remove the file from vals.json, run ${shell`vals forget ${val.file}`}.`
    : `To make a new val from the file, run ${shell`vals push ${val.file} --fork`}.`;
  if (isNamedInCommand) throw new NotFoundError(message, { hint });
  if (status !== 'new') remark(`${message} ${isGone ? hint : 'The file was left as it is.'}`);
  return { status: 'kept', id: val.id };
}

function take(workspace: Workspace, examined: Examined, remote: RemoteVal, options: PullOptions): void {
  const { val, here } = examined;
  // A base from a stranger's .vals could have the content of a file that no pull or push has seen.
  if (here !== undefined && here !== workspace.bases.readOwnCode(val)) options.backup.keep(val.file, here);
  // `replaceBelow` must run first. Otherwise, after a crash, the old code would look like an edit.
  replaceBelow(workspace.root, val.file, writable(remote, val), { content: here });
  record(workspace, examined, remote, options);
}

async function mergeInto(
  workspace: Workspace,
  examined: Examined,
  remote: RemoteVal,
  options: PullOptions,
): Promise<Outcome> {
  const { val, here = '', recorded } = examined;
  // A base from a stranger's .vals could merge any code into a val without a conflict.
  const isBaseTrusted = unexpectedName(examined) === undefined && mayReplace(workspace, val, recorded);
  const base = isBaseTrusted ? examined.base : undefined;
  const there = writable(remote, val);
  if (haveTooManyLines([base?.code ?? '', here, there])) {
    throw new LocalError(`${val.file} was not merged, because the code has more than 2 million lines.`, {
      hint: `To overwrite the file and keep a copy of it, run ${shell`vals pull ${val.file} --force`}.`,
    });
  }
  const { text, conflicts } = merge(base?.code, here, there);
  options.backup.keep(val.file, here);
  replaceBelow(workspace.root, val.file, text, { content: here });
  record(workspace, examined, remote, options);
  if (conflicts === 0) return { status: 'merged' };
  throw new ConflictError(
    `${val.file} has ${conflicts === 1 ? 'a conflict' : `${conflicts} conflicts`}, marked in the file.`,
    { hint: 'Edit the file: keep the lines you want, remove the conflict markers, then run `vals push`.' },
  );
}

const takesName = ({ otherNameThere, isRenamedHere }: Examined, { force }: PullOptions): boolean =>
  otherNameThere !== undefined && (force || !isRenamedHere);

function record(workspace: Workspace, examined: Examined, remote: RemoteVal, options: PullOptions): void {
  const { val, recorded, otherNameThere = val.name } = examined;
  const isNamedAnew = takesName(examined, options);
  const { remark, holdsToken } = options;
  if (holdsToken(remote.code)) remark(tokenInFile(val.file));
  // `bases.write` must run first. Otherwise, after a crash, vals.json could have an id without a base.
  // A new name is written to the base later, by `saveManifest`.
  const name = isNamedAnew ? (recorded?.name ?? val.name) : otherNameThere;
  workspace.bases.write(val, { ...remote, name });
  workspace.remember(isNamedAnew ? { ...val, name: otherNameThere } : val);
  if (isNamedAnew) {
    remark(`The val "${val.name}" is named "${otherNameThere}" on the service. vals.json was updated.`);
  }
}

export const tokenInFile = (file: string): string =>
  `${file} holds your token. Anybody who can read the file can act as you. Remove the token from the code, and create a new token.`;

export function writable({ id, code }: RemoteVal, { name }: { name: string }): string {
  if (!hasLoneSurrogate(code)) return code;
  throw new BadResponseError(
    `The code of "${name}" contains half of a character (a lone surrogate), so it cannot be written to a file as UTF-8.`,
    { hint: `To see the code, run ${shell`vals val get ${id ?? name} --json`}.` },
  );
}
