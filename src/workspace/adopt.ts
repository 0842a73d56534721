// A val that the workspace does not know yet: its name comes from a service, so it is not trusted to be a path.
import { dirname } from 'node:path';
import { ConflictError, LocalError, NotFoundError } from '../errors.ts';
import type { Outcome } from '../lib/outcome.ts';
import { fold, nameProblem, pathProblem } from './disk/file-names.ts';
import { namesBelow, readBelow, replaceBelow } from './disk/files.ts';
import { type PullOptions, tokenInFile, writable } from './pull-val.ts';
import { identity, type RemoteVals } from './remote-vals.ts';
import { nameOf, relativeTo, type Workspace } from './workspace.ts';

export interface AdoptOptions extends PullOptions {
  /** Where the user wants it. */
  file: string | undefined;
}

export async function adopt(
  workspace: Workspace,
  remotes: RemoteVals,
  id: string,
  { file: wanted, force, dryRun, backup, remark, holdsToken }: AdoptOptions,
): Promise<Outcome> {
  const { remote } = await remotes.read(id);
  if (remote === undefined) {
    throw new NotFoundError(`There is no val ${id} on ${nameOf(workspace.service)}.`, {
      hint: 'It does not exist, or it is not yours.',
    });
  }
  const name = remote.name ?? id;
  const { root } = workspace;
  const file = wanted === undefined ? fileFor(workspace, name) : chosenFile(workspace, wanted);
  refuseTaken(workspace, name, file);
  const here = readBelow(root, file);
  // Sent from here without being told the id: an edit since then is one of ours, and is left.
  const isEdited = workspace.bases.read({ name })?.code === remote.code && !force;
  const stays = here === remote.code || (here !== undefined && isEdited);
  if (here !== undefined && !stays && !force) {
    // A val of the workspace has that name already; any other file is only in the way.
    const Kind = workspace.vals.ofFile(file) === undefined ? LocalError : ConflictError;
    throw new Kind(`${file} exists already, with other code than the val "${name}".`, {
      hint: 'Choose another file with --file <path>; --force overwrites it and keeps a copy.',
    });
  }
  const outcome = { file, name, ...identity(id, remote.version) };
  if (dryRun) return { ...outcome, status: 'planned' };
  if (!stays) {
    if (holdsToken(remote.code)) remark(tokenInFile(file));
    if (here !== undefined) backup.keep(file, here);
    replaceBelow(root, file, writable(remote, { name }), { content: here });
  }
  // The id last, so that a known id always has a base.
  workspace.bases.write({ id, name }, remote);
  workspace.remember({ file, name, id });
  return { ...outcome, status: stays && here !== remote.code ? 'kept' : 'pulled' };
}

const chooseAnother = 'Choose a file with --file <path>.';

/** The file that vals.json has for that name, or one with that name. */
function fileFor({ vals }: Workspace, name: string): string {
  const listed = vals.ofName(name);
  if (listed !== undefined && listed.id === undefined) return listed.file;
  const file = `${name}.ts`;
  const problem =
    nameProblem(name) ?? nameProblem(file) ?? (isRunByTools(name) ? 'is one that tools may run' : undefined);
  if (problem === undefined) return file;
  throw new LocalError(`The val "${shortened(name)}" cannot have a file of its name: the name ${problem}.`, {
    hint: chooseAnother,
  });
}

/** Such as vite.config.ts or gulpfile.ts: a service must not choose code that runs when a build starts. */
const isRunByTools = (name: string): boolean =>
  name.includes('.') || /^(?:gulp|grunt|jake|cake|danger)file$|^setup_?tests$/i.test(name);

const shortened = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name);

function chosenFile(workspace: Workspace, path: string): string {
  const file = relativeTo(workspace, path);
  const problem = pathProblem(file);
  if (problem === undefined) return file;
  throw new LocalError(`--file ${path} cannot be a val's file: its path ${problem}.`, {
    hint: 'Choose a plain file below the folder of vals.json.',
  });
}

/** Not onto another val's file, nor onto one that some systems take for the same. */
function refuseTaken({ root, vals }: Workspace, name: string, file: string): void {
  const other = [...vals].find((val) => fold(val.file) === fold(file) && val.name !== name);
  if (other !== undefined) {
    throw new LocalError(`The val "${name}" cannot be ${file}: ${other.file} is the val "${other.name}".`, {
      hint: chooseAnother,
    });
  }
  const namesake = vals.ofName(name);
  if (namesake !== undefined && namesake.file !== file) {
    throw new ConflictError(`The val "${name}" is in the workspace already, as ${namesake.file}.`, {
      hint: 'Give that val another name in vals.json first.',
    });
  }
  const twin = twinOf(root, file);
  if (twin !== undefined) {
    throw new LocalError(
      `The val "${name}" cannot be ${file}: ${twin} is one file with it on some systems.`,
      {
        hint: chooseAnother,
      },
    );
  }
}

/** Something whose path is written otherwise and still the same to some file systems. */
function twinOf(root: string, file: string): string | undefined {
  const folder = dirname(file);
  if (folder !== '.') {
    const twin = twinOf(root, folder);
    if (twin !== undefined) return twin;
  }
  const inFolder = (name: string) => (folder === '.' ? name : `${folder}/${name}`);
  return namesBelow(root, folder === '.' ? '' : folder)
    .map(inFolder)
    .find((path) => path !== file && fold(path) === fold(file));
}
