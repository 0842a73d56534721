import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../core/lib/json.ts';
import { replacePrivate } from '../../core/lib/plain-file.ts';

/** Values by a path or an address, each in a file of the data directory. What cannot be read or written counts as missing. */
export interface Kept {
  read(key: string): JsonObject | undefined;
  write(key: string, value: Record<string, unknown>): void;
}

export interface KeptOptions {
  /** Undefined: nothing is kept. */
  folder: string | undefined;
  /** If there are more files, the oldest quarter is removed. */
  mostFiles?: number;
}

export function createKept({ folder, mostFiles = Number.POSITIVE_INFINITY }: KeptOptions): Kept {
  let isChecked = false;
  return {
    read(key) {
      if (folder === undefined) return undefined;
      try {
        const found: unknown = JSON.parse(readFileSync(join(folder, nameFor(key)), 'utf8'));
        return isObject(found) && found.key === key ? found : undefined;
      } catch {
        return undefined;
      }
    },
    write(key, value) {
      if (folder === undefined) return;
      try {
        replacePrivate(join(folder, nameFor(key)), JSON.stringify({ key, ...value }));
        if (!isChecked) removeOldest(folder, mostFiles);
        isChecked = true;
      } catch {
        // Without the file, the next run makes the value again.
      }
    },
  };
}

/** Two keys may have the same name, because it is cut: the file contains the whole key. */
const nameFor = (key: string): string => `${Buffer.from(key).toString('base64url').slice(-200)}.json`;

function removeOldest(folder: string, mostFiles: number): void {
  const names = readdirSync(folder);
  if (names.length <= mostFiles) return;
  const files = names.map((name) => join(folder, name));
  const ages = new Map(files.map((file) => [file, statSync(file).mtimeMs]));
  const oldestFirst = files.toSorted((a, b) => (ages.get(a) ?? 0) - (ages.get(b) ?? 0));
  for (const file of oldestFirst.slice(0, names.length - mostFiles * 0.75)) rmSync(file, { force: true });
}
