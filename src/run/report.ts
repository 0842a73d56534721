import { dirname } from 'node:path';
import type { Api } from '../api/api.ts';
import { textAt } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { hasStatus } from '../errors.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { type Lookup, listForLookup } from '../names/my-vals.ts';
import { type Settings, serviceName } from '../settings/settings.ts';
import { findRoot } from '../workspace/disk/root.ts';
import { nameFrom } from '../workspace/sources/walk.ts';
import { knownVals } from '../workspace/typed-words.ts';
import { fileBelow, valOfFile } from '../workspace/workspace.ts';
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

export function idInWorkspace(path: string, settings: Settings): string | undefined {
  const root = findRoot(dirname(path));
  if (root === undefined) return undefined;
  const file = fileBelow({ root, cwd: root }, path);
  const { vals, records } = knownVals(root, settings, serviceName(settings));
  const val = file === undefined ? undefined : valOfFile({ root, vals }, file);
  return val && (val.id ?? records?.of(val)?.id);
}

export interface FoundVal {
  code: JsonValue | undefined;
  known: KnownVersion | undefined;
}

export async function findValOfFile(
  lookup: Lookup,
  path: string,
  { idInWorkspace, mostSeconds }: { idInWorkspace: string | undefined; mostSeconds: number },
): Promise<FoundVal | undefined> {
  const id = idInWorkspace ?? (await idByName(lookup, nameFrom(path), mostSeconds));
  if (id === undefined) return undefined;
  const val = await unlessAbsent(() => lookup.api.record(routes.getVal(id)));
  return val && { code: val.code, known: knownVersion(id, val) };
}

async function idByName(lookup: Lookup, name: string, mostSeconds: number): Promise<string | undefined> {
  return unlessAbsent(async () => {
    const pages = await listForLookup(lookup, { mostSeconds });
    if (pages === undefined) return undefined;
    for await (const records of pages) {
      const found = records.find((val) => val.name === name);
      if (found !== undefined) return textAt(found, 'id');
    }
    return undefined;
  });
}

async function unlessAbsent<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (hasStatus(error, 404, 405, 410, 501)) return undefined;
    throw error;
  }
}
