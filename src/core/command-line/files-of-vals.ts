// The val of a file, for a feature that knows more of files, and without one.
import { resolve } from 'node:path';
import { NotFoundError, undefinedIf } from '../errors.ts';
import { nameFrom } from '../files/val-names.ts';
import { type ReadVal, readNamed } from '../find-val/identify.ts';
import type { Api } from '../http/api.ts';
import { isFile } from '../lib/paths.ts';
import type { FindFile } from './command-tree.ts';
import type { Context } from './context.ts';

export const openFiles = async (context: Context): Promise<FindFile> =>
  context.invocation.tree.openFiles?.(context) ?? (async (word) => plainFile(context, word));

function plainFile({ settings }: Context, path: string): Awaited<ReturnType<FindFile>> {
  const name = isFile(resolve(settings.cwd, path)) ? nameFrom(path) : undefined;
  return name === undefined ? undefined : { path, name, recordedId: undefined };
}

/** The val that a push of the file would update, as the service has it now. */
export async function readValOfFile(
  context: Context,
  path: string,
  options: { connect(): Promise<Api>; mostSeconds: number },
): Promise<ReadVal | undefined> {
  const file = await (await openFiles(context))(path);
  if (file === undefined) return undefined;
  const { name, recordedId } = file;
  return readNamed({ ...context, ...options }, name, recordedId).catch(undefinedIf(NotFoundError));
}
