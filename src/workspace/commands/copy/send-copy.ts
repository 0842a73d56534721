import {
  afterPart,
  BadResponseError,
  ConflictError,
  isInvalidRequest,
  PartialError,
  RefusedError,
  ValsError,
} from '../../../core/errors.ts';
import type { Api } from '../../../core/http/api.ts';
import type { Call, Reply } from '../../../core/http/call.ts';
import { changeFields, publicity } from '../../../core/http/change-val.ts';
import { textAt, versionOf } from '../../../core/http/record-fields.ts';
import * as routes from '../../../core/routes.ts';
import type { Target, ValThere } from './copy-target.ts';
import type { CopyOptions, Original } from './copy-val.ts';
import { conflict, type ReadCode } from './versions-to-send.ts';

interface Copy {
  original: Original;
  there: ValThere | undefined;
  /** True if the target cannot list its vals, and --force overwrites a val of this name. */
  mayReplace: boolean;
}

/** What the target made of the copy. */
interface SentCopy {
  id: string | undefined;
  isNew: boolean;
  version: number | undefined;
  privacy: string | undefined;
  /** The fields that the target did not accept. */
  leftOut: (keyof Fields)[];
}

type Fields = Pick<routes.ValFields, 'readme' | 'privacy'>;

export async function sendCopy(
  copy: Copy,
  { code, later }: { code: string; later: readonly ReadCode[] },
  { from, target }: CopyOptions,
): Promise<SentCopy> {
  const first = await sendFirst(copy, code, target);
  await takeBackIfMorePublic(copy, first, target);
  let { version } = first;
  try {
    for (const readCode of later) {
      const next = await readCode();
      const call =
        first.id === undefined
          ? routes.putVal(copy.original.name, next)
          : routes.createVersion(first.id, next);
      from.refuseToken(call);
      version = versionOf(await target.api.record(call));
    }
  } catch (error) {
    throw afterPart(error, 'Older versions were copied before.');
  }
  return { ...first, version };
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
  const { original, there, mayReplace } = copy;
  const send = (fields: Fields) => target.api.send(firstCall(copy, code, fields));
  try {
    const { reply, leftOut } = await sendAcceptedFields(fieldsToSend(copy), send);
    const { status, body = null } = reply;
    return {
      id: there?.id ?? textAt(body, 'id'),
      isNew: there === undefined && (!mayReplace || status === 201),
      version: versionOf(body),
      privacy: textAt(body, 'privacy'),
      leftOut,
    };
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const problem = there === undefined ? 'exists already' : 'has just changed';
    throw conflict(original, problem, target, error.facts);
  }
}

/** Sends the val without the fields that the service refuses. Without its privacy, any but a public val could become public. */
async function sendAcceptedFields(
  fields: Fields,
  send: (fields: Fields) => Promise<Reply>,
): Promise<{ reply: Reply; leftOut: (keyof Fields)[] }> {
  try {
    return { reply: await send(fields), leftOut: [] };
  } catch (error) {
    const { readme, ...others } = fields;
    const field = readme === undefined ? 'privacy' : 'readme';
    if (!isInvalidRequest(error) || (readme === undefined && others.privacy !== 'public')) throw error;
    const { reply, leftOut } = await sendAcceptedFields(readme === undefined ? {} : others, send);
    return { reply, leftOut: [field, ...leftOut] };
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
