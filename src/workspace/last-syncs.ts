// What this folder and a service last had in common, and whether a push has gone through: one file for each service, replaced
// at the end of a command.
import { LocalError } from '../core/errors.ts';
import { isObject, type JsonValue, parseIfJson, stringifyJson } from '../core/lib/json.ts';
import type { LastSync } from './compare/types.ts';
import type { DataFolder } from './data/data-folder.ts';

export interface LastSyncs {
  of(name: string): LastSync | undefined;
  names(): string[];
  set(name: string, lastSync: LastSync): void;
  remove(name: string): void;
  /** A push from this folder to this service has gone through. Until then, a push shows what it would change, and asks. */
  hasPushed(): boolean;
  notePush(): void;
  /** Last syncs that cannot be written cost no more than a warning. */
  save(): void;
}

export function openLastSyncs(
  dataFolder: DataFolder,
  service: string,
  warn: (message: string) => void = () => {},
): LastSyncs {
  const file = `syncs/${encodeURIComponent(service).replaceAll('*', '%2A')}.json`;
  const before = dataFolder.read(file);
  const { vals, isPushed } = parseLastSyncs(before);
  const syncs = new Map(vals);
  let hasPushed = isPushed;
  return {
    of: (name) => syncs.get(name),
    names: () => [...syncs.keys()],
    set: (name, lastSync) => void syncs.set(name, lastSync),
    remove: (name) => void syncs.delete(name),
    hasPushed: () => hasPushed,
    notePush() {
      hasPushed = true;
    },
    save() {
      const after = `${stringifyJson({ hasPushed, vals: Object.fromEntries(syncs) })}\n`;
      if (after === before || (before === undefined && syncs.size === 0 && !hasPushed)) return;
      try {
        dataFolder.write(file, after);
      } catch (error) {
        if (!(error instanceof LocalError)) throw error;
        warn(`vals keeps no record of this workspace: ${error.message}`);
      }
    },
  };
}

function parseLastSyncs(text: string | undefined): { vals: [string, LastSync][]; isPushed: boolean } {
  const content = text === undefined ? undefined : parseIfJson(text);
  if (!isObject(content) || !isObject(content.vals)) return { vals: [], isPushed: false };
  const vals = Object.entries(content.vals).flatMap(([name, value]): [string, LastSync][] => {
    const lastSync = parseLastSync(value);
    return lastSync === undefined ? [] : [[name, lastSync]];
  });
  return { vals, isPushed: content.hasPushed === true };
}

function parseLastSync(value: JsonValue): LastSync | undefined {
  if (!isObject(value)) return undefined;
  const { id, version, blob, commit } = value;
  if (typeof id !== 'string' || typeof blob !== 'string') return undefined;
  return {
    id,
    version: typeof version === 'number' ? version : undefined,
    blob,
    commit: typeof commit === 'string' ? commit : undefined,
  };
}
