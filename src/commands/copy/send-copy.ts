import type { Api } from '../../api/api.ts';
import type { Call, Reply } from '../../api/call.ts';
import { publicity } from '../../api/change-val.ts';
import { textAt, versionOf } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import { afterPart, ConflictError, isInvalidRequest, type Problem } from '../../errors.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { conflict } from './codes-to-send.ts';
import type { Target, ValThere } from './copy-target.ts';
import type { Original } from './copy-val.ts';
import { takeBackIfMorePublic } from './take-back.ts';

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

export interface SentCopy {
  id: string | undefined;
  isNew: boolean;
  /** What the service answered to each code that was sent. */
  answers: Answer[];
}

/** Without the code, because that of all versions would fill the memory. */
interface Answer {
  version: number | undefined;
  readme: string | undefined;
  privacy: string | undefined;
}

type Fields = Pick<routes.ValFields, 'readme' | 'privacy'>;

export async function sendCopy(
  copy: Copy,
  codes: { first: string; later: AsyncIterable<string> },
  services: Services,
): Promise<SentCopy> {
  const { target } = services;
  const sent = await sendFirst(copy, codes.first, target);
  await takeBackIfMorePublic(copy, sent, target);
  const { id, answers } = sent;
  try {
    for await (const code of codes.later) {
      const call =
        id === undefined ? routes.putVal(copy.original.name, code) : routes.createVersion(id, code);
      refuseTokens(call, services);
      answers.push(answerOf(await target.api.record(call)));
    }
  } catch (error) {
    throw afterPart(error, 'Older versions were copied before.');
  }
  if (answers.length > 1) await takeBackIfMorePublic(copy, sent, target);
  return sent;
}

export function refuseTokens(call: Call, { from, target }: Services): void {
  for (const service of [from, target.api]) service.refuseToken(call);
}

export function fieldsToSend({ original, there, mayReplace }: Copy): Fields {
  const { readme, privacy } = original;
  // The versions of a val that is there may be private, so it never becomes more public.
  const isSurelyNew = there === undefined && !mayReplace;
  const isNarrower = publicity(privacy, 0) < publicity(there?.privacy, 2);
  return {
    ...(readme && readme !== there?.readme && { readme }),
    ...(privacy && (isSurelyNew || isNarrower) && { privacy }),
  };
}

export function firstCall({ original, there, mayReplace }: Copy, code: string, fields: Fields): Call {
  const { name } = original;
  if (there) return { ...routes.createVersion(there.id, code, fields), ifMatch: there.etag };
  return mayReplace ? routes.putVal(name, code, fields) : routes.createVal({ name, code, ...fields });
}

async function sendFirst(copy: Copy, code: string, target: Target): Promise<SentCopy> {
  const { original, there, mayReplace, remark } = copy;
  const send = (fields: Fields) => target.api.send(firstCall(copy, code, fields));
  try {
    const { status, body } = await sendAcceptedFields(fieldsToSend(copy), remark, send);
    const record = isObject(body) ? body : {};
    const isNew = there === undefined && (!mayReplace || status === 201);
    return { id: there?.id ?? textAt(record, 'id'), isNew, answers: [answerOf(record)] };
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const problem = there === undefined ? 'exists already' : 'has just changed';
    throw conflict(original.name, problem, target, error.facts);
  }
}

const answerOf = (record: JsonObject): Answer => ({
  version: versionOf(record),
  readme: textAt(record, 'readme'),
  privacy: textAt(record, 'privacy'),
});

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
