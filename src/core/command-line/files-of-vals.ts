import { resolve } from 'node:path';
import { NotFoundError, undefinedIf } from '../errors.ts';
import { nameFrom } from '../files/val-names.ts';
import { createDirectory } from '../find-val/directory.ts';
import { findNamed, type ReadVal } from '../find-val/find-val.ts';
import type { Api } from '../http/api.ts';
import { isFile } from '../lib/paths.ts';
import type { FindFile, Run } from './command.ts';

/** What a val is found with. */
export const lookup = ({ settings, vals: { seen, directory }, api }: Run) => ({
  settings,
  seen,
  directory,
  connect: () => api(),
});

export const openFiles = async (run: Run): Promise<FindFile> =>
  run.host.tree.openFiles?.(run) ?? (async (word) => plainFile(run, word));

function plainFile({ settings }: Run, path: string): Awaited<ReturnType<FindFile>> {
  const name = isFile(resolve(settings.cwd, path)) ? nameFrom(path) : undefined;
  return name === undefined ? undefined : { path, name, recordedId: undefined };
}

/** The val that a push of the file would update, as the service has it now. */
export async function readValOfFile(
  run: Run,
  path: string,
  connect: () => Promise<Api>,
): Promise<(ReadVal & { id: string }) | undefined> {
  const file = await (await openFiles(run))(path);
  if (file === undefined) return undefined;
  const { seen } = run.vals;
  const options = { ...lookup(run), connect, directory: createDirectory(connect, seen), isForWriting: true };
  const found = await findNamed(file.name, options, file.recordedId).catch(undefinedIf(NotFoundError));
  return found?.read && { id: found.id, ...found.read };
}
