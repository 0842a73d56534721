import { LocalError } from '../../errors.ts';
import type { Hints } from '../../lib/hint.ts';
import { isObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from '../../lib/json.ts';
import { isOfThisMachine } from '../../settings/settings.ts';
import { hasConflictMarkers } from '../text/merge.ts';
import { fold, pathProblem } from './file-names.ts';

export interface ManifestEntry {
  name: string;
  ids: Map<string, string>;
  unknownKeys: JsonObject;
}

export interface Manifest {
  vals: Map<string, ManifestEntry>;
  unknownKeys: JsonObject;
}

export const emptyManifest = (): Manifest => ({ vals: new Map(), unknownKeys: {} });

const restoreHint = 'Fix vals.json, or restore it from git. Your other files and your vals were not changed.';

const markersHint =
  'In vals.json, keep the entries that you want, and remove the conflict markers (<<<<<<<).';

export const broken = (problem: string, hint: Hints = restoreHint): LocalError =>
  new LocalError(`vals.json ${problem}.`, { hint });

export function parseManifest(text: string): Manifest {
  let content: JsonValue;
  try {
    content = parseJson(text.replace(/^\ufeff/, ''));
  } catch (error) {
    if (hasConflictMarkers(text)) throw broken('has conflict markers of git', markersHint);
    throw broken(`is not JSON: ${(error as Error).message.replace(/\.$/, '')}`);
  }
  if (!isObject(content)) throw broken('is not a JSON object');
  const { vals = {}, ...unknownKeys } = content;
  if (!isObject(vals)) throw broken('must have an object as "vals"');
  const entries = new Map(Object.entries(vals).map(([file, value]) => [file, parseEntry(file, value)]));
  refuseDuplicates(entries);
  return { vals: entries, unknownKeys };
}

function parseEntry(file: string, value: JsonValue): ManifestEntry {
  const problem = pathProblem(file);
  if (problem !== undefined) {
    throw broken(
      `names the file "${file}", whose path ${problem}`,
      'Write the path relative to vals.json, with / between folders.',
    );
  }
  const place = `vals["${file}"]`;
  if (!isObject(value)) throw broken(`must have an object as ${place}`);
  const { name, ids = {}, ...unknownKeys } = value;
  if (typeof name !== 'string' || name === '')
    throw broken(`must have a non-empty string as "name" in ${place}`);
  if (!isObject(ids)) throw broken(`must have an object as "ids" in ${place}`);
  const idsByService = new Map<string, string>();
  for (const [service, id] of Object.entries(ids)) {
    if (typeof id !== 'string' || id === '') {
      throw broken(`must have a non-empty string as the id for ${service} in ${place}`);
    }
    // These ids are in the records.
    if (!isOfThisMachine(service)) idsByService.set(service, id);
  }
  return { name, ids: idsByService, unknownKeys };
}

function refuseDuplicates(entries: ReadonlyMap<string, ManifestEntry>): void {
  const byName = new Map<string, string>();
  const byFile = new Map<string, string>();
  const byId = new Map<string, string>();
  for (const [file, { name, ids }] of entries) {
    const sameName = byName.get(name);
    if (sameName !== undefined)
      throw broken(`gives the name "${name}" to two files: ${sameName} and ${file}`);
    const sameFile = byFile.get(fold(file));
    if (sameFile !== undefined) {
      throw broken(
        `names ${sameFile} and ${file}, which are one file on some systems`,
        'Rename one of the two files.',
      );
    }
    for (const [service, id] of ids) {
      const key = `${service}\n${id}`;
      const sameId = byId.get(key);
      if (sameId !== undefined) {
        throw broken(`gives the id ${id} on ${service} to two files: ${sameId} and ${file}`);
      }
      byId.set(key, file);
    }
    byName.set(name, file);
    byFile.set(fold(file), file);
  }
}

export function formatManifest({ vals, unknownKeys }: Manifest): string {
  const entries = sorted(vals).map(([file, { name, ids, unknownKeys }]) => [
    file,
    { name, ...(ids.size > 0 && { ids: Object.fromEntries(sorted(ids)) }), ...unknownKeys },
  ]);
  return `${stringifyJson({ ...unknownKeys, vals: Object.fromEntries(entries) }, 2)}\n`;
}

const sorted = <Value>(map: ReadonlyMap<string, Value>): [string, Value][] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1));
