import { AuthError, BadResponseError, NotFoundError, RefusedError, undefinedIf } from '../errors.ts';
import { type JsonObject, type JsonValue, textAt } from '../lib/json.ts';
import { isSameCode } from '../lib/vals.ts';
import * as routes from '../routes.ts';
import type { Api } from './api.ts';
import type { Call, Found } from './call.ts';
import { versionOf } from './record-fields.ts';

export interface ListedVersion {
  number: number;
  /** Some services send these in the list. */
  code: string | undefined;
  /** The id that git gives the code as a blob. */
  codeHash: string | undefined;
  madeAt: string | undefined;
}

/** The versions of a val, oldest first. Those without a number cannot be read, and are left out. */
export async function versionsOf(api: Api, val: routes.ValRef): Promise<ListedVersion[]> {
  const versions = new Map<number, ListedVersion>();
  for await (const { records } of api.pages(routes.listVersions(val))) {
    for (const record of records) {
      const number = versionOf(record);
      if (number === undefined) continue;
      const code = typeof record.code === 'string' ? record.code : undefined;
      const madeAt = textAt(record, 'createdAt') ?? textAt(record, 'versionCreatedAt');
      versions.set(number, { number, code, codeHash: textAt(record, 'codeHash'), madeAt });
    }
  }
  return [...versions.values()].sort((a, b) => a.number - b.number);
}

/**
 * The number of the version that a val has now. A service need not tell it in the record of a val; then it is the highest
 * number in the list of the versions, which costs a request. Undefined if that list has none.
 */
export const presentVersion = async (
  api: Api,
  val: routes.ValRef,
  record: JsonValue | undefined,
): Promise<number | undefined> => versionOf(record) ?? (await versionsOf(api, val)).at(-1)?.number;

/** The same, where the list of the versions has been read. */
export const presentAmong = (numbers: readonly number[], record: JsonValue | undefined): number | undefined =>
  versionOf(record) ?? numbers.toSorted((a, b) => b - a)[0];

/** For a screen or a pipe: who may read a val may not read the list of its versions, perhaps. */
export const shownVersion = (...given: Parameters<typeof presentVersion>): Promise<number | undefined> =>
  presentVersion(...given).catch(undefinedIf(AuthError, NotFoundError, RefusedError, BadResponseError));

export async function readVersion(
  api: Api,
  val: routes.ValRef,
  version: number,
  more: Pick<Call, 'tokenIsOptional'> = {},
): Promise<JsonObject> {
  const record = await api.record({ ...routes.getVersion(val, version), ...more });
  const sent = versionOf(record);
  if (sent === undefined || sent === version) return record;
  throw new BadResponseError(`The service sent version ${sent} instead of version ${version}.`);
}

/**
 * A new version with this code. If no answer tells whether it was made, the list of the versions does, where the newest one
 * before is known.
 */
export const newVersion = (
  api: Api,
  val: routes.ValRef,
  code: string,
  { before, ifMatch }: { before: number | undefined; ifMatch?: string | undefined },
): Call => ({
  ...routes.createVersion(val, code),
  ifMatch,
  ...(before !== undefined && { findOutcome: () => findMade(api, val, code, before) }),
});

async function findMade(api: Api, val: routes.ValRef, code: string, before: number): Promise<Found> {
  const since = (await versionsOf(api, val)).filter(({ number }) => number > before);
  for (const { number, code: listed } of since) {
    const text = listed ?? (await readVersion(api, val, number)).code;
    if (typeof text === 'string' && isSameCode(text, code))
      return { status: 201, body: { version: number, code } };
  }
  // Over what others made since, nothing is sent.
  return since.length === 0 ? 'not made' : undefined;
}
