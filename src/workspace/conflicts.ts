// The errors of a push or pull that would overwrite an edit, or the val of somebody else.
import { ConflictError } from '../errors.ts';
import { shell } from '../lib/shell-command.ts';
import type { Examined } from './examine.ts';
import type { WorkspaceVal } from './vals.ts';
import { nameOf, type Workspace } from './workspace.ts';

export const notPushed = (examined: Examined): ConflictError => {
  const { file } = examined.val;
  return new ConflictError(differenceOf(examined), {
    hint:
      `${shell`vals diff ${file}`} shows the difference, ${shell`vals pull ${file} --merge`} merges both, ` +
      `${shell`vals pull ${file} --force`} takes the service's code, ${shell`vals push ${file} --force`} overwrites it.`,
  });
};

export const notPulled = (examined: Examined): ConflictError => {
  const { file } = examined.val;
  return new ConflictError(`${differenceOf(examined)} The file was left as it is.`, {
    hint: `${shell`vals pull ${file} --merge`} merges both, ${shell`vals pull ${file} --force`} takes the service's code.`,
  });
};

function differenceOf({ val: { file, name }, base, isNew }: Examined): string {
  if (isNew) return `${file} is new here, and the service has a val named "${name}" with other code.`;
  return base === undefined
    ? `${file} differs from the service's code, and this folder has no base that shows which is newer.`
    : `${file} changed here and on the service.`;
}

/** The id belongs to another path of the service, such as a space. The message names no file: it is shown once for all. */
export const ofAnotherOwner = (
  { service }: Workspace,
  others: readonly string[],
  owner = others.map(nameOf).join(' and '),
): ConflictError =>
  new ConflictError(`The val belongs to ${owner}, but the service in use is ${nameOf(service)}.`, {
    hint:
      `${shell`vals use ${others[0] ?? ''}`} switches to its owner. \`vals push --fork\` pushes to your own vals of the ` +
      'same names instead, and creates the missing ones.',
  });

export const notYours = ({ file, name }: WorkspaceVal, owner: string | undefined): ConflictError =>
  new ConflictError(
    `${file} is the val "${name}", which belongs to ${owner === undefined ? 'another owner' : `"${owner}"`}.`,
    {
      hint: `Push it from the owner's account or space, or make a val of your own with ${shell`vals push ${file} --fork`}.`,
    },
  );

export const deletedThere = ({ file }: WorkspaceVal): ConflictError =>
  new ConflictError(`${file} was deleted on the service, or belongs to another owner now.`, {
    hint: `${shell`vals push ${file} --fork`} makes a new val of your own, ${shell`vals forget ${file}`} takes it out of vals.json.`,
  });

export const otherName = ({ file, name }: WorkspaceVal, nameThere: string): ConflictError =>
  new ConflictError(
    `${file} is named "${name}" in vals.json, but its id there belongs to the val "${nameThere}".`,
    {
      hint:
        `${shell`vals pull ${file}`} takes that name and code, ${shell`vals push ${file} --force`} sends the file to that val, ` +
        `${shell`vals push ${file} --fork`} makes a new val named as in vals.json.`,
    },
  );
