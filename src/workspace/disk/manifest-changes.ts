import type { Hints } from '../../lib/hint.ts';
import { fold } from './file-names.ts';
import type { Manifest, ManifestEntry } from './manifest.ts';

/** What a command learnt of a val and writes into vals.json at its end. */
export interface ManifestChange {
  file: string;
  name: string;
  id?: string | undefined;
  /** The id that the file had when the command read vals.json. */
  idBefore?: string | undefined;
  /** The file that vals.json has for the val, if the file was moved. */
  movedFrom?: string | undefined;
  /** vals.json has another name for the val until now. */
  isRenamed?: boolean | undefined;
}

/** Another command may have changed vals.json meanwhile, so a change that contradicts vals.json is left out. */
export function applyChanges(
  { vals }: Manifest,
  service: string,
  changes: readonly ManifestChange[],
  warn: (message: Hints) => void,
): void {
  /** Which file has a path, a name or an id. */
  const owners = new Map<string, string>();
  const addOwner = (file: string, { name, ids }: ManifestEntry) => {
    owners.set(`file ${fold(file)}`, file);
    owners.set(`name ${name}`, file);
    owners.set(`id ${ids.get(service)}`, file);
  };
  for (const [file, entry] of vals) addOwner(file, entry);
  for (const { file, name, id, idBefore, movedFrom } of changes) {
    const origin = vals.get(movedFrom ?? '');
    if (movedFrom !== undefined && origin !== undefined && !vals.has(file)) {
      vals.delete(movedFrom);
      owners.delete(`file ${fold(movedFrom)}`);
      vals.set(file, origin);
      addOwner(file, origin);
    }
    const otherOwner = (key: string) => {
      const owner = owners.get(key) ?? file;
      return owner === file ? undefined : owner;
    };
    if (otherOwner(`file ${fold(file)}`) !== undefined) continue;
    const known = vals.get(file);
    if (known?.name !== name && otherOwner(`name ${name}`) !== undefined) {
      const notDone = known === undefined ? 'added to' : 'renamed in';
      warn(
        `${file} was not ${notDone} vals.json, because another file in vals.json already has the val "${name}".`,
      );
      if (known === undefined) continue;
    }
    const isNameFree = otherOwner(`name ${name}`) === undefined;
    const entry = known ?? { name, ids: new Map<string, string>(), unknownKeys: {} };
    if (isNameFree && entry.name !== name) {
      owners.delete(`name ${entry.name}`);
      entry.name = name;
    }
    const idNow = entry.ids.get(service);
    const idOwner = otherOwner(`id ${id}`);
    if (id !== undefined && idOwner !== undefined) {
      warn([
        `${file} did not get the id ${id} in vals.json, because the file ${idOwner} already has that id.`,
        { text: 'To remove one of the two files from vals.json', command: 'forget' },
      ]);
    } else if (id !== undefined && idNow !== undefined && idNow !== idBefore && idNow !== id) {
      warn(
        `vals.json changed while the command was running, so ${file} keeps the id ${idNow}. To use the new id ${id} instead, edit vals.json.`,
      );
    } else if (id !== undefined) {
      owners.delete(`id ${idNow}`);
      entry.ids.set(service, id);
    }
    vals.set(file, entry);
    addOwner(file, entry);
  }
}
