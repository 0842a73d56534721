// Which files a push is about, each with its val, and their code: all of it is read before anything is sent.
import type { Context } from '../command.ts';
import { LocalError, UsageError, type ValsError } from '../errors.ts';
import { forEachAtMost, noneBegun } from '../several.ts';
import { notEmpty, readCode } from '../workspace/code.ts';
import { collectFiles, nameFrom, refuseTwins, type Source } from '../workspace/collect.ts';
import { readBelow } from '../workspace/files.ts';
import { checkName, checkSizes } from '../workspace/limits.ts';
import { selectVals } from '../workspace/select.ts';
import { fileBelow, type KnownVals, type WorkspaceVal } from '../workspace/workspace.ts';

/** A file, and the val of the workspace that it is, where it is one. */
interface Chosen extends Source {
  val?: WorkspaceVal;
  /** Named by the user, so that it must be there. */
  isNamed: boolean;
}

export interface Loaded extends Chosen {
  /** Undefined where the file of a val is gone. */
  code: string | undefined;
}

export async function chooseSources(
  context: Context,
  known: KnownVals | undefined,
  paths: readonly string[],
  name: string | undefined,
): Promise<Chosen[]> {
  const { warn } = context;
  if (known !== undefined && paths.length === 0) {
    const vals = await selectVals(known, [], warn);
    return vals.map((val) => ({ file: val.file, name: val.name, val, isNamed: false }));
  }
  if (name === undefined) {
    if (paths.includes('-')) {
      throw new UsageError('Standard input has no name.', { hint: 'Give one: `vals push - --name hello`.' });
    }
    const files = await collectFiles(paths, warn);
    const sources = files.map((file) => trackedSource(file, known));
    refuseTwins(sources);
    return sources;
  }
  if (paths.length > 1)
    throw new UsageError('--name is for one path.', { hint: 'Push the paths one by one.' });
  const files = await collectFiles(paths, warn);
  if (files.length > 1) {
    throw new UsageError(`--name is for one file, and ${paths[0]} has ${files.length}.`, {
      hint: 'Name one of them.',
    });
  }
  return files.map((file) => ({ file, name, isNamed: true }));
}

/** Below the root a file is the val that vals.json says, or a new one of the workspace. */
function trackedSource(file: string, known: KnownVals | undefined): Chosen {
  const plain = { file, name: nameFrom(file), isNamed: true };
  const place = known && fileBelow(known.root, file);
  if (known === undefined || place === undefined) return plain;
  const val = valFor(place, known);
  return { ...plain, name: val.name, val };
}

/** The val that vals.json has for a file, or the one that it would become. */
export function valFor(file: string, { vals }: KnownVals): WorkspaceVal {
  const known = vals.find((val) => val.file === file);
  if (known !== undefined) return known;
  const name = nameFrom(file);
  const namesake = vals.find((val) => val.name === name);
  if (namesake !== undefined) refuseTwins([namesake, { file, name }]);
  return { file, name, id: undefined };
}

export async function loadAll(
  context: Context,
  root: string | undefined,
  sources: readonly Chosen[],
  report: (file: string, error: ValsError) => void,
): Promise<Loaded[]> {
  const loaded: Loaded[] = [];
  const failures = new Map<Chosen, ValsError>();
  await forEachAtMost(16, sources, async (source, index) => {
    try {
      loaded[index] = { ...source, code: await load(context, root, source) };
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      failures.set(source, error);
      report(source.file, error);
    }
  });
  if (failures.size > 0) throw noneBegun(sources, failures, ({ file, name }) => ({ file, name }));
  for (const { name, code, file } of loaded) {
    if (code === undefined) continue;
    checkName(name, context.warn);
    checkSizes({ code }, file, context.warn);
  }
  return loaded;
}

async function load(
  context: Context,
  root: string | undefined,
  { file, val, isNamed }: Chosen,
): Promise<string | undefined> {
  if (root === undefined || val === undefined) return readCode(file, context);
  const code = readBelow(root, val.file);
  if (code !== undefined) return notEmpty(file, code);
  return isNamed ? readCode(file, context) : undefined;
}
