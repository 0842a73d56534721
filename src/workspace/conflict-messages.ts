// Says why a val was not pushed, pulled or deleted, and what to do next. The conflict of --if-version is in
// src/api/expected-version.ts.
import { ConflictError, type Problem } from '../errors.ts';
import type { Hint } from '../lib/hint.ts';
import { textOf } from '../lib/json.ts';
import { manifestFile } from './disk/root.ts';
import { type Examined, earlierVersion, wentBack } from './examine.ts';
import { haveSameOrigin } from './listing.ts';
import type { LikelyMove } from './moves.ts';
import type { MoveElsewhere } from './other-workspaces.ts';
import { type CodeState, stateOf } from './state.ts';
import { isTypedInside, nameOf, namesOf, pathTo, type Workspace } from './workspace.ts';

const conflict = (subject: string, problem: Problem, hint: readonly (string | Hint)[]): ConflictError =>
  new ConflictError(`${subject} ${typeof problem === 'string' ? problem : problem.one}.`, {
    subject,
    problem,
    hint,
  });

const seeDifference = (path: string): Hint => ({
  text: 'To see the difference',
  command: 'diff',
  input: { vals: [path] },
});

const pull = (text: string, path: string, option: 'merge' | 'force'): Hint => ({
  text,
  command: 'pull',
  input: { vals: [path], [option]: true },
});

const merge = (path: string): Hint => pull("To merge the service's code into the file", path, 'merge');
const replace = (path: string): Hint => pull("To replace the file with the service's code", path, 'force');

const push = (text: string, path: string, options: Record<string, boolean>): Hint => ({
  text,
  command: 'push',
  input: { paths: [path], ...options },
});

export const forkFile = (path: string): Hint => push('To make a new val of your own', path, { fork: true });

export const forget = (path: string): Hint => ({
  text: 'To remove the file from vals.json',
  command: 'forget',
  input: { vals: [path] },
});

const changedOnBothSides = 'changed here and on the service';

/** Why nobody knows which side is newer. */
function whyDiffers({ record, remote }: Examined): Problem {
  if (wentBack(record, remote)) {
    const went = `which went back from version ${textOf(record?.version ?? null)} to ${textOf(remote?.version ?? null)}`;
    return {
      one: `differs from the service's code, ${went}`,
      many: `differ from the service's code, ${went}`,
    };
  }
  return {
    one: "differs from the service's code, and no record shows which of the two is newer",
    many: "differ from the service's code, and no record shows which side is newer",
  };
}

export function notPushed(workspace: Workspace, examined: Examined, isForked: boolean): ConflictError {
  const { val, code, name, isOthers, isUnmerged } = examined;
  const path = pathTo(workspace, val.file);
  if (isOthers) return notYours(workspace, examined);
  if (name === 'other val') return otherName(workspace, examined);
  if (code === 'deleted there') return deletedThere(path);
  if (isUnmerged) return unmerged(path, code);
  if (code === 'differs')
    return isForked ? nameTaken(path, val.name) : differs(workspace, path, whyDiffers(examined));
  if (stateOf(examined) === 'older here') return differs(workspace, path, olderHere(examined));
  return conflict(path, changedOnBothSides, [
    seeDifference(path),
    merge(path),
    replace(path),
    push("To overwrite the service's code, or if git has it already, such as after a merge", path, {
      force: true,
    }),
  ]);
}

/** Names the version that the file has, where it is known, or the older name. */
function olderHere({ val, here, record, remote, code }: Examined): Problem {
  if (code !== 'older here')
    return `has the name "${val.name}" in vals.json, which its val had before it became "${remote?.name}"`;
  const earlier = here && earlierVersion(record, here);
  const version = textOf(earlier?.version ?? null);
  const newer = textOf(remote?.version ?? null);
  const what = version === undefined ? 'older code' : `the code of version ${version}`;
  const there = newer === undefined ? 'the service has newer code' : `the service has version ${newer}`;
  return { one: `has ${what}, and ${there}`, many: `have ${what}, and ${there}` };
}

function differs(workspace: Workspace, path: string, problem: Problem): ConflictError {
  const inCi = { text: 'In CI, where the repository is right', command: 'push', input: { yes: true } };
  return conflict(path, problem, [
    seeDifference(path),
    replace(path),
    push("To overwrite the service's code", path, { yes: true }),
    ...(isTypedInside(workspace) ? [inCi] : []),
  ]);
}

/** `vals diff` and `vals pull` would use the val whose id is in vals.json, so they are not proposed. */
const nameTaken = (path: string, name: string): ConflictError =>
  new ConflictError(`You already have a val named "${name}", and its code differs from ${path}.`, {
    hint: push('To overwrite that val', path, { fork: true, yes: true }),
  });

export function notPulled(workspace: Workspace, examined: Examined): ConflictError {
  const path = pathTo(workspace, examined.val.file);
  if (examined.name === 'other val') return otherName(workspace, examined);
  if (examined.isUnmerged) return unmerged(path, examined.code);
  if (examined.code === 'older here') return conflict(path, olderHere(examined), [replace(path)]);
  const problem = examined.code === 'differs' ? whyDiffers(examined) : changedOnBothSides;
  return conflict(path, problem, [merge(path), replace(path)]);
}

function notYours(workspace: Workspace, { val, owner }: Examined): ConflictError {
  const { service } = workspace;
  const path = pathTo(workspace, val.file);
  if (val.otherServices === undefined) {
    const whose = owner === undefined ? 'another owner' : `"${owner}"`;
    return new ConflictError(`${path} is the val "${val.name}", which belongs to ${whose}.`, {
      hint: ["Push the file from the owner's account or space.", forkFile(path)],
    });
  }
  // vals.json may come from somebody else, so the hint names only an address of that owner on the service in use.
  const addresses = val.otherServices.filter((other) => haveSameOrigin(other, service));
  const address = owner === undefined ? addresses[0] : addresses.find((each) => each.endsWith(`/@${owner}`));
  const whose =
    owner === undefined ? `The val was pushed to ${namesOf(addresses)}` : `The val belongs to ${owner}`;
  const switching: Hint =
    address === undefined
      ? { text: 'To list your services and spaces', command: 'use' }
      : { text: 'To switch to that owner', command: 'use', input: { baseUrl: address } };
  const pushAll = { text: 'To push to your own vals instead', command: 'push', input: { fork: true } };
  return new ConflictError(`${whose}, but the address in use, ${nameOf(service)}, is for another owner.`, {
    hint: [
      switching,
      isTypedInside(workspace) ? pushAll : push(pushAll.text, path, pushAll.input),
      'For each file, this updates your val of the same name, or creates the val if you have none.',
    ],
  });
}

const deletedThere = (path: string): ConflictError =>
  conflict(
    path,
    {
      one: 'has no val on the service any more, because the val was deleted or has another owner',
      many: 'have no vals on the service any more, because the vals were deleted or have another owner',
    },
    [forkFile(path), forget(path)],
  );

export const hasMarkers = { one: 'has conflict markers', many: 'have conflict markers' };

/** The next command depends on whether the service changed too, since file and service last had code in common. */
export function editMarkers(path: string, code: CodeState): Hint[] {
  const edit = 'Edit the file: keep the lines you want and remove the conflict markers.';
  if (code === 'conflict' || code === 'changed there') {
    return [
      push(`${edit} If it has the service's changes then, to send it`, path, { force: true }),
      pull('Otherwise, to merge them into it', path, 'merge'),
    ];
  }
  const isAsked = code === 'differs' || code === 'older here';
  return [push(`${edit} To send it then`, path, isAsked ? { yes: true } : {})];
}

const unmerged = (path: string, code: CodeState): ConflictError =>
  conflict(path, hasMarkers, editMarkers(path, code));

export function otherName(workspace: Workspace, { val, here, remote }: Examined): ConflictError {
  const path = pathTo(workspace, val.file);
  return new ConflictError(
    `${path} has the name "${val.name}" in vals.json, but its id in vals.json belongs to the val "${remote?.name}" on the service.`,
    {
      hint: [
        `If the file is that val, change the name in vals.json to "${remote?.name}".`,
        here === undefined
          ? forget(path)
          : push(`To make a val named "${val.name}" and leave the other one alone`, path, { fork: true }),
      ],
    },
  );
}

/** The val keeps its history, until the user has said whether the new file is its file. */
export function maybeRenamed(
  workspace: Workspace,
  { val, to }: Pick<LikelyMove, 'val' | 'to'>,
): ConflictError {
  const [from, file] = [pathTo(workspace, val.file), pathTo(workspace, to)];
  return new ConflictError(
    `${from} is gone, but its val was not deleted: ${file} has similar code, and may be the renamed file.`,
    {
      hint: [
        `If ${file} is that file, change the entry "${val.file}" in vals.json to "${to}".`,
        { text: 'Otherwise, to delete the val', command: 'val rm', input: { vals: [val.name] } },
      ],
    },
  );
}

/** The val may be in use in another workspace of the repository. */
export function maybeMovedElsewhere(
  workspace: Workspace,
  { val, other, file, isSameVal }: MoveElsewhere,
): ConflictError {
  const [from, path] = [pathTo(workspace, val.file), pathTo(other, file)];
  if (isSameVal) {
    return new ConflictError(`${from} is gone, but its val was not deleted: it is the val of ${path} too.`, {
      hint: forget(from),
    });
  }
  return new ConflictError(
    `${from} is gone, but its val was not deleted: ${path} has similar code, and may be the moved file.`,
    {
      hint: [
        `If ${path} is that file, move the entry "${val.file}" from vals.json to ${pathTo(other, manifestFile)}, and name it "${file}" there.`,
        { text: 'Otherwise, to delete the val', command: 'val rm', input: { vals: [val.name] } },
      ],
    },
  );
}

export const notDeleted = (path: string, reason: string): ConflictError =>
  new ConflictError(`${path} is gone, but its val was not deleted: ${reason}.`, {
    hint: [{ text: 'To restore the file', command: 'pull', input: { vals: [path] } }, forget(path)],
  });
