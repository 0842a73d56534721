// The service's side of a val.
import type { Api } from '../api/api.ts';
import { changedAtOf, textAt, versionOf } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { BadResponseError, NotFoundError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';

export interface RemoteVal {
  /** Undefined where the service does not say. */
  name: string | undefined;
  code: string;
  version: JsonValue | undefined;
  /** Undefined where the service does not say. */
  changedAt?: string | undefined;
}

/** Undefined where there is no such val. */
export async function readRemoteVal(api: Api, id: string): Promise<RemoteVal | undefined> {
  try {
    const record = await api.record(routes.getVal(id));
    const { code } = record;
    const name = textAt(record, 'name');
    if (typeof code !== 'string') {
      throw new BadResponseError(`The service sent no code with the val ${name ?? id}.`, {
        hint: `\`vals val get ${id} --json\` shows what it sent.`,
      });
    }
    return { name, code, version: versionOf(record), changedAt: changedAtOf(record) };
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** Keys without a value are left out. */
export const identity = (id: string | undefined, version: JsonValue | undefined): JsonObject => ({
  ...(id !== undefined && { id }),
  ...(version !== undefined && { version }),
});
