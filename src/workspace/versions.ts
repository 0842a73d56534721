// The versions of a val on the service. They tell whether a file has older code, and what a merge can be based on.
import type { Api } from '../api/api.ts';
import * as routes from '../api/routes.ts';
import { listVersions } from '../api/versions.ts';
import { NotFoundError, undefinedIf } from '../errors.ts';
import { type Code, codeOf, codeWithHash, isSameCode } from './text/code.ts';

export interface EarlierVersion {
  version: number;
  code: Code;
}

const mostVersions = 20;

/**
 * The versions before the current one, newest first. A service that sends `codeHash` in the list is asked once, another
 * one once for each version.
 */
export async function* earlierVersions(
  api: Api,
  id: string,
  current: number | undefined,
  most = mostVersions,
): AsyncGenerator<EarlierVersion> {
  // A val that was deleted meanwhile has no versions. The write will notice it.
  const listed = await listVersions(api, id).catch(undefinedIf(NotFoundError));
  const earlier = listed?.filter(({ number }) => number !== current) ?? [];
  for (const { number, codeHash } of earlier.slice(-most).reverse()) {
    const code = codeHash === undefined ? await readVersion(api, id, number) : codeWithHash(codeHash);
    if (code !== undefined) yield { version: number, code };
  }
}

/** Undefined if the version was deleted meanwhile. */
export async function readVersion(api: Api, id: string, version: number): Promise<Code | undefined> {
  const record = await api.record(routes.getVersion(id, version)).catch(undefinedIf(NotFoundError));
  return typeof record?.code === 'string' ? codeOf(record.code) : undefined;
}

/** The version that has this code. */
export async function versionWith(
  api: Api,
  val: { id: string; version: number | undefined },
  code: Code,
  most?: number,
): Promise<number | undefined> {
  for await (const earlier of earlierVersions(api, val.id, val.version, most)) {
    if (isSameCode(earlier.code, code)) return earlier.version;
  }
  return undefined;
}
