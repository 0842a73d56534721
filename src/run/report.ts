import { dirname } from 'node:path';
import type { Api } from '../api/api.ts';
import { textAt } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { ValsError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { type Settings, serviceName } from '../settings/settings.ts';
import { nearestRootOfAnyUser, refuseOthers } from '../workspace/disk/root.ts';
import { nameFrom } from '../workspace/sources/walk.ts';
import { fileBelow, valOfFile, valsOf } from '../workspace/workspace.ts';
import { type KnownVersion, knownVersion } from './target.ts';

export interface FinishedRun {
  runStartAt: string;
  runEndAt: string;
  error: string | null;
}

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
  const root = nearestRootOfAnyUser(dirname(path));
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

export async function findValOfFile(
  api: Api,
  path: string,
  idInWorkspace: string | undefined,
): Promise<FoundVal | undefined> {
  const id = idInWorkspace ?? (await idByName(api, nameFrom(path)));
  if (id === undefined) return undefined;
  const val = await unlessAbsent(() => api.record(routes.getVal(id)));
  return val && { code: val.code, known: knownVersion(id, val) };
}

/** Without this limit, a hostile service could send pages for ever. */
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
