import { LocalError } from '../../errors.ts';
import { isObject, type JsonObject, parseJson, stringifyJson } from '../../lib/json.ts';
import { largest } from '../../lib/plain-file.ts';
import { embeddedService } from '../../settings/settings.ts';
import { folderMark } from './dot-vals.ts';
import { readBelow } from './files.ts';
import type { ManifestEntry } from './manifest.ts';
import { dotValsFolder } from './root.ts';
import { replaceBelow } from './write-files.ts';

// The ids are valid only on the machine that wrote the file. The mark in the file name makes vals ignore a file that
// was copied from another machine.
function fileOf(root: string): string | undefined {
  const mark = folderMark(root);
  return mark === undefined ? undefined : `${dotValsFolder}/local-${mark}.json`;
}

export type LocalIds = ReadonlyMap<string, string>;

export function readLocalIds(root: string): LocalIds {
  const file = fileOf(root);
  const text = file === undefined ? undefined : readBelow(root, file, largest.manifest);
  if (text === undefined) return new Map();
  try {
    const content = parseJson(text);
    const ids = isObject(content) && isObject(content.ids) ? Object.entries(content.ids) : undefined;
    if (ids?.every((pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== '')) {
      return new Map(ids);
    }
  } catch {}
  throw new LocalError(`${file} does not contain the ids of vals.`, {
    hint: 'Remove the file. The next `vals push --local` finds the vals again by their names.',
  });
}

export function addLocalIds(entries: ReadonlyMap<string, ManifestEntry>, localIds: LocalIds): void {
  const taken = new Set<string>();
  for (const [file, { ids }] of entries) {
    // Older versions of vals stored local ids in vals.json, so `ids` may contain a local id.
    const id = localIds.get(file) ?? ids.get(embeddedService);
    if (id === undefined || taken.has(id)) {
      ids.delete(embeddedService);
      continue;
    }
    taken.add(id);
    ids.set(embeddedService, id);
  }
}

export function writeLocalIds(
  root: string,
  entries: ReadonlyMap<string, ManifestEntry>,
  before: LocalIds,
): void {
  const listed = [...entries].flatMap(([file, { ids }]): [string, string][] => {
    const id = ids.get(embeddedService);
    return id === undefined ? [] : [[file, id]];
  });
  const taken = new Set(listed.map(([, id]) => id));
  // These ids are kept, because the vals.json of another git branch may list the files.
  const idsOfOtherFiles = [...before].filter(([file, id]) => !entries.has(file) && !taken.has(id));
  const after = [...listed, ...idsOfOtherFiles].sort(([a], [b]) => (a < b ? -1 : 1));
  const file = fileOf(root);
  if (file !== undefined && textOf(after) !== textOf([...before])) {
    replaceBelow(root, file, textOf(after), 'anything');
  }
}

const textOf = (ids: readonly [string, string][]): string =>
  `${stringifyJson({ ids: Object.fromEntries(ids) as JsonObject }, 2)}\n`;
