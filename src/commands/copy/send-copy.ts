import type { Api } from '../../api/api.ts';
import type { Call, Reply } from '../../api/call.ts';
import { changeFields, publicity } from '../../api/change-val.ts';
import { textAt, versionOf } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import {
  afterPart,
  BadResponseError,
  ConflictError,
  isInvalidRequest,
  PartialError,
  type Problem,
  RefusedError,
  ValsError,
} from '../../errors.ts';
import type { Target, ValThere } from './copy-target.ts';
import type { Original } from './copy-val.ts';
import { conflict, type Version } from './versions-to-send.ts';

export interface Copy {
  original: Original;
  there: ValThere | undefined;
  /** True if the target cannot list its vals, and --force overwrites a val of this name. */
  mayReplace: boolean;
  remark(problem: Problem): void;
}

interface Services {
  from: Api;
  target: Target;
}

/** What the target made of the copy. */
interface SentCopy {
  id: string | undefined;
  isNew: boolean;
  version: number | undefined;
  privacy: string | undefined;
}

type Fields = Pick<routes.ValFields, 'readme' | 'privacy'>;

export async function sendCopy(
  copy: Copy,
  { code, later }: { code: string; later: readonly Version[] },
  services: Services,
): Promise<SentCopy> {
  const { target } = services;
  const first = await sendFirst(copy, code, target);
  await takeBackIfMorePublic(copy, first, target);
  let { version } = first;
  try {
    for (const { readCode } of later) {
      const next = await readCode();
      const call =
        first.id === undefined
          ? routes.putVal(copy.original.name, next)
          : routes.createVersion(first.id, next);
      refuseTokens(call, services);
      version = versionOf(await target.api.record(call));
    }
  } catch (error) {
    throw afterPart(error, 'Older versions were copied before.');
  }
  return { ...first, version };
}

export function refuseTokens(call: Call, { from, target }: Services): void {
  for (const service of [from, target.api]) service.refuseToken(call);
}

export function firstCall(copy: Copy, code: string, fields = fieldsToSend(copy)): Call {
  const { original, there, mayReplace } = copy;
  const { name } = original;
  if (there) return { ...routes.createVersion(there.id, code, fields), ifMatch: there.etag };
  return mayReplace ? routes.putVal(name, code, fields) : routes.createVal({ name, code, ...fields });
}

function fieldsToSend({ original, there, mayReplace }: Copy): Fields {
  const { readme, privacy } = original;
  // The versions of a val that is there may be private, so it never becomes more public.
  const isSurelyNew = there === undefined && !mayReplace;
  const isNarrower = publicity(privacy, 0) < publicity(there?.privacy, 2);
  return {
    ...(readme && readme !== there?.readme && { readme }),
    ...(privacy && (isSurelyNew || isNarrower) && { privacy }),
  };
}

async function sendFirst(copy: Copy, code: string, target: Target): Promise<SentCopy> {
  const { original, there, mayReplace, remark } = copy;
  const send = (fields: Fields) => target.api.send(firstCall(copy, code, fields));
  try {
    const { status, body = null } = await sendAcceptedFields(fieldsToSend(copy), remark, send);
    return {
      id: there?.id ?? textAt(body, 'id'),
      isNew: there === undefined && (!mayReplace || status === 201),
      version: versionOf(body),
      privacy: textAt(body, 'privacy'),
    };
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const problem = there === undefined ? 'exists already' : 'has just changed';
    throw conflict(original.name, problem, target, error.facts);
  }
}

/** Only a public val is copied without its privacy: any other one could become public. */
async function sendAcceptedFields(
  fields: Fields,
  remark: Copy['remark'],
  send: (fields: Fields) => Promise<Reply>,
): Promise<Reply> {
  const { readme, ...others } = fields;
  try {
    return await send(fields);
  } catch (error) {
    if (!isInvalidRequest(error)) throw error;
    if (readme === undefined && others.privacy !== 'public') throw error;
    const reply = await (readme === undefined ? send({}) : sendAcceptedFields(others, remark, send));
    const field = readme === undefined ? 'privacy' : 'readme';
    remark({
      one: `was copied without its ${field}, which the service did not accept`,
      many: `were copied without their ${field}, which the service did not accept`,
    });
    return reply;
  }
}

/** Services may ignore the privacy that they are sent. */
async function takeBackIfMorePublic(
  { original, there }: Copy,
  sent: SentCopy,
  { api, name }: Target,
): Promise<void> {
  const { privacy = 'public' } = original;
  if (privacy === 'public') return;
  const shown = sent.privacy ?? (await readPrivacy(api, sent.id));
  if (publicity(shown, 0) <= publicity(privacy, 0)) return;
  const problem = `${original.name} is ${privacy}, but its copy on ${name} was ${shown}`;
  try {
    await takeBack(api, there, sent);
  } catch (error) {
    if (!(error instanceof ValsError)) throw error;
    throw new PartialError(`${problem}. The copy could not be taken back: ${error.message}`, {
      hint: 'Delete the copy on that service.',
    });
  }
  throw new RefusedError(`${problem}, so it was taken back.`, {
    hint: 'Copy only public vals to that service.',
  });
}

async function readPrivacy(api: Api, id: string | undefined): Promise<string | undefined> {
  if (id === undefined) return undefined;
  try {
    return textAt(await api.record(routes.getVal(id)), 'privacy');
  } catch (error) {
    throw afterPart(error, 'The val was copied before, but the privacy of the copy is not known.');
  }
}

/** Of a val that was there, only the new version is deleted. */
async function takeBack(
  api: Api,
  there: ValThere | undefined,
  { id, isNew, version }: SentCopy,
): Promise<void> {
  if (isNew && id !== undefined) await api.send(routes.deleteVal(id));
  else if (there !== undefined && version !== undefined) {
    await api.send(routes.deleteVersion(there.id, version));
    const { readme = '', privacy } = there;
    await changeFields(api, there.id, { readme, ...(privacy && { privacy }) });
  } else throw new BadResponseError('It is not known what it replaced.');
}
