// A push begins only if all its files can be sent.
import { refuseBatch, type Wording } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import type { ValsError } from '../../errors.ts';
import type { OutcomesResult } from '../../terminal/result.ts';
import { createAnnotations } from './github.ts';

export interface PushedFile {
  file: string;
  name: string;
}

export const pushWording = ({ say }: Pick<Context, 'say'>): Wording => ({
  say,
  verb: 'pushed',
  things: 'vals',
});

/** Undefined if no file has a failure. */
export function refuseFiles(
  context: Context,
  files: readonly PushedFile[],
  failures: ReadonlyMap<PushedFile, ValsError>,
): OutcomesResult | undefined {
  if (failures.size === 0) return undefined;
  const annotate = createAnnotations(context);
  for (const [{ file }, error] of failures) annotate(file, error);
  const tasks = files.map((each) => ({
    row: { file: each.file, name: each.name },
    label: each.file,
    error: failures.get(each),
  }));
  return refuseBatch(tasks, { ...pushWording(context), consequence: 'Nothing was sent.' });
}
