// Adds a val that the workspace does not have yet. Its name comes from the service and is checked before it becomes a path.
import { dirname } from 'node:path';
import { ConflictError, LocalError, NotFoundError } from '../errors.ts';
import type { Outcome } from '../lib/outcome.ts';
import { shell } from '../lib/shell-command.ts';
import { fold, nameProblem, pathProblem } from './disk/file-names.ts';
import { namesBelow, readBelow } from './disk/files.ts';
import { replaceBelow } from './disk/write-files.ts';
import { type PullOptions, tokenInFile, writable } from './pull-val.ts';
import { idAndVersion, type RemoteVals } from './remote-vals.ts';
import { nameOf, relativeTo, type Workspace } from './workspace.ts';

export interface AdoptOptions extends PullOptions {
  /** The file that the user chose with --file. */
  file: string | undefined;
}

/** Returns a function that adds one val. Each folder is listed once for all vals. */
export function createAdopter(workspace: Workspace, remotes: RemoteVals) {
  const findTwin = createTwinFinder(workspace.root);

  return async (id: string, options: AdoptOptions): Promise<Outcome> => {
    const { force, dryRun, backup, remark, holdsToken } = options;
    const { remote } = await remotes.read(id);
    if (remote === undefined) {
      throw new NotFoundError(
        `There is no val ${id} on ${nameOf(workspace.service)}, or you may not read it.`,
        {
          hint: '`vals ls` lists your vals.',
        },
      );
    }
    const { root, bases } = workspace;
    const name = remote.name ?? id;
    const file =
      options.file === undefined ? fileFor(workspace, name, id) : chosenFile(workspace, options.file);
    refuseTaken(workspace, { name, file, id });
    const twin = findTwin(file);
    if (twin !== undefined) throw fileTaken({ name, file, id }, `on some systems, ${twin} is the same file`);
    const here = readBelow(root, file);
    // This folder pushed the same code, but the service sent no id. The file was edited since, and the edit is kept.
    const isEdited = bases.read({ name })?.code === remote.code && !force;
    const stays = here === remote.code || (here !== undefined && isEdited);
    // An interrupted pull wrote this file, and nobody edited it since.
    const isLeftover = here !== undefined && bases.read({ id, name })?.code === here;
    if (here !== undefined && !stays && !isLeftover && !force) {
      // If the file is a val of the workspace, two vals compete for it. Any other file is only in the way.
      const Kind = workspace.vals.ofFile(file) === undefined ? LocalError : ConflictError;
      throw new Kind(`${quoted(name)} cannot be written to ${file}: the file exists and has other code.`, {
        hint: `${byHand(id)} chooses another file; --force overwrites it and keeps a copy.`,
      });
    }
    const outcome = { file, name, ...idAndVersion(id, remote.version) };
    if (dryRun) return { ...outcome, status: 'planned' };
    // The base is written first, so that an interrupted pull can be recognised by it. The id is written last, so that a
    // known id always has a base.
    const content = writable(remote, { name });
    bases.write({ id, name }, remote);
    if (!stays) {
      if (holdsToken(remote.code)) remark(tokenInFile(file));
      if (here !== undefined && !isLeftover) backup.keep(file, here);
      replaceBelow(root, file, content, { content: here });
    }
    workspace.remember({ file, name, id });
    return { ...outcome, status: stays && here !== remote.code ? 'kept' : 'pulled' };
  };
}

/** A name for a message, shortened if it is long. */
export const quoted = (name: string): string => `"${name.length > 60 ? `${name.slice(0, 60)}…` : name}"`;

const byHand = (id: string): string => shell`vals pull ${id} --file <path>`;

/** The file that vals.json has for the name, or else a file with that name. */
function fileFor({ vals }: Workspace, name: string, id: string): string {
  const listed = vals.ofName(name);
  if (listed !== undefined && listed.id === undefined) return listed.file;
  const file = `${name}.ts`;
  const problem = nameProblem(name) ?? nameProblem(file) ?? dangerOf(name);
  if (problem === undefined) return file;
  throw new LocalError(`${quoted(name)} cannot be written to a file of that name: the name ${problem}.`, {
    hint: `${byHand(id)} chooses the file.`,
  });
}

/** Why a file of that name could do harm. Only a person may choose such a name, with --file. */
function dangerOf(name: string): string | undefined {
  // A command such as `tar *` would take the file name for an option.
  if (name.startsWith('-')) return 'begins with -';
  // Build tools run files such as vite.config.ts or gulpfile.ts.
  const isRunByTools =
    name.includes('.') || /^(?:gulp|grunt|jake|cake|danger|knex)file$|^setup_?tests$|^ormconfig$/i.test(name);
  return isRunByTools ? 'belongs to a file that tools may run' : undefined;
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
  new LocalError(`${quoted(name)} cannot be written to ${file}: ${problem}.`, {
    hint: `${byHand(id)} chooses another file.`,
  });

/** Throws if another val has the file or the name. */
function refuseTaken({ vals }: Workspace, val: Adopted): void {
  const { name, file } = val;
  const other = vals.ofFoldedFile(fold(file));
  if (other !== undefined && other.name !== name) {
    throw fileTaken(val, `${other.file} is the file of the val ${quoted(other.name)}`);
  }
  const sameName = vals.ofName(name);
  if (sameName === undefined || sameName.file === file) return;
  throw new ConflictError(
    `${quoted(name)} is already the name of a val in this workspace: ${sameName.file}.`,
    {
      hint: 'Give that val another name in vals.json first.',
    },
  );
}

/** Finds a file or folder with another spelling of the path, such as a.ts for A.ts, which is one file on some systems. */
function createTwinFinder(root: string): (file: string) => string | undefined {
  const pathsByFolder = new Map<string, Map<string, string[]>>();

  function pathsIn(folder: string): Map<string, string[]> {
    const known = pathsByFolder.get(folder);
    if (known !== undefined) return known;
    const paths = new Map<string, string[]>();
    for (const name of namesBelow(root, folder === '.' ? '' : folder)) {
      const path = folder === '.' ? name : `${folder}/${name}`;
      paths.set(fold(path), [...(paths.get(fold(path)) ?? []), path]);
    }
    pathsByFolder.set(folder, paths);
    return paths;
  }

  return function findTwin(file): string | undefined {
    const folder = dirname(file);
    const twin = folder === '.' ? undefined : findTwin(folder);
    return (
      twin ??
      pathsIn(folder)
        .get(fold(file))
        ?.find((path) => path !== file)
    );
  };
}
