import type { Api } from '../api/api.ts';
import * as routes from '../api/routes.ts';
import { hasStatus } from '../errors.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { identifyInWorkspace } from '../names/identify.ts';
import { createListedVals } from '../names/listed-vals.ts';
import type { Lookup } from '../names/my-vals.ts';
import { onlyOne } from '../names/only-one.ts';
import { nameFrom } from '../workspace/sources/val-names.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { type KnownVersion, knownVersion } from './target.ts';

export interface FinishedRun {
  runStartAt: string;
  runEndAt: string;
  error: string | null;
  /** The last 64 KiB of what the val printed. */
  logs: string;
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

export interface ValOfFile {
  code: JsonValue | undefined;
  known: KnownVersion | undefined;
}

interface FileOptions {
  workspaces: Workspaces;
  mostSeconds: number;
}

/** The val that a push of the file would update. */
export async function findValOfFile(
  lookup: Lookup,
  path: string,
  { workspaces, mostSeconds }: FileOptions,
): Promise<ValOfFile | undefined> {
  const listed = identifyInWorkspace(workspaces, path);
  const name = listed?.val.name ?? nameFrom(path);
  const byName = async () => (name === undefined ? undefined : idByName(lookup, name, mostSeconds));
  const id = listed?.id ?? (await byName());
  if (id === undefined) return undefined;
  const val = await unlessAbsent(() => lookup.api.record(routes.getVal(id)));
  return val && { code: val.code, known: knownVersion(id, val) };
}

async function idByName(lookup: Lookup, name: string, mostSeconds: number): Promise<string | undefined> {
  const { ids } = await createListedVals(lookup, 'all', { mostSeconds }).idsWithName(name);
  const vals = ids.map((id) => ({ id, name }));
  return onlyOne(vals, `are named "${name}"`)?.id;
}

async function unlessAbsent<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (hasStatus(error, 404, 405, 410, 501)) return undefined;
    throw error;
  }
}
