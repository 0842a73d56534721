import { isObject, type JsonValue } from '../../lib/json.ts';
import { fold, pathProblem } from './file-names.ts';
import type { Manifest } from './manifest.ts';

export interface Note {
  service: string;
  file: string;
  name: string;
  id?: string;
  before?: string;
}

export interface NoteOptions {
  mayRename: boolean;
  warn(message: string): void;
}

export function applyNotes(
  { vals }: Manifest,
  notes: readonly Note[],
  { mayRename, warn }: NoteOptions,
): void {
  if (notes.length === 0) return;
  const files = new Map<string, string>();
  for (const [file, { name, ids }] of vals) {
    files.set(`file ${fold(file)}`, file);
    files.set(`name ${name}`, file);
    for (const [service, id] of ids) files.set(`id ${service} ${id}`, file);
  }
  for (const { service, file, name, id, before } of notes) {
    const isOthers = (key: string) => (files.get(key) ?? file) !== file;
    if (isOthers(`file ${fold(file)}`)) continue;
    const known = vals.get(file);
    const entry = known ?? { name, ids: new Map<string, string>(), unknownKeys: {} };
    if (known === undefined || (mayRename && known.name !== name)) {
      if (isOthers(`name ${name}`)) {
        const notDone = known === undefined ? 'added to' : 'renamed in';
        warn(
          `${file} was not ${notDone} vals.json, because another file in vals.json already has the val "${name}".`,
        );
        if (known === undefined) continue;
      } else {
        files.delete(`name ${entry.name}`);
        entry.name = name;
      }
    }
    const idNow = entry.ids.get(service);
    if (id !== undefined && isOthers(`id ${service} ${id}`)) {
      const other = files.get(`id ${service} ${id}`);
      warn(
        `${file} did not get the id ${id} in vals.json, because the file ${other} already has that id. To remove one of the two files from vals.json, run \`vals forget <file>\`.`,
      );
    } else if (id !== undefined && idNow !== undefined && idNow !== before && idNow !== id) {
      warn(
        `vals.json changed while the command was running, so ${file} keeps the id ${idNow}. To use the new id ${id} instead, edit vals.json.`,
      );
    } else if (id !== undefined) {
      files.delete(`id ${service} ${idNow}`);
      entry.ids.set(service, id);
      files.set(`id ${service} ${id}`, file);
    }
    vals.set(file, entry);
    files.set(`file ${fold(file)}`, file);
    files.set(`name ${entry.name}`, file);
  }
}

export function parseNote(value: JsonValue): Note | undefined {
  if (!isObject(value)) return undefined;
  const { service, file, name, id, before } = value;
  if (!isText(service) || !isText(file) || !isText(name) || pathProblem(file) !== undefined) return undefined;
  return { service, file, name, ...(isText(id) && { id }), ...(isText(before) && { before }) };
}

const isText = (value: JsonValue | undefined): value is string => typeof value === 'string' && value !== '';
