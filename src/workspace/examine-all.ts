import { forEach } from '../core/command-line/batch.ts';
import type { Run } from '../core/command-line/command.ts';
import { asValsError, InterruptedError, type ValsError } from '../core/errors.ts';
import { type Examined, examineFile, type FileToExamine } from './examine.ts';
import type { GitLimit } from './git-history.ts';
import type { Look } from './look.ts';
import { followRenames } from './missing.ts';
import { hintAtMissing } from './next-steps.ts';
import { recordSame } from './write-records.ts';

export interface ExaminedAll {
  /** In the order of the files. A file whose val could not be compared has its error. */
  results: (Examined | ValsError)[];
  /** One that concerns all vals: nothing more was asked. */
  failure: ValsError | undefined;
}

/** Compares files with their vals, and records what both sides have in common. */
export async function examineAll(
  { out: { say }, host: { signal } }: Pick<Run, 'out' | 'host'>,
  look: Look,
  files: readonly FileToExamine[],
): Promise<ExaminedAll> {
  const examined = new Map<FileToExamine, Examined>();
  const errors = new Map<FileToExamine, ValsError>();
  let failure: ValsError | undefined;
  let finished = 0;
  const show = () => say({ kind: 'progress', text: `Comparing ${finished} of ${files.length} vals` });
  show();
  await forEach(files, 'auto', async (file) => {
    if (failure !== undefined) return;
    try {
      const val = await examineFile(look, file);
      recordSame(look, val);
      examined.set(file, val);
    } catch (caught) {
      const error = asValsError(caught);
      if (error === signal.reason || error instanceof InterruptedError) throw error;
      if (error.scope === 'all') failure ??= error;
      errors.set(file, error);
    }
    finished += 1;
    show();
  });
  const compared = [...examined.values()];
  const followed = failure === undefined ? await followRenames(look, compared) : compared;
  const byFile = new Map(followed.map((val) => [val.file, val]));
  const results = files.map((file) => errors.get(file) ?? byFile.get(file.file) ?? failure);
  return { results: results.filter((each) => each !== undefined), failure };
}

/** Says why git cannot tell which files were deleted or renamed. */
export function noteLimit({ out: { say } }: Pick<Run, 'out'>, limit: GitLimit | undefined): void {
  for (const text of hintAtMissing(limit)) say({ kind: 'note', text });
}
