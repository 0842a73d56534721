// Sends a run to the service, and finds the val whose code was run.
import { dirname } from 'node:path';
import type { Api } from '../api/api.ts';
import { textAt } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { ValsError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { type Settings, serviceName } from '../settings/settings.ts';
import { nearestRoot, refuseOthers } from '../workspace/disk/root.ts';
import { nameFrom } from '../workspace/sources/walk.ts';
import { fileBelow, valOfFile, valsOf } from '../workspace/workspace.ts';
import { type KnownVersion, knownVersion } from './target.ts';

export interface FinishedRun {
  runStartAt: string;
  runEndAt: string;
  error: string | null;
}

/** Returns the run as the service stored it; undefined if the service has no route for runs. */
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

export function idInWorkspace(path: string, settings: Settings): string | undefined {
  const root = nearestRoot(dirname(path));
  if (root === undefined) return undefined;
  refuseOthers(settings, root);
  const file = fileBelow({ root, cwd: root }, path);
  const vals = valsOf(root, serviceName(settings));
  return file === undefined ? undefined : valOfFile({ root, vals }, file)?.id;
}

export interface FoundVal {
  code: JsonValue | undefined;
  known: KnownVersion | undefined;
}

/**
 * Reads the val of a file from the service. Finds the val by the id in the workspace, or by the name that a push would
 * use.
 */
export async function findVal(
  api: Api,
  path: string,
  idInWorkspace: string | undefined,
): Promise<FoundVal | undefined> {
  const id = idInWorkspace ?? (await idByName(api, nameFrom(path)));
  if (id === undefined) return undefined;
  const val = await unlessAbsent(() => api.record(routes.getVal(id)));
  return val && { code: val.code, known: knownVersion(id, val) };
}

/**
 * The number of pages is limited, because a service could send pages for ever. 100 pages contain at most 10,000 vals.
 */
const mostPages = 100;

async function idByName(api: Api, name: string): Promise<string | undefined> {
  return unlessAbsent(async () => {
    const user = textAt(await api.record(routes.me()), 'id');
    if (user === undefined) return undefined;
    let pages = 0;
    for await (const { records } of api.pages(routes.userVals(user), { all: true })) {
      const found = records.find((val) => val.name === name);
      if (found !== undefined) return textAt(found, 'id');
      if (++pages === mostPages) return undefined;
    }
    return undefined;
  });
}

async function unlessAbsent<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ValsError && [404, 405, 410, 501].includes(error.facts.status ?? 0))
      return undefined;
    throw error;
  }
}
