import { UnknownOutcomeError, ValsError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Api } from './api.ts';
import { ifRouteExists } from './if-present.ts';
import { codeOf, textAt } from './record-fields.ts';
import * as routes from './routes.ts';

type ValField = keyof routes.ValFields;

export interface ChangedVal {
  val: JsonObject;
  notApplied: ValField[];
}

/** `ifMatch` is the ETag of the val, if the val was read before. */
export async function changeFields(
  api: Api,
  id: string,
  fields: routes.ValFields,
  ifMatch?: string,
): Promise<ChangedVal> {
  const changed = await ifRouteExists(() => api.send({ ...routes.changeVal(id, fields), ifMatch }));
  const hasRoute = changed !== undefined;
  if (!hasRoute) {
    const { record, etag } = await api.recordWithEtag(routes.getVal(id));
    await api.send({ ...routes.createVersion(id, codeOf(record), fields), ifMatch: ifMatch ?? etag });
  }
  const val = await api.record(routes.getVal(id)).catch((error) => {
    throw error instanceof ValsError ? notRead(id, error) : error;
  });
  const wanted = Object.entries(fields) as [ValField, string][];
  const isApplied = ([field, text]: [ValField, string]) => {
    const found = fieldOf(val, field);
    if (found === undefined) return hasRoute || text === '';
    return found === text;
  };
  return { val, notApplied: wanted.filter((field) => !isApplied(field)).map(([field]) => field) };
}

/** Some services send `public` instead of `privacy`. There, a val that is not public may be private or unlisted. */
export function fieldOf(val: JsonObject, field: ValField): string | undefined {
  const text = textAt(val, field);
  if (text !== undefined || field !== 'privacy' || typeof val.public !== 'boolean') return text;
  return val.public ? 'public' : undefined;
}

const notRead = (id: string, { message, facts }: ValsError): UnknownOutcomeError =>
  new UnknownOutcomeError(`The change was sent, but the val could not be read afterwards: ${message}`, {
    ...facts,
    hint: routes.seeVal(id),
  });

/** Returns 0 for private, 1 for unlisted and 2 for public. */
export function publicity(privacy = '', ifUnknown: number): number {
  const index = ['private', 'unlisted', 'public'].indexOf(privacy.toLowerCase());
  return index === -1 ? ifUnknown : index;
}
