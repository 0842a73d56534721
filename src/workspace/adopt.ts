import { dirname } from 'node:path';
import { ConflictError, LocalError, NotFoundError, type ValsError } from '../errors.ts';
import type { Outcome } from '../lib/outcome.ts';
import { shell } from '../lib/shell-command.ts';
import { fold, nameProblem, pathProblem } from './disk/file-names.ts';
import { namesBelow, readBelow } from './disk/files.ts';
import { replaceBelow } from './disk/write-files.ts';
import { type PullOptions, tokenInFile, writable } from './pull-val.ts';
import { idAndVersion, type RemoteVals } from './remote-vals.ts';
import { inOtherProject } from './sources/nested-project.ts';
import { nameOf, relativeTo, type Workspace } from './workspace.ts';

export interface AdoptOptions extends PullOptions {
  file: string | undefined;
}

export function createAdopter(workspace: Workspace) {
  const findOtherSpelling = createSpellingFinder(workspace.root);
  const adoptedIds = new Map<string, string>();

  return async (remotes: RemoteVals, id: string, options: AdoptOptions): Promise<Outcome> => {
    const { force, dryRun, backup, remark, holdsToken } = options;
    const { remote } = await remotes.read(id);
    if (remote === undefined) {
      throw new NotFoundError(
        `There is no val ${id} on ${nameOf(workspace.service)}, or you are not allowed to read the val.`,
        { hint: 'To list your vals, run `vals ls`.' },
      );
    }
    const { root, bases } = workspace;
    const name = remote.name ?? id;
    const file =
      options.file === undefined ? fileFor(workspace, name, id) : chosenFile(workspace, options.file);
    const otherId = adoptedIds.get(name);
    if (otherId !== undefined && otherId !== id) throw twoValsOfOneName({ name, id }, otherId);
    refuseTakenFileOrName(workspace, { name, file, id });
    if (options.isInOtherProject(file)) throw inOtherProject(file, 'pull');
    const otherSpelling = findOtherSpelling(file);
    if (otherSpelling !== undefined) {
      throw fileTaken(
        { name, file, id },
        `${otherSpelling} exists, and on some systems the two names mean the same file`,
      );
    }
    const here = readBelow(root, file);
    const wasPushedFromHere = bases.read({ name })?.code === remote.code;
    const hasEdit = here !== undefined && wasPushedFromHere && !force;
    const stays = here === remote.code || hasEdit;
    const base = bases.read({ id, name });
    const wasWrittenByInterruptedPull = here !== undefined && base?.name !== undefined && base.code === here;
    if (here !== undefined && !stays && !wasWrittenByInterruptedPull && !force) {
      const isFileOfVal = workspace.vals.ofFile(file) !== undefined;
      throw fileExists({ name, file, id }, isFileOfVal);
    }
    const outcome = { file, name, ...idAndVersion(id, remote.version) };
    adoptedIds.set(name, id);
    if (dryRun) return { ...outcome, status: 'planned' };
    const content = writable(remote, { name });
    // `bases.write` must run before `replaceBelow`, so that after a crash the next pull knows that a pull
    // wrote the file.
    bases.write({ file, id, name }, { ...remote, name });
    if (!stays) {
      if (holdsToken(remote.code)) remark(tokenInFile(file));
      if (here !== undefined && !wasWrittenByInterruptedPull) backup.keep(file, here);
      replaceBelow(root, file, content, { content: here });
    }
    workspace.remember({ file, name, id }, workspace.vals.ofFile(file)?.id);
    return { ...outcome, status: stays && here !== remote.code ? 'kept' : 'pulled' };
  };
}

/** Does not cut the name, because a token that is cut in half would not be recognized and hidden. */
export const quoted = (name: string): string => `"${name}"`;

const pullInto = (id: string): string => shell`vals pull ${id} --file <path>`;

function fileFor({ vals }: Workspace, name: string, id: string): string {
  const listed = vals.ofName(name);
  if (listed !== undefined && listed.id === undefined) return listed.file;
  const file = `${name}.ts`;
  // The name comes from the service, and a hostile service could send a dangerous file name.
  const problem = nameProblem(name) ?? nameProblem(file) ?? dangerOf(name);
  if (problem === undefined) return file;
  throw new LocalError(`${quoted(name)} cannot be a file name: the name ${problem}.`, {
    hint: `To pull the val into a file that you choose, run ${pullInto(id)}.`,
  });
}

const runByTools: ReadonlySet<string> = new Set([
  'brocfile',
  'cakefile',
  'dangerfile',
  'gruntfile',
  'gulpfile',
  'jakefile',
  'knexfile',
  'plopfile',
  'codegen',
  'gatsby-browser',
  'gatsby-config',
  'gatsby-node',
  'gatsby-ssr',
  'instrumentation',
  'instrumentation-client',
  'keystone',
  'knip',
  'mdx-components',
  'medusa-config',
  'middleware',
  'ormconfig',
  'proxy',
  'serverless',
  'setup_tests',
  'setuptests',
  'wallaby',
]);

function dangerOf(name: string): string | undefined {
  // A shell command such as `tar *` would treat a file name that begins with - as an option.
  if (name.startsWith('-')) return 'begins with -';
  const isRunByTools = name.includes('.') || runByTools.has(fold(name));
  return isRunByTools ? 'may make build tools run the file' : undefined;
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
    hint: `To pull the val into another file, run ${pullInto(id)}.`,
  });

const twoValsOfOneName = ({ name, id }: Pick<Adopted, 'name' | 'id'>, otherId: string): ConflictError =>
  new ConflictError(
    `The val ${id} was not pulled, because the service has another val named ${quoted(name)}: ${otherId}. vals.json cannot have two vals of one name.`,
    { hint: `To give the val another name, run ${shell`vals val set ${id} --name <name>`}.` },
  );

function fileExists({ name, file, id }: Adopted, isFileOfVal: boolean): ValsError {
  const message = `${quoted(name)} cannot be written to the file ${file}: the file exists and has different code.`;
  const hint = `To pull the val into another file, run ${pullInto(id)}. To overwrite the file and keep a copy of it, add --force.`;
  return isFileOfVal ? new ConflictError(message, { hint }) : new LocalError(message, { hint });
}

function refuseTakenFileOrName({ vals }: Workspace, val: Adopted): void {
  const { name, file } = val;
  const other = vals.ofFoldedFile(fold(file));
  if (other !== undefined && other.name !== name) {
    throw fileTaken(val, `${other.file} is the file of the val ${quoted(other.name)}`);
  }
  const sameName = vals.ofName(name);
  if (sameName === undefined || sameName.file === file) return;
  throw new ConflictError(
    `The val ${quoted(name)} cannot be added to vals.json, because vals.json already has that name for ${sameName.file}.`,
    {
      hint: `In vals.json, give the val of ${sameName.file} another name.`,
    },
  );
}

function createSpellingFinder(root: string): (file: string) => string | undefined {
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

  function findOtherSpelling(path: string): string | undefined {
    const folder = dirname(path);
    const otherFolder = folder === '.' ? undefined : findOtherSpelling(folder);
    if (otherFolder !== undefined) return otherFolder;
    const sameWhenFolded = pathsIn(folder).get(fold(path)) ?? [];
    return sameWhenFolded.find((each) => each !== path);
  }

  return findOtherSpelling;
}
