// The versions of a val on the service. They tell whether a file has older code, and what a merge can be based on.
import type { Api } from '../api/api.ts';
import { textAt, versionOf } from '../api/record-fields.ts';
import * as routes from '../api/routes.ts';
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
): AsyncGenerator<EarlierVersion> {
  const listed = (await listVersions(api, id)).filter(({ version }) => version !== current);
  const newestFirst = listed.sort((a, b) => b.version - a.version).slice(0, mostVersions);
  for (const { version, codeHash } of newestFirst) {
    const code = codeHash === undefined ? await readVersion(api, id, version) : codeWithHash(codeHash);
    if (code !== undefined) yield { version, code };
  }
}

/** A val that was deleted meanwhile has no versions. The write will notice it. */
async function listVersions(
  api: Api,
  id: string,
): Promise<{ version: number; codeHash: string | undefined }[]> {
  const listed = [];
  try {
    for await (const { records } of api.pages(routes.listVersions(id), { all: true })) {
      for (const record of records) {
        const version = versionOf(record);
        if (version !== undefined) listed.push({ version, codeHash: textAt(record, 'codeHash') });
      }
    }
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  return listed;
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
): Promise<number | undefined> {
  for await (const earlier of earlierVersions(api, val.id, val.version)) {
    if (isSameCode(earlier.code, code)) return earlier.version;
  }
  return undefined;
}
