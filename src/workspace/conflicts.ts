// Says why a val was not pushed, pulled or deleted, and what to do next.
import { ConflictError } from '../errors.ts';
import { shell } from '../lib/shell-command.ts';
import type { Examined } from './examine.ts';
import { haveSameOrigin, nameOf, namesOf, pathTo, type Workspace } from './workspace.ts';

export function notPushed(workspace: Workspace, examined: Examined, isForked: boolean): ConflictError {
  const { val, code, name, isOthers, isUnmerged } = examined;
  const path = pathTo(workspace, val.file);
  if (isOthers) return notYours(workspace, examined);
  if (name === 'other val') return otherName(workspace, examined);
  if (code === 'deleted there') return deletedThere(path);
  if (isUnmerged) return unmerged(path);
  if (code === 'differs') return differs(path, examined, isForked);
  return new ConflictError(`${path} changed here and on the service.`, {
    hint: [
      `To see the difference, run ${shell`vals diff ${path}`}.`,
      `To merge the service's code into the file, run ${shell`vals pull ${path} --merge`}.`,
      `To replace the file with the service's code, run ${shell`vals pull ${path} --force`}.`,
      `To overwrite the service's code, run ${shell`vals push ${path} --force`}.`,
    ].join(' '),
  });
}

function differs(path: string, { val }: Examined, isForked: boolean): ConflictError {
  // `vals diff` and `vals pull` would use the val whose id is in vals.json.
  if (isForked) {
    return new ConflictError(`You already have a val named "${val.name}", and its code differs from ${path}.`, {
      hint: `To overwrite that val, run ${shell`vals push ${path} --fork --yes`}.`,
    });
  }
  return new ConflictError(
    `${path} differs from the service's code, and no record shows which of the two is newer.`,
    {
      hint: [
        `To see the difference, run ${shell`vals diff ${path}`}.`,
        `To replace the file with the service's code, run ${shell`vals pull ${path} --force`}.`,
        `To overwrite the service's code, run ${shell`vals push ${path} --yes`}. In CI, where the repository is right, run \`vals push --yes\`.`,
      ].join(' '),
    },
  );
}

export function notPulled(workspace: Workspace, examined: Examined): ConflictError {
  const path = pathTo(workspace, examined.val.file);
  if (examined.name === 'other val') return otherName(workspace, examined);
  const problem =
    examined.code === 'differs'
      ? "differs from the service's code, and no record shows which of the two is newer"
      : 'changed here and on the service';
  return new ConflictError(`${path} ${problem}. The file was left as it is.`, {
    hint:
      `To merge the service's code into the file, run ${shell`vals pull ${path} --merge`}. ` +
      `To replace the file with the service's code, run ${shell`vals pull ${path} --force`}.`,
  });
}

export function notYours(workspace: Workspace, { val, owner }: Examined): ConflictError {
  const { service } = workspace;
  const path = pathTo(workspace, val.file);
  const fork = `To make a val of your own, run ${shell`vals push ${path} --fork`}.`;
  if (val.otherServices === undefined) {
    const whose = owner === undefined ? 'another owner' : `"${owner}"`;
    return new ConflictError(`${path} is the val "${val.name}", which belongs to ${whose}.`, {
      hint: `Push the file from the owner's account or space. ${fork}`,
    });
  }
  // vals.json may come from somebody else, so the hint names only an address of that owner on the service in use.
  const addresses = val.otherServices.filter((other) => haveSameOrigin(other, service));
  const address = owner === undefined ? addresses[0] : addresses.find((each) => each.endsWith(`/@${owner}`));
  const whose =
    owner === undefined
      ? `According to vals.json, the val belongs to ${namesOf(addresses)}`
      : `The val belongs to ${owner}`;
  const howToSwitch =
    address === undefined
      ? 'To list your services and spaces, run `vals use`.'
      : `To switch to that owner, run ${shell`vals use ${address}`}.`;
  return new ConflictError(`${whose}, but the address in use, ${nameOf(service)}, is for another owner.`, {
    hint: `${howToSwitch} To push to your own vals instead, run \`vals push --fork\`. For each file, this command updates your val of the same name, or creates the val if you have none.`,
  });
}

const deletedThere = (path: string): ConflictError =>
  new ConflictError(
    `${path} has no val on the service any more, because the val was deleted or has another owner.`,
    {
      hint:
        `To make a new val of your own, run ${shell`vals push ${path} --fork`}. ` +
        `To remove the file from vals.json, run ${shell`vals forget ${path}`}.`,
    },
  );

const unmerged = (path: string): ConflictError =>
  new ConflictError(`${path} has conflict markers.`, {
    hint: 'Edit the file: keep the lines you want, remove the conflict markers, then run `vals push`.',
  });

export function otherName(workspace: Workspace, { val, remote }: Examined): ConflictError {
  const path = pathTo(workspace, val.file);
  return new ConflictError(
    `${path} has the name "${val.name}" in vals.json, but its id in vals.json belongs to the val "${remote?.name}" on the service.`,
    {
      hint:
        `If ${path} is that val, change the name in vals.json to "${remote?.name}". ` +
        `To make a val named "${val.name}" and leave the other one alone, run ${shell`vals push ${path} --fork`}.`,
    },
  );
}

export function notDeleted(path: string, reason: string): ConflictError {
  return new ConflictError(`${path} is gone, but its val was not deleted: ${reason}.`, {
    hint:
      `To restore the file, run ${shell`vals pull ${path}`}. ` +
      `To remove the file from vals.json, run ${shell`vals forget ${path}`}.`,
  });
}
