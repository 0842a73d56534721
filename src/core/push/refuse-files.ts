// A push begins only if all its files can be sent.

import type { Context } from '../command-line/command.ts';
import type { ValsError } from '../errors.ts';
import { refuseBatch, type Wording } from '../failures/batch.ts';
import type { Rows } from '../output/out.ts';

export interface PushedFile {
  file: string;
  name: string;
}

export interface FailedFile extends PushedFile {
  /** Of a conflict. */
  reason?: string;
  error: ValsError;
}

export const pushWording = ({ out: { say } }: Pick<Context, 'out'>): Wording => ({
  say,
  verb: 'pushed',
  things: 'vals',
});

export function refuseFiles(
  context: Context,
  files: readonly PushedFile[],
  failed: readonly FailedFile[],
): Rows {
  const failures = new Map(
    failed.map(({ file, reason, error }) => [file, { ...(reason !== undefined && { reason }), error }]),
  );
  const tasks = files.map(({ file, name }) => ({
    row: { file, name },
    label: file,
    failure: failures.get(file),
  }));
  return refuseBatch(tasks, { ...pushWording(context), consequence: 'Nothing was sent.' });
}
