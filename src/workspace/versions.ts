// The versions of a val on the service. They tell whether a file has older code, and what a merge can be based on.

import { NotFoundError, undefinedIf } from '../core/errors.ts';
import type { Api } from '../core/http/api.ts';
import { listVersions } from '../core/http/versions.ts';
import * as routes from '../core/routes.ts';
import { type Code, codeOf, codeWithHash, isSameCode } from './code.ts';

export interface VersionWithCode {
  version: number;
  code: Code;
}

const mostVersions = 20;

/**
 * At most `most` versions, newest first, without `current`. A service that sends `codeHash` in the list is asked once,
 * another one once for each version.
 */
export async function* newestVersions(
  api: Api,
  id: string,
  current: number | undefined,
  most = mostVersions,
): AsyncGenerator<VersionWithCode> {
  // A val that was deleted meanwhile has no versions. The write will notice it.
  const listed = await listVersions(api, id).catch(undefinedIf(NotFoundError));
  const others = listed?.filter(({ number }) => number !== current) ?? [];
  for (const { number, codeHash } of others.slice(-most).reverse()) {
    const code = codeHash === undefined ? await readVersion(api, id, number) : codeWithHash(codeHash);
    if (code !== undefined) yield { version: number, code };
  }
}

/** Undefined if the version was deleted meanwhile. */
export async function readVersion(api: Api, id: string, version: number): Promise<Code | undefined> {
  const record = await api.record(routes.getVersion(id, version)).catch(undefinedIf(NotFoundError));
  return typeof record?.code === 'string' ? codeOf(record.code) : undefined;
}

/** The newest version that has this code, among those that `newestVersions` gives. */
export async function versionWith(
  api: Api,
  val: { id: string; version: number | undefined },
  code: Code,
  most?: number,
): Promise<number | undefined> {
  for await (const each of newestVersions(api, val.id, val.version, most)) {
    if (isSameCode(each.code, code)) return each.version;
  }
  return undefined;
}
