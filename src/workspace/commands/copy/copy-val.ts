// Copies one val. A val of that name on the target is compared by its versions there and the val's versions here.

import {
  BadResponseError,
  ConflictError,
  hasStatus,
  isInvalidRequest,
  RefusedError,
} from '../../../core/errors.ts';
import type { Remark } from '../../../core/failures/many.ts';
import type { Api } from '../../../core/http/api.ts';
import type { Call, Reply } from '../../../core/http/call.ts';
import { versionOf } from '../../../core/http/record-fields.ts';
import { type Hint, hintList, sh } from '../../../core/lib/hint.ts';
import { textAt, withoutUndefined } from '../../../core/lib/json.ts';
import type { Clock } from '../../../core/lib/waiting.ts';
import type { Outcome } from '../../../core/output/out.ts';
import { publicity } from '../../../core/push/privacy.ts';
import * as routes from '../../../core/routes.ts';
import { pushedOrSent } from '../../carry-out.ts';
import { hasSameCode } from '../../code.ts';
import { compareHistories } from '../../compare/compare-files.ts';
import type { Compared, Status, ValVersion } from '../../compare/types.ts';
import { whatIsThere } from '../../conflicts.ts';
import { isSameState, noValOfId, type ReadVal, type Remotes, type RemoteVal } from '../../read/remotes.ts';
import type { CopyTarget } from './copy-target.ts';

export interface CopyOptions {
  from: { api: Api; remotes: Remotes; name: string };
  target: CopyTarget;
  env: NodeJS.ProcessEnv;
  clock: Clock;
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
  if (there.kind === 'val' && hasSameCode(original.code, there.code)) {
    await refuseMorePublic(original, there, target);
    const { id, version } = there;
    return { name: original.name, id, status: 'unchanged', ...withoutUndefined({ version }) };
  }
  const before = there.kind === 'val' ? await target.remotes.withVersion(there) : undefined;
  const facts = withoutUndefined({ name: original.name, id: before?.id });
  if (before !== undefined) {
    const compared = await compareWithCopy(original, before, options);
    const { status } = compared;
    if (status !== 'changed here' && status !== 'unchanged' && !force) {
      const what = whatIsThere(before, compared, options.clock.now());
      throw conflict(original, problems[status], target, what);
    }
  }
  const sending = before === undefined ? sendingNew(original) : await sendingTo(before, original, target);
  const { fields, callWith } = sending;
  for (const api of [from.api, target.api]) api.refuseToken(callWith(fields));
  const versionBefore = withoutUndefined({ versionBefore: before?.version });
  if (dryRun) {
    return { ...facts, status: 'planned', plan: before === undefined ? 'create' : 'send', ...versionBefore };
  }
  const { status: answer, body } = await send(sending, original, {
    target,
    overwrites: force && there.kind === 'unknown',
    addRemark: (message) => addRemark({ label: original.name, message }),
  });
  const id = textAt(body, 'id') ?? before?.id;
  const version = versionOf(body);
  await refuseMorePublic(original, { id, privacy: textAt(body, 'privacy') }, target);
  const made = before === undefined ? 'created' : 'pushed';
  const done = answer === 201 ? made : pushedOrSent(version, before);
  return { ...facts, status: done, ...withoutUndefined({ id, version }), ...versionBefore };
}

/** A val that the user named is copied under that name, even if the service now calls it by another one. */
async function readOriginal({ id, givenName }: ValToCopy, { from }: CopyOptions): Promise<ReadVal> {
  const val = await from.remotes.read(id);
  if (val === undefined) throw noValOfId(id, from.name);
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
): Promise<Compared> {
  const { code } = original;
  const [known, own] = await Promise.all([
    target.remotes.versions(there),
    from.remotes.versions(original, mostVersionsHere),
  ]);
  const read = (each: ValVersion) => target.remotes.readVersion(there, each.version);
  const brought = own.map(({ code: { blob }, madeAt = '' }) => ({ blob, writtenAt: Date.parse(madeAt) }));
  return compareHistories({ here: code, known, read }, brought, { isLong: false, limit: undefined, env });
}

/** What is sent beside the code, and the request that takes it. */
interface Sending {
  fields: Pick<routes.ValFields, 'readme' | 'privacy'>;
  callWith(fields: Sending['fields']): Call;
}

const sendingNew = ({ name, code: { text: code }, readme, privacy }: ReadVal): Sending => ({
  fields: { ...(readme && { readme }), ...(privacy && { privacy }) },
  callWith: (fields) => routes.createVal({ name, code, ...fields }),
});

/** A val that is there is read once more, and is only made less public. */
async function sendingTo(before: RemoteVal, original: ReadVal, target: CopyTarget): Promise<Sending> {
  const { name, code, readme, privacy } = original;
  const now = await target.remotes.fresh(before.id);
  if (now === undefined || !isSameState(now, before)) throw changedMeanwhile(name, target);
  const isNarrower = publicity(privacy, 0) < publicity(now.privacy, 2);
  return {
    fields: { ...(readme && readme !== now.readme && { readme }), ...(privacy && isNarrower && { privacy }) },
    callWith: (fields) => ({ ...routes.createVersion(before.id, code.text, fields), ifMatch: now.etag }),
  };
}

const changedMeanwhile = (name: string, target: CopyTarget): ConflictError =>
  new ConflictError(`${name} has just changed on ${target.name}.`, { hint: 'Run the command again.' });

type AddRemark = (message: string) => void;

/** `overwrites`: a val that nobody here knows, if the name is taken. A PUT by name takes code alone. */
async function send(
  sending: Sending,
  original: ReadVal,
  { target, overwrites, addRemark }: { target: CopyTarget; overwrites: boolean; addRemark: AddRemark },
): Promise<Reply> {
  const { name, code, readme } = original;
  try {
    return await sendFields(sending, target, addRemark);
  } catch (error) {
    if (hasStatus(error, 412)) throw changedMeanwhile(name, target);
    const { privacy } = sending.fields;
    if (isInvalidRequest(error) && privacy !== undefined) {
      const why = `The copy is to be ${privacy}, as ${name} is. If the service refuses that, delete the copy and copy ${name} again.`;
      error.facts.hint = [...hintList(error.facts.hint), why];
    }
    if (!hasStatus(error, 409)) throw error;
    if (!overwrites)
      throw new ConflictError(`${name} exists already on ${target.name}.`, {
        hint: hintToOverwrite(name, target),
      });
    const reply = await target.api.send(routes.putVal(name, code.text));
    const fields = readme ? 'readme and its privacy were' : 'privacy was';
    addRemark(
      `Only the code was copied, because the name was taken on ${target.name}: its ${fields} not sent.`,
    );
    return reply;
  }
}

/** Once more without the readme, if the service refuses that. */
async function sendFields(
  { fields, callWith }: Sending,
  target: CopyTarget,
  addRemark: AddRemark,
): Promise<Reply> {
  const { readme, ...others } = fields;
  try {
    return await target.api.send(callWith(fields));
  } catch (error) {
    if (!isInvalidRequest(error) || readme === undefined) throw error;
  }
  const reply = await target.api.send(callWith(others));
  addRemark(`The readme was not copied, because ${target.name} refused it.`);
  return reply;
}

/** Services may ignore the privacy that they are sent. */
async function refuseMorePublic(
  { id: idHere, name, privacy }: ReadVal,
  copy: { id: string | undefined; privacy: string | undefined },
  target: CopyTarget,
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

const conflict = ({ name }: ReadVal, problem: string, target: CopyTarget, what: string): ConflictError =>
  new ConflictError(`${name} ${problem} on ${target.name}${what}.`, {
    hint: [
      sh`To see the code there, run ${['val', 'get', name, '--code', '--base-url', target.name]}.`,
      hintToOverwrite(name, target),
    ],
  });

const hintToOverwrite = (name: string, target: CopyTarget): Hint =>
  sh`To overwrite it, run ${['copy', name, '--to', target.name, '--force']}.`;
