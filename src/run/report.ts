// Tells the service of a run of code that it has: the same val at the same version. Nothing here fails a run.
import { dirname } from 'node:path';
import type { Api } from '../api/api.ts';
import { textAt } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { ValsError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { serviceName } from '../settings/chosen-service.ts';
import type { Settings } from '../settings/settings.ts';
import { nearestRoot, refuseOthers } from '../workspace/disk/root.ts';
import { nameFrom } from '../workspace/sources/walk.ts';
import { fileBelow, valsOf } from '../workspace/workspace.ts';
import { type KnownVersion, knownVersion } from './known-version.ts';

export interface FinishedRun {
  runStartAt: string;
  runEndAt: string;
  error: string | null;
}

/** The run as the service keeps it; undefined where it has no place for runs. */
export async function sendRun(
  api: Api,
  { id, name, version }: KnownVersion,
  run: FinishedRun,
): Promise<JsonObject | undefined> {
  const sent = await unlessAbsent(() =>
    api.record(routes.reportRun(id, { version: Number(version), ...run })),
  );
  return sent && { val: { id, name: name ?? null, version: Number(version) }, ...run, ...sent };
}

/** The id that the workspace around a file has for it on the service in force. */
export function idInWorkspace(path: string, settings: Settings): string | undefined {
  const root = nearestRoot(dirname(path));
  if (root === undefined) return undefined;
  refuseOthers(settings, root);
  const file = fileBelow({ root, cwd: root }, path);
  return file === undefined ? undefined : valsOf(root, serviceName(settings)).ofFile(file)?.id;
}

/** The val of mine that has the name which a push would give the file, where the service lists them. */
export async function idByName(api: Api, path: string): Promise<string | undefined> {
  const name = nameFrom(path);
  return unlessAbsent(async () => {
    const user = textAt(await api.record(routes.me()), 'id');
    if (user === undefined) return undefined;
    for await (const rows of api.pages(routes.userVals(user), { all: true })) {
      const found = rows.records.find((val) => val.name === name);
      if (found !== undefined) return textAt(found, 'id');
    }
    return undefined;
  });
}

/** The val as it is there now, where its code is this one. */
export async function versionWithCode(api: Api, id: string, code: string): Promise<KnownVersion | undefined> {
  const val = await unlessAbsent(() => api.record(routes.getVal(id)));
  return val?.code === code ? knownVersion(id, val) : undefined;
}

/** A service without a route says so by one of these. */
async function unlessAbsent<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ValsError && [404, 405, 410, 501].includes(error.facts.status ?? 0))
      return undefined;
    throw error;
  }
}
