// Copies one val. A val of that name on the target is compared by its versions there and the val's versions here.

import type { Remark } from '../../../core/command-line/failures.ts';
import {
  BadResponseError,
  ConflictError,
  hasStatus,
  isInvalidRequest,
  RefusedError,
} from '../../../core/errors.ts';
import type { Api } from '../../../core/http/api.ts';
import type { Call, Reply } from '../../../core/http/call.ts';
import { publicity } from '../../../core/http/change-val.ts';
import { textAt, versionOf } from '../../../core/http/record-fields.ts';
import { sh } from '../../../core/lib/hint.ts';
import { withoutUndefined } from '../../../core/lib/json.ts';
import type { Outcome } from '../../../core/output/outcome.ts';
import * as routes from '../../../core/routes.ts';
import { pushedOrSent } from '../../carry-out.ts';
import { isSameCode } from '../../code.ts';
import { numberCodes } from '../../compare/code-numbers.ts';
import { compareHistories } from '../../compare/compare-histories.ts';
import type { Status } from '../../compare/types.ts';
import { isSameState, noSuchVal, type ReadVal, type Remotes, type RemoteVal } from '../../read/remotes.ts';
import type { Target } from './copy-target.ts';

export interface CopyOptions {
  from: { api: Api; remotes: Remotes; name: string };
  target: Target;
  env: NodeJS.ProcessEnv;
  force: boolean;
  dryRun: boolean;
}

interface ValToCopy {
  id: string;
  givenName: string | undefined;
}

export async function copyVal(
  val: ValToCopy,
  options: CopyOptions,
  addRemark: (remark: Remark) => void,
): Promise<Outcome> {
  const { from, target, force, dryRun } = options;
  const original = await readOriginal(val, options);
  const there = await target.remotes.find(original.name);
  const before = there.kind === 'val' ? there : undefined;
  const facts = withoutUndefined({ name: original.name, id: before?.id });
  const status = before === undefined ? 'changed here' : await compareWithCopy(original, before, options);
  if (status === 'unchanged') return { ...facts, status, ...withoutUndefined({ version: before?.version }) };
  if (status !== 'changed here' && !force) throw conflict(original, problems[status], target);
  const callWith =
    before === undefined
      ? callForNew(original, { replaces: force && there.kind === 'unknown' })
      : await callForCopy(original, before, target);
  for (const api of [from.api, target.api]) api.refuseToken(callWith(original));
  const versionBefore = withoutUndefined({ versionBefore: before?.version });
  if (dryRun) {
    return { ...facts, status: 'planned', plan: before === undefined ? 'create' : 'send', ...versionBefore };
  }
  const { status: answer, body = null } = await send(callWith, original, target, addRemark);
  const id = textAt(body, 'id') ?? before?.id;
  const version = versionOf(body);
  await refuseMorePublic(original, { id, privacy: textAt(body, 'privacy') }, target);
  const done = before === undefined && answer === 201 ? 'created' : pushedOrSent(version, before);
  return { ...facts, status: done, ...withoutUndefined({ id, version }), ...versionBefore };
}

/** A val that the user named is copied under that name, even if the service now calls it by another one. */
async function readOriginal({ id, givenName }: ValToCopy, { from }: CopyOptions): Promise<ReadVal> {
  const val = await from.remotes.read(id);
  if (val === undefined) throw noSuchVal(id, from.name);
  const name = givenName ?? val.name;
  if (name !== '') return { ...val, name };
  throw new BadResponseError(`The service sent no name for the val ${id}, so the val cannot be copied.`, {
    hint: 'Give the val a name on the service, then run the command again.',
  });
}

const mostVersionsHere = 100;

async function compareWithCopy(
  original: ReadVal,
  there: RemoteVal,
  { from, target, env }: CopyOptions,
): Promise<Status> {
  const { code } = original;
  if (isSameCode(code, there.code)) return 'unchanged';
  const [known, own] = await Promise.all([
    target.remotes.versions(there),
    from.remotes.versions(original, mostVersionsHere),
  ]);
  const codes = [...own, ...known].map((each) => each.code);
  const numbers = numberCodes(codes, { isLong: false });
  const versions = new Set(known.map((each) => numbers.of(each.code)));
  const current = numbers.of(code);
  const madeThere = Date.parse(known.at(-1)?.madeAt ?? '');
  const histories = {
    ...{ here: code, known, numbers },
    file: [...own.map((each) => numbers.of(each.code)).filter((number) => versions.has(number)), current],
    isSetSince: own.some(
      (each) => numbers.of(each.code) === current && Date.parse(each.madeAt ?? '') > madeThere,
    ),
    read: (each: { version: number | undefined }) => target.remotes.readVersion(there, each.version),
  };
  return (await compareHistories(histories, env)).status;
}

type Fields = Pick<ReadVal, 'readme' | 'privacy'>;

/** The request, with these fields beside the code. */
type CallWith = (fields: Fields) => Call;

const sentFields = ({ readme, privacy }: Fields): routes.ValFields => ({
  ...(readme && { readme }),
  ...(privacy && { privacy }),
});

const callForNew =
  ({ name, code: { text: code } }: ReadVal, { replaces }: { replaces: boolean }): CallWith =>
  (fields) =>
    replaces
      ? routes.putVal(name, code, sentFields(fields))
      : routes.createVal({ name, code, ...sentFields(fields) });

/** A val that is there is read once more, and is only made less public. */
async function callForCopy({ name, code }: ReadVal, before: RemoteVal, target: Target): Promise<CallWith> {
  const now = await target.remotes.fresh(before.id);
  if (now === undefined || !isSameState(now, before)) throw changedMeanwhile(name, target);
  return ({ readme, privacy }) => {
    const isNarrower = publicity(privacy, 0) < publicity(now.privacy, 2);
    const fields = {
      readme: readme === now.readme ? undefined : readme,
      privacy: isNarrower ? privacy : undefined,
    };
    return { ...routes.createVersion(before.id, code.text, sentFields(fields)), ifMatch: now.etag };
  };
}

const changedMeanwhile = (name: string, target: Target): ConflictError =>
  new ConflictError(`${name} has just changed on ${target.name}.`, { hint: 'Run the command again.' });

/** Once more without the readme, if the service refuses that. */
async function send(
  callWith: CallWith,
  original: ReadVal,
  target: Target,
  addRemark: (remark: Remark) => void,
): Promise<Reply> {
  try {
    return await target.api.send(callWith(original));
  } catch (error) {
    if (hasStatus(error, 412)) throw changedMeanwhile(original.name, target);
    if (hasStatus(error, 409)) throw conflict(original, 'exists already', target);
    if (!isInvalidRequest(error) || !original.readme) throw error;
    const reply = await target.api.send(callWith({ ...original, readme: undefined }));
    const { name } = original;
    const message = `${name} was copied without the readme, which ${target.name} refused.`;
    addRemark({ label: name, message, namesThing: true });
    return reply;
  }
}

/** Services may ignore the privacy that they are sent. */
async function refuseMorePublic(
  { id: idHere, name, privacy }: ReadVal,
  copy: { id: string | undefined; privacy: string | undefined },
  target: Target,
): Promise<void> {
  if (privacy === undefined || privacy === 'public') return;
  const { id } = copy;
  const shown = copy.privacy ?? (id && textAt(await target.api.record(routes.getVal(id)), 'privacy'));
  if (shown === undefined || publicity(shown, 0) <= publicity(privacy, 0)) return;
  throw new RefusedError(`${name} is ${privacy}, but its copy on ${target.name} is ${shown}.`, {
    hint: sh`To make the copy ${privacy}, run ${['val', 'set', id ?? idHere, '--privacy', privacy, '--base-url', target.name]}.`,
  });
}

const problems: Readonly<Record<Exclude<Status, 'unchanged' | 'changed here'>, string>> = {
  'changed there': 'has newer code',
  conflict: 'has different code',
};

const conflict = ({ name }: ReadVal, problem: string, target: Target): ConflictError =>
  new ConflictError(`${name} ${problem} on ${target.name}.`, {
    hint: [
      sh`To see the code there, run ${['val', 'get', name, '--code', '--base-url', target.name]}.`,
      sh`To overwrite it, run ${['copy', name, '--to', target.name, '--force']}.`,
    ],
  });
