import { ConflictError, type ValsError } from '../errors.ts';
import { shell } from '../lib/shell-command.ts';
import { type Examined, unexpectedName } from './examine.ts';
import type { WorkspaceVal } from './vals.ts';
import { haveSameOrigin, nameOf, namesOf, type Workspace } from './workspace.ts';

export const notPushed = (examined: Examined, isForked: boolean): ConflictError => {
  const { file } = examined.val;
  if (isForked) {
    // `vals diff` and `vals pull` would use the val whose id is in vals.json.
    const hint = `To overwrite the code of that val, run ${overwrite(file, isForked)}.`;
    return new ConflictError(differenceOf(examined), { hint });
  }
  return new ConflictError(differenceOf(examined), {
    hint:
      `To see the difference, run ${shell`vals diff ${file}`}. To merge the service's code into the file, run ${shell`vals pull ${file} --merge`}. ` +
      `To replace the file with the service's code, run ${shell`vals pull ${file} --force`}. ` +
      `To overwrite the service's code, run ${overwrite(file, isForked)}.`,
  });
};

const overwrite = (file: string, isForked: boolean): string =>
  isForked ? shell`vals push ${file} --fork --force` : shell`vals push ${file} --force`;

export const notPulled = (examined: Examined): ConflictError => {
  const { file } = examined.val;
  return new ConflictError(`${differenceOf(examined)} The file was left as it is.`, {
    hint:
      `To merge the service's code into the file, run ${shell`vals pull ${file} --merge`}. ` +
      `To replace the file with the service's code, run ${shell`vals pull ${file} --force`}.`,
  });
};

function differenceOf(examined: Examined): string {
  const { val, base, remote, isNew } = examined;
  const { file, name } = val;
  const nameThere = unexpectedName(examined);
  if (nameThere !== undefined) return `${idOfOtherVal(val, nameThere)} The code differs.`;
  if (isNew)
    return `${file} is new in the workspace, and the service has a val named "${name}" with different code.`;
  return base === undefined || base.code === remote?.code
    ? `${file} differs from the service's code. vals does not know whether the file or the service's code is newer, because .vals has no record of a pull or push.`
    : `${file} changed here and on the service.`;
}

export const nameNotChecked = (
  { file, name }: WorkspaceVal,
  { message }: ValsError,
  isForked: boolean,
): ConflictError =>
  new ConflictError(
    `${file} is new in the workspace, but it is not known whether you already have a val named "${name}". ${message}`,
    {
      hint:
        'If the service is slow, give it more time with --timeout. ' +
        `To push without this check, run ${overwrite(file, isForked)}. If you have a val with that name, its code is replaced.`,
    },
  );

export function ofAnotherOwner(
  { service }: Workspace,
  otherServices: readonly string[],
  owner: string | undefined,
): ConflictError {
  // A vals.json from a stranger may list any address, so the hint names only an address of that owner on the service in use.
  const addresses = otherServices.filter((other) => haveSameOrigin(other, service));
  const address = owner === undefined ? addresses[0] : addresses.find((each) => each.endsWith(`/@${owner}`));
  const howToSwitch =
    address === undefined
      ? 'To list your services and spaces, run `vals use`.'
      : `To switch to that owner, run ${shell`vals use ${address}`}.`;
  const whoseVal =
    owner === undefined
      ? `According to vals.json, the val belongs to ${namesOf(addresses)}`
      : `The val belongs to ${owner}`;
  return new ConflictError(`${whoseVal}, but the address in use, ${nameOf(service)}, is for another owner.`, {
    hint:
      `${howToSwitch} To push to your own vals instead, ` +
      'run `vals push --fork`. For each file, this command updates your val of the same name, or creates the val if you have none.',
  });
}

export const notYours = ({ file, name }: WorkspaceVal, owner: string | undefined): ConflictError =>
  new ConflictError(
    `${file} is the val "${name}", which belongs to ${owner === undefined ? 'another owner' : `"${owner}"`}.`,
    {
      hint: `Push the file from the owner's account or space. To make a val of your own, run ${shell`vals push ${file} --fork`}.`,
    },
  );

export const deletedThere = ({ file }: WorkspaceVal): ConflictError =>
  new ConflictError(
    `${file} has no val on the service any more, because the val was deleted or has another owner.`,
    {
      hint:
        `To make a new val of your own, run ${shell`vals push ${file} --fork`}. ` +
        `To remove the file from vals.json, run ${shell`vals forget ${file}`}.`,
    },
  );

export const otherName = (val: WorkspaceVal, nameThere: string): ConflictError => {
  const { file, name } = val;
  return new ConflictError(idOfOtherVal(val, nameThere), {
    hint:
      `To use the name and the code of that val, run ${shell`vals pull ${file}`}. ` +
      `To send the file to that val, run ${shell`vals push ${file} --force`}. ` +
      `To make a new val named "${name}", run ${shell`vals push ${file} --fork`}.`,
  });
};

const idOfOtherVal = ({ file, name }: WorkspaceVal, nameThere: string): string =>
  `${file} has the name "${name}" in vals.json, but its id in vals.json belongs to the val "${nameThere}" on the service.`;
