// The val of a file, for a feature that knows more of files, and without one.

import { resolve } from 'node:path';
import { NotFoundError, undefinedIf } from '../errors.ts';
import { nameFrom } from '../files/val-names.ts';
import { type ReadVal, readNamed } from '../find-val/identify.ts';
import type { Api } from '../http/api.ts';
import { isFile } from '../lib/paths.ts';
import type { FindFile, Run } from './command.ts';

/** What a val is found with. */
export const lookup = ({ host: { clock }, settings, vals: { seen }, api }: Run) => ({
  clock,
  settings,
  seen,
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
  options: { connect(): Promise<Api>; mostSeconds: number },
): Promise<ReadVal | undefined> {
  const file = await (await openFiles(run))(path);
  if (file === undefined) return undefined;
  const { name, recordedId } = file;
  return readNamed({ ...lookup(run), ...options }, name, recordedId).catch(undefinedIf(NotFoundError));
}
