// Bringing one val's code here: whole, and never over an edit that is kept nowhere else.
import type { Api } from '../api/api.ts';
import { BadResponseError, ConflictError, NotFoundError } from '../errors.ts';
import type { Outcome, OutcomeStatus } from '../lib/outcome.ts';
import { interruptible } from '../lib/signals.ts';
import type { Backup } from './disk/backup.ts';
import { replaceBelow } from './disk/files.ts';
import { type Examined, examine, type FindListed } from './examine.ts';
import { identity, type RemoteVal } from './remote-val.ts';
import { hasMarks, merge } from './text/merge.ts';
import type { WorkspaceVal } from './vals.ts';
import { nameOf, type Workspace, withoutId } from './workspace.ts';

export interface PullOptions {
  merge: boolean;
  force: boolean;
  dryRun: boolean;
  /** Asked for by name, so that a val that cannot be had is an error. */
  isNamed: boolean;
  /** What the service's list tells of vals. */
  findListed: FindListed;
  /** Of what is worth knowing, though it is no failure. */
  remark(message: string): void;
  /** For what is overwritten here. */
  backup: Backup;
}

export async function pullVal(
  workspace: Workspace,
  api: Api,
  val: WorkspaceVal,
  options: PullOptions,
): Promise<Outcome> {
  const examined = await examine(workspace, api, options.findListed, val);
  const { remote, agreed, status } = examined;
  const outcome = (word: OutcomeStatus): Outcome => ({ status: word, ...identity(val.id, remote?.version) });
  if (remote === undefined || val.id === undefined) return withoutService(workspace, examined, options);
  if (remote.name !== undefined && remote.name !== val.name && !options.dryRun) {
    options.remark(`"${val.name}" is named "${remote.name}" on the service, and now in vals.json too.`);
    workspace.remember({ ...val, name: remote.name });
  }
  if (status === 'unchanged') return outcome('unchanged');
  const isEdited = status === 'changed here' || status === 'conflict';
  if (status === 'changed here' && agreed !== undefined && !options.force) {
    if (hasMarks(examined.here ?? '')) {
      options.remark(`${val.file} still has the marks of a merge: edit it, then \`vals push\`.`);
    }
    return outcome('kept');
  }
  if (isEdited && !options.force && !options.merge) throw editedHere(examined);
  if (options.dryRun) return outcome('planned');
  if (isEdited && !options.force)
    return {
      ...(await mergeInto(workspace, examined, remote, options)),
      ...identity(val.id, remote.version),
    };
  take(workspace, examined, remote, options);
  return outcome('pulled');
}

function withoutService(
  workspace: Workspace,
  { val, status, here }: Examined,
  { isNamed, remark }: PullOptions,
): Outcome {
  if (val.id === undefined) {
    if (isNamed) throw withoutId(workspace, val);
    if (here === undefined) {
      remark(`${val.file} is gone, and was never pushed: \`vals forget ${val.file}\` leaves it out.`);
    }
    return { status: 'kept' };
  }
  const message = `${val.file} was deleted on ${nameOf(workspace.service)}, or is no longer yours.`;
  const isGone = here === undefined;
  const hint = isGone
    ? `${val.file} is gone too: \`vals forget ${val.file}\` leaves it out.`
    : `\`vals push ${val.file} --force\` creates it anew from its file.`;
  if (isNamed) throw new NotFoundError(message, { hint });
  if (status !== 'new') remark(`${message} ${isGone ? hint : 'What is here was left as it is.'}`);
  return { status: 'kept', id: val.id };
}

function editedHere({ val, agreed }: Examined): ConflictError {
  const problem =
    agreed === undefined
      ? `${val.file} and the service differ, and it is not known which is newer.`
      : `${val.file} changed here and on the service.`;
  return new ConflictError(`${problem} It was left as it is.`, {
    hint: `\`vals pull ${val.file} --merge\` brings both together, \`vals pull ${val.file} --force\` takes what is there.`,
  });
}

/** The file first: were the agreement first, a crash between would make the service's edit look like one of ours. */
function take(
  workspace: Workspace,
  { val, here, agreed }: Examined,
  remote: RemoteVal,
  { backup }: PullOptions,
): void {
  if (here !== undefined && here !== agreed?.code) backup.keep(val.file, here);
  replaceBelow(workspace.root, val.file, writable(remote, val), { content: here });
  workspace.agreed.write(val, remote);
}

async function mergeInto(
  workspace: Workspace,
  { val, here = '', agreed }: Examined,
  remote: RemoteVal,
  { backup }: PullOptions,
): Promise<Outcome> {
  const { text, conflicts } = await interruptible(() => merge(agreed?.code, here, writable(remote, val)));
  backup.keep(val.file, here);
  replaceBelow(workspace.root, val.file, text, { content: here });
  workspace.agreed.write(val, remote);
  if (conflicts === 0) return { status: 'merged' };
  throw new ConflictError(
    `${val.file} has ${conflicts === 1 ? 'a conflict' : `${conflicts} conflicts`}, marked in the file.`,
    { hint: 'Decide what stays between <<<<<<< here and >>>>>>> there, then `vals push`.' },
  );
}

/** Half of a character cannot be written, and what came back would be another text. */
export function writable({ code }: RemoteVal, { name }: { name: string }): string {
  if (!/[\ud800-\udfff]/u.test(code)) return code;
  throw new BadResponseError(`The code of "${name}" holds half of a character, so it cannot be a file.`, {
    hint: '`vals val get --json` shows it.',
  });
}
