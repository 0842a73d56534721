// Which files a push is about, each with its val, and their code: all of it is read before anything is sent.
import type { Api } from '../../api/api.ts';
import { noneBegun } from '../../cli/batch.ts';
import type { Context } from '../../cli/command.ts';
import { LocalError, UsageError, type ValsError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { checkName, checkSizes } from '../../workspace/sources/limits.ts';
import { notEmpty, readCode } from '../../workspace/sources/read-text.ts';
import {
  collectFiles,
  type Found,
  nameFrom,
  readFound,
  refuseTwins,
  type Source,
} from '../../workspace/sources/walk.ts';
import type { WorkspaceVal } from '../../workspace/workspace.ts';

/** What a push has to know of the workspace it is in. */
export interface Tracker {
  /** Every val, new files included. */
  all(): Promise<WorkspaceVal[]>;
  /** The val that a path is; undefined outside of the workspace. */
  find(path: string): WorkspaceVal | undefined;
  /** The path of a val that is named by its name; any other word is one already. */
  pathOf(word: string): string;
  /** Undefined where its file is gone. */
  read(val: WorkspaceVal): string | undefined;
  push(api: Api, val: WorkspaceVal, code: string | undefined, options: SendOptions): Promise<JsonObject>;
}

export interface SendOptions {
  force: boolean;
  dryRun: boolean;
  /** Called where the service has something newer, and the file was not changed. */
  onBehind?(): void;
}

/** A file, and the val of the workspace that it is, where it is one. */
interface Chosen extends Source, Found {
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
  tracker: Tracker | undefined,
  paths: readonly string[],
  name: string | undefined,
): Promise<Chosen[]> {
  const { warn } = context;
  if (tracker !== undefined && paths.length === 0) {
    const vals = await tracker.all();
    return vals.map((val) => ({ file: val.file, name: val.name, val, isNamed: false }));
  }
  if (name === undefined) {
    if (paths.includes('-')) {
      throw new UsageError('Standard input has no name.', { hint: 'Give one: `vals push - --name hello`.' });
    }
    const files = await collectFiles(tracker ? paths.map(tracker.pathOf) : paths, warn);
    const sources = files.map((found) => {
      const val = tracker?.find(found.file);
      return { ...found, name: val?.name ?? nameFrom(found.file), isNamed: true, ...(val && { val }) };
    });
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
  return files.map((found) => ({ ...found, name, isNamed: true }));
}

export async function loadAll(
  context: Context,
  tracker: Tracker | undefined,
  sources: readonly Chosen[],
  report: (file: string, error: ValsError) => void,
): Promise<Loaded[]> {
  const loaded: Loaded[] = [];
  const failures = new Map<Chosen, ValsError>();
  for (const source of sources) {
    try {
      loaded.push({ ...source, code: await load(context, tracker, source) });
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      failures.set(source, error);
      report(source.file, error);
    }
  }
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
  tracker: Tracker | undefined,
  { file, found, val, isNamed }: Chosen,
): Promise<string | undefined> {
  if (tracker === undefined || val === undefined) {
    return found === undefined ? readCode(file, context) : readFound(file, found);
  }
  const code = tracker.read(val);
  if (code !== undefined) return notEmpty(file, code);
  return isNamed ? readCode(file, context) : undefined;
}
