import { dirname } from 'node:path';
import { ConflictError, LocalError, NotFoundError, type ValsError } from '../errors.ts';
import { grouped } from '../lib/grouped.ts';
import type { Hint } from '../lib/hint.ts';
import type { Outcome } from '../lib/outcome.ts';
import { fold, nameProblem, pathProblem } from './disk/file-names.ts';
import { namesBelow, readBelow } from './disk/files.ts';
import { replaceBelow } from './disk/write-files.ts';
import { type PullOptions, writable } from './pull-val.ts';
import { recordAfter } from './records/val-records.ts';
import { idAndVersion, type RemoteVals } from './remote-vals.ts';
import { inOtherProject } from './sources/nested-project.ts';
import { codeState } from './state.ts';
import { nameOf, pathTo, relativeTo, type Workspace } from './workspace.ts';

export interface AdoptOptions extends PullOptions {
  file: string | undefined;
}

/** Adds vals of the service to the workspace. */
export function createAdopter(workspace: Workspace) {
  const findOtherSpelling = createSpellingFinder(workspace.root);
  const adoptedIds = new Map<string, string>();

  return async (remotes: RemoteVals, id: string, options: AdoptOptions): Promise<Outcome> => {
    const { force, dryRun } = options;
    const { remote } = await remotes.read(id);
    if (remote === undefined) {
      throw new NotFoundError(
        `There is no val ${id} on ${nameOf(workspace.service)}, or you are not allowed to read the val.`,
        { hint: { text: 'To list your vals', command: 'ls' } },
      );
    }
    const { root, records } = workspace;
    const name = remote.name ?? id;
    const file =
      options.file === undefined ? fileFor(workspace, name, id) : chosenFile(workspace, options.file);
    const path = pathTo(workspace, file);
    const otherId = adoptedIds.get(name);
    if (otherId !== undefined && otherId !== id) throw twoValsOfOneName({ name, id }, otherId);
    refuseTakenFileOrName(workspace, { name, file, id });
    if (options.isInOtherProject(file)) throw inOtherProject(path, 'pull');
    const otherSpelling = findOtherSpelling(file);
    if (otherSpelling !== undefined) {
      throw fileTaken(
        { name, file: path, id },
        `${pathTo(workspace, otherSpelling)} exists, and on some systems the two names mean the same file`,
      );
    }
    const here = readBelow(root, file, path);
    const record = records.of({ file, name, id });
    const state = codeState(
      { here, record: record?.code, there: remote.code },
      { wasThere: true, isOlder: false, isNameUnknown: false },
    );
    // With a record without an id, a push sent the code before, and the service did not tell the id.
    const stays = state === 'unchanged' || (state === 'changed here' && !force);
    if (!stays && (state === 'conflict' || state === 'differs') && !force) {
      throw fileExists({ name, file: path, id }, workspace.vals.ofFile(file) !== undefined);
    }
    const outcome = { file: path, name, ...idAndVersion(id, remote.version) };
    adoptedIds.set(name, id);
    if (dryRun) return { ...outcome, status: 'planned' };
    const { version, changedAt } = remote;
    const code = writable(remote, remote.name ?? path);
    const writeRecord = () =>
      records.write(recordAfter(record, { file, id, name, version, changedAt, code }));
    // For a new file, the record must be written first, so that after a crash the next pull knows that a pull wrote the
    // file. For an existing file it comes last. Otherwise, after a crash, the old code would look like an edit.
    if (here === undefined) writeRecord();
    if (!stays) {
      if (here !== undefined) options.backup.keep(file, here);
      replaceBelow(root, file, code, here, path);
    }
    if (here !== undefined) writeRecord();
    workspace.remember({ file, name, id }, workspace.vals.ofFile(file)?.id);
    return { ...outcome, status: stays && here !== remote.code ? 'kept' : 'pulled' };
  };
}

/** Does not cut the name, because a token that is cut in half would not be recognized and hidden. */
export const quoted = (name: string): string => `"${name}"`;

const pullInto = (text: string, id: string): Hint => ({
  text,
  command: 'pull',
  input: { vals: [id], file: true },
});

/** The file that a val gets if the user chooses none. */
export const fileOfName = (name: string): string => `${name}.ts`;

function fileFor({ vals }: Workspace, name: string, id: string): string {
  const listed = vals.ofName(name);
  if (listed !== undefined && listed.id === undefined) return listed.file;
  const file = fileOfName(name);
  // A shell command such as `tar *` would treat a file name that begins with - as an option.
  const problem = nameProblem(name) ?? (name.startsWith('-') ? 'begins with -' : undefined);
  if (problem === undefined) return file;
  throw new LocalError(`${quoted(name)} cannot be a file name: the name ${problem}.`, {
    hint: pullInto('To pull the val into a file that you choose', id),
  });
}

function chosenFile(workspace: Workspace, path: string): string {
  const file = relativeTo(workspace, path);
  const problem = pathProblem(file);
  if (problem === undefined) return file;
  throw new LocalError(`--file ${path} cannot be a val's file: its path ${problem}.`, {
    hint: 'Choose a file in the folder of vals.json, or in a folder below it.',
  });
}

interface Adopted {
  name: string;
  file: string;
  id: string;
}

const fileTaken = ({ name, file, id }: Adopted, problem: string): LocalError =>
  new LocalError(`${quoted(name)} cannot be written to the file ${file}: ${problem}.`, {
    hint: pullInto('To pull the val into another file', id),
  });

const twoValsOfOneName = ({ name, id }: Pick<Adopted, 'name' | 'id'>, otherId: string): ConflictError =>
  new ConflictError(
    `The val ${id} was not pulled, because the service has another val named ${quoted(name)}: ${otherId}. vals.json cannot have two vals of one name.`,
    { hint: { text: 'To give the val another name', command: 'val set', input: { val: id, name: true } } },
  );

function fileExists({ name, file, id }: Adopted, isFileOfVal: boolean): ValsError {
  const message = `${quoted(name)} cannot be written to the file ${file}: the file exists and has different code.`;
  const hint = [
    pullInto('To pull the val into another file', id),
    { text: 'To overwrite the file and keep a copy of it', input: { force: true } },
  ];
  return isFileOfVal ? new ConflictError(message, { hint }) : new LocalError(message, { hint });
}

function refuseTakenFileOrName(workspace: Workspace, val: Adopted): void {
  const { name, file, id } = val;
  const { vals } = workspace;
  const path = (each: string) => pathTo(workspace, each);
  const other = vals.ofFoldedFile(fold(file));
  if (other !== undefined && other.name !== name) {
    const problem = `${path(other.file)} is the file of the val ${quoted(other.name)}`;
    throw fileTaken({ name, file: path(file), id }, problem);
  }
  const sameName = vals.ofName(name);
  if (sameName === undefined || sameName.file === file) return;
  throw new ConflictError(
    `The val ${quoted(name)} cannot be added to vals.json, because vals.json already has that name for ${path(sameName.file)}.`,
    { hint: `In vals.json, give the val of ${path(sameName.file)} another name.` },
  );
}

function createSpellingFinder(root: string): (file: string) => string | undefined {
  const pathsByFolder = new Map<string, Map<string, string[]>>();

  function pathsIn(folder: string): Map<string, string[]> {
    const known = pathsByFolder.get(folder);
    if (known !== undefined) return known;
    const names = namesBelow(root, folder === '.' ? '' : folder);
    const paths = grouped(
      names.map((name) => (folder === '.' ? name : `${folder}/${name}`)),
      fold,
    );
    pathsByFolder.set(folder, paths);
    return paths;
  }

  function findOtherSpelling(path: string): string | undefined {
    const folder = dirname(path);
    const otherFolder = folder === '.' ? undefined : findOtherSpelling(folder);
    if (otherFolder !== undefined) return otherFolder;
    const sameWhenFolded = pathsIn(folder).get(fold(path)) ?? [];
    return sameWhenFolded.find((each) => each !== path);
  }

  return findOtherSpelling;
}
