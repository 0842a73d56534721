// Writes vals of the service that have no file yet into new files of the workspace, and chooses the names of the files.

import { ConflictError, LocalError } from '../../core/errors.ts';
import { existsBelow, namesBelow } from '../../core/files/files.ts';
import { nameFrom } from '../../core/files/val-names.ts';
import { isTakenFromFolder } from '../../core/files/walk.ts';
import { sh } from '../../core/lib/hint.ts';
import { nameLike } from '../../core/lib/vals.ts';
import { fold, nameProblem, replaceBelow } from '../disk/write-files.ts';
import { updateManifest, withName } from '../manifest.ts';
import type { RemoteVal, ValWithCode } from '../read/remote-val.ts';
import { noteSync, type Session } from '../session.ts';
import { pathTo } from '../workspace.ts';
import { writableText } from './pull-val.ts';

export interface NewFiles {
  /** The file that the val gets. Each val of a command gets another one. */
  fileFor(val: Pick<RemoteVal, 'id' | 'name' | 'owner'>): string;
  write(val: ValWithCode, file: string, options: { dryRun: boolean }): Promise<void>;
}

export function openNewFiles(session: Session): NewFiles {
  const { workspace } = session;
  const taken = new Set([...session.names.keys()].map(fold));
  const takenNames = new Set(session.names.values());
  // On some systems, two spellings mean the same file.
  const spellings = new Map(namesBelow(workspace.root, '').map((name) => [fold(name), name]));
  const isTaken = (file: string) => taken.has(fold(file)) || (spellings.get(fold(file)) ?? file) !== file;

  /** The ids of the vals that get files, by their names. */
  const chosen = new Map<string, string>();

  function fileFor({ id, name, owner }: Pick<RemoteVal, 'id' | 'name' | 'owner'>): string {
    if (owner === undefined && !chosen.has(name)) chosen.set(name, id);
    const [entry] = [...workspace.manifest.names].find(([, other]) => other === name) ?? [];
    if (entry !== undefined && owner === undefined) return entry;
    const stem = stemOf(name);
    for (let count = 1; ; count++) {
      const file = `${stem}${count === 1 ? '' : `_${count}`}.ts`;
      // A push would refuse two files of one name.
      if (isTaken(file) || takenNames.has(nameFrom(file))) continue;
      taken.add(fold(file));
      takenNames.add(nameFrom(file));
      return file;
    }
  }

  return {
    fileFor,
    async write(val, file, { dryRun }) {
      const { name, owner } = val;
      const path = pathTo(workspace, file);
      const [other] = [...session.names].find(([, each]) => each === name) ?? [];
      if (owner === undefined && other !== undefined) throw hasFile(name, pathTo(workspace, other));
      const first = chosen.get(name);
      if (owner === undefined && first !== undefined && first !== val.id) throw sameName(val, first);
      if (existsBelow(workspace.root, file)) throw fileExists(name, path);
      const text = writableText(val);
      if (dryRun) return;
      // The disk cannot have the name of the val as the name of a file. A push of another owner's val makes one of one's
      // own, under the name of the file.
      if (owner === undefined && nameFrom(file) !== name)
        updateManifest(workspace.root, withName(file, name));
      replaceBelow(workspace.root, file, text, undefined, path);
      if (owner === undefined) await noteSync(session, name, val);
    },
  };
}

/**
 * A push would not take vite.config.ts, so such a val gets another file. A shell command such as `tar *` would treat a file name
 * that begins with - as an option.
 */
function stemOf(name: string): string {
  const isUsable = (stem: string) =>
    nameProblem(stem) === undefined && !stem.startsWith('-') && isTakenFromFolder(`${stem}.ts`);
  if (isUsable(name)) return name;
  const like = nameLike(name).slice(0, 40);
  return isUsable(like) ? like : `val_${like}`;
}

const hasFile = (name: string, path: string): ConflictError =>
  new ConflictError(`The val "${name}" was not added, because ${path} is the file of that name.`, {
    hint: sh`To write the service's code into the file, run ${['pull', path]}.`,
  });

/** A push would refuse two files of one name. */
const sameName = ({ id, name }: RemoteVal, first: string): ConflictError =>
  new ConflictError(`The val ${id} got no file, because ${first} is named "${name}", too.`, {
    hint: sh`To give it another name, run ${['val', 'set', id, '--name', '<name>']}.`,
  });

const fileExists = (name: string, path: string): LocalError =>
  new LocalError(`"${name}" cannot be written to ${path}: the file exists, and a push would not take it.`, {
    hint: `Move ${path} away, or take it out of the ignore files.`,
  });
