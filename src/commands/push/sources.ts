// Which files a push is about, and their code: all of it is read and checked before anything is sent.
import { noneBegun } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { LocalError, UsageError, type ValsError } from '../../errors.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import { checkName, checkSizes } from '../../workspace/sources/limits.ts';
import { collectFiles, refuseTwins, type Source } from '../../workspace/sources/walk.ts';
import type { PushSource, Tracker } from './tracker.ts';

export interface Loaded extends PushSource {
  /** Undefined where the file of a val is gone. */
  code(): Promise<string | undefined>;
}

/** What names a source in its outcome. */
export const describe = ({ file, name }: Source) => ({ file, name });
export const label = ({ file }: Source) => file;

export async function chooseSources(
  { settings, say }: Context,
  tracker: Tracker,
  paths: readonly string[],
  name: string | undefined,
): Promise<PushSource[]> {
  if (paths.length === 0) return tracker.all();
  if (paths.includes('')) {
    throw new UsageError('A path is empty.', {
      hint: 'A variable may be unset. Name a file or a folder; . is the one that you are in.',
    });
  }
  if (name === undefined) {
    if (paths.includes('-')) {
      throw new UsageError('Standard input has no name.', { hint: 'Give one: `vals push - --name hello`.' });
    }
    const files = await collectFiles(paths.map(tracker.pathOf), settings.cwd, say.warn);
    const sources = files.map(tracker.sourceOf);
    refuseTwins(sources);
    return sources;
  }
  if (paths.length > 1)
    throw new UsageError('--name is for one path.', { hint: 'Push the paths one by one.' });
  const files = await collectFiles(paths, settings.cwd, say.warn);
  if (files.length > 1) {
    throw new UsageError(`--name is for one file, and ${paths[0]} has ${files.length}.`, {
      hint: 'Name one of them.',
    });
  }
  return files.map((found) => ({ ...found, name, isNamed: true }));
}

/** So many characters of code are kept in memory; what lies beyond is read once more when its turn comes. */
const mostKept = 8 * 1024 * 1024;

/** The sources with their code, or what became of them where one cannot be read, so that none is sent. */
export async function loadAll(
  { say }: Context,
  tracker: Tracker,
  sources: readonly PushSource[],
  onFailure: (source: PushSource, error: ValsError) => void,
): Promise<Loaded[] | OutcomesResult> {
  const loaded: Loaded[] = [];
  const warnings: string[] = [];
  const failures = new Map<PushSource, ValsError>();
  let kept = 0;
  for (const source of sources) {
    try {
      const code = await tracker.read(source);
      if (code !== undefined) {
        checkName(source.name, (warning) => warnings.push(warning));
        checkSizes({ code }, source.file, (warning) => warnings.push(warning));
      }
      const length = code?.length ?? 0;
      const isKept = kept + length <= mostKept || !canReadAgain(source);
      if (isKept) kept += length;
      loaded.push({ ...source, code: isKept ? keep(code) : () => tracker.read(source) });
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      failures.set(source, error);
      onFailure(source, error);
    }
  }
  if (failures.size > 0) return noneBegun(sources, failures, { describe, report: { label, say } });
  for (const warning of warnings) say.warn(warning);
  return loaded;
}

/** Apart, because functions that are made together keep alive whatever one of them uses. */
const keep = (code: string | undefined) => async () => code;

/** Plain files that were found in a folder or in the workspace: what was named may be a pipe. */
const canReadAgain = ({ found, val }: PushSource): boolean => found !== undefined || val !== undefined;
