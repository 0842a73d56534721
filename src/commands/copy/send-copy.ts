import type { Api } from '../../api/api.ts';
import type { Call } from '../../api/call.ts';
import { fieldOf, publicity } from '../../api/change-val.ts';
import { textAt } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import {
  afterPart,
  ConflictError,
  isInvalidRequest,
  type Problem,
  RefusedError,
  type ValsError,
} from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { RemoteVal } from '../../workspace/remote-vals.ts';
import {
  changePrivacyFirst,
  madePublic,
  mayBePublic,
  narrower,
  notPrivateThere,
  privacyOf,
} from './copy-privacy.ts';
import type { Destination } from './copy-target.ts';

export interface Copy {
  name: string;
  source: JsonObject;
  there: RemoteVal | undefined;
  fields: routes.ValFields;
  mayReplace: boolean;
}

interface Services {
  from: Api;
  target: Destination;
}

interface SentCopy {
  sent: JsonObject;
  id: string | undefined;
  isReplaced: boolean;
}

export type ReportProblem = (problem: Problem) => void;

export async function sendCopy(
  copy: Copy,
  code: string,
  laterCodes: AsyncIterable<string>,
  services: Services,
  remark: ReportProblem,
): Promise<SentCopy> {
  const { name, source, there } = copy;
  const { target } = services;
  const mostPublic = narrower(textAt(source, 'privacy'), there?.privacy);
  if (target.valMadePublic !== undefined && mostPublic !== 'public') {
    throw notPrivateThere(target.valMadePublic, target);
  }
  const checkPrivacy = (sent: JsonObject) => {
    const privacy = fieldOf(sent, 'privacy');
    if (publicity(privacy, 0) <= publicity(mostPublic, 0)) return;
    target.valMadePublic = name;
    throw madePublic(mostPublic, `${privacy}`, target);
  };

  const first = await sendFirst(copy, code, target, remark);
  checkPrivacy(first.sent);
  const id = textAt(first.sent, 'id') ?? there?.id;
  let { sent } = first;
  try {
    for await (const later of laterCodes) {
      const call = id === undefined ? routes.putVal(name, later) : routes.createVersion(id, later);
      refuseTokens(call, services);
      sent = { ...sent, ...(await target.api.record(call)) };
      checkPrivacy(sent);
    }
  } catch (error) {
    throw afterPart(error, 'Older versions were copied before.');
  }
  return { sent, id, isReplaced: first.isReplaced };
}

async function sendFirst(
  { name, source, there, fields: wanted, mayReplace }: Copy,
  code: string,
  target: Destination,
  remark: ReportProblem,
): Promise<{ sent: JsonObject; isReplaced: boolean }> {
  const { api } = target;
  const replace = async (fields: routes.ValFields) => {
    const put = (kept: routes.ValFields) => api.record(routes.putVal(name, code, kept));
    return { sent: await sendWithFields(fields, remark, put), isReplaced: true };
  };
  const add = async (fields: routes.ValFields) => {
    const post = (kept: routes.ValFields) =>
      api.record(
        there?.id === undefined ? newCopy(name, code, kept) : routes.createVersion(there.id, code, kept),
      );
    return { sent: await sendWithFields(fields, remark, post), isReplaced: false };
  };

  const fields = await changePrivacyFirst(wanted, there, target);
  try {
    if (mayReplace && mayBePublic(fields)) return await replace({});
    return await add(fields).catch((error) => {
      // Some services ignore the privacy in `putVal`, so a val that is not public must not be created by it.
      if (mayReplace && error instanceof ConflictError) return replace(privacyOf(source));
      throw error;
    });
  } catch (error) {
    throw fields === wanted ? error : afterPart(error, 'The privacy of the copy was changed before.');
  }
}

export function refuseTokens(call: Call, { from, target }: Services): void {
  for (const service of [from, target.api]) service.refuseToken(call);
}

export const overwrite = { text: 'To overwrite the val', input: { force: true } };

export const newCopy = (name: string, code: string, fields: object) => ({
  ...routes.createVal({ name, code, ...fields }),
  hints: { 409: overwrite },
});

async function sendWithFields(
  fields: routes.ValFields,
  remark: ReportProblem,
  send: (fields: routes.ValFields) => Promise<JsonObject>,
): Promise<JsonObject> {
  const { readme, privacy } = fields;
  try {
    return await send(fields);
  } catch (error) {
    if (!isInvalidRequest(error)) throw error;
    if (readme !== undefined) {
      const sent = await sendWithFields(privacy === undefined ? {} : { privacy }, remark, send);
      remark(withoutField('readme'));
      return sent;
    }
    if (privacy === undefined) throw error;
    // Without its privacy, the copy gets the default of the service, which may be public.
    if (!mayBePublic(fields)) throw needsPrivacy(error, privacy);
    const sent = await send({});
    remark(withoutField('privacy'));
    return sent;
  }
}

const withoutField = (field: string): Problem => ({
  one: `was copied without its ${field}, which the service did not accept`,
  many: `were copied without their ${field}, which the service did not accept`,
});

const needsPrivacy = (error: ValsError, privacy: string): RefusedError =>
  new RefusedError(error.message, {
    ...error.facts,
    hint: `vals does not copy a val that is ${privacy} without its privacy, because the copy could be public.`,
  });
