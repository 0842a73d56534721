import { RefusedError, UnknownOutcomeError, ValsError } from '../errors.ts';
import { listed } from '../lib/hint.ts';
import type { JsonObject } from '../lib/json.ts';
import * as routes from '../routes.ts';
import type { Api } from './api.ts';
import { ifRouteExists } from './if-present.ts';
import { codeOf, textAt, versionOf } from './record-fields.ts';

type ValField = keyof routes.ValFields;

const valFields: readonly ValField[] = ['name', 'privacy', 'readme'];

export interface ChangedVal {
  val: JsonObject;
  notApplied: ValField[];
  /** The version that was made because the service cannot change the fields alone. */
  madeVersion: number | undefined;
}

/** `ifMatch` is the ETag of the val, if the val was read before. */
export async function changeFields(
  api: Api,
  val: routes.Val,
  fields: routes.ValFields,
  ifMatch?: string,
): Promise<ChangedVal> {
  const changed = await ifRouteExists(() => api.send({ ...routes.changeVal(val, fields), ifMatch }));
  const before = changed === undefined ? await sendAsVersion(api, val, fields, ifMatch) : undefined;
  const record = await api.record(routes.getVal(val)).catch((error) => {
    throw error instanceof ValsError ? notRead(error) : error;
  });
  const isApplied = (field: ValField) =>
    fields[field] === undefined || fields[field] === (textAt(record, field) ?? '');
  const version = versionOf(record);
  const isNew = before !== undefined && version !== undefined && version > before;
  return {
    val: record,
    notApplied: valFields.filter((field) => !isApplied(field)),
    madeVersion: isNew ? version : undefined,
  };
}

/** Returns the version that the val had before. */
async function sendAsVersion(
  api: Api,
  val: routes.Val,
  fields: routes.ValFields,
  ifMatch: string | undefined,
): Promise<number | undefined> {
  const { record, etag } = await api.recordWithEtag(routes.getVal(val));
  await api
    .send({ ...routes.createVersion(val, codeOf(record), fields), ifMatch: ifMatch ?? etag })
    .catch((error) => {
      if (error instanceof RefusedError)
        error.facts.hint = `This service may have no way to change the ${listed(Object.keys(fields))} of a val that is there. Change it on the service itself.`;
      throw error;
    });
  return versionOf(record);
}

const notRead = ({ message, facts }: ValsError): UnknownOutcomeError =>
  new UnknownOutcomeError(`The change was sent, but the val could not be read afterwards: ${message}`, facts);

/** Returns 0 for private, 1 for unlisted and 2 for public. */
export function publicity(privacy = '', ifUnknown: number): number {
  const index = ['private', 'unlisted', 'public'].indexOf(privacy.toLowerCase());
  return index === -1 ? ifUnknown : index;
}
