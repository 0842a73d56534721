import type { Api } from '../api/api.ts';
import { ifPresent } from '../api/if-present.ts';
import * as routes from '../api/routes.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { type FileIdentityOptions, idOfFile } from '../names/identify.ts';
import type { Lookup } from '../names/my-vals.ts';
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
  const sent = await ifPresent(() => api.record(routes.reportRun(id, { version, ...run })));
  return sent && { val: { id, name: name ?? null, version }, ...run, ...sent };
}

export interface ValOfFile {
  code: JsonValue | undefined;
  known: KnownVersion | undefined;
}

/** The val that a push of the file would update. */
export async function findValOfFile(
  lookup: Lookup,
  path: string,
  options: FileIdentityOptions,
): Promise<ValOfFile | undefined> {
  const id = await idOfFile(lookup, path, options);
  if (id === undefined) return undefined;
  const val = await ifPresent(() => lookup.api.record(routes.getVal(id)));
  return val && { code: val.code, known: knownVersion(id, val) };
}
