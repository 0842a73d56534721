// Whether one side of a conflict already has the change of the other, by a trial merge.
import { withPlainLineEnds } from '../../core/lib/vals.ts';
import { mergeTexts } from '../git/merge-file.ts';

export interface Difference {
  from: string;
  to: string;
}

/** Whether a text has what changed between two others: merging that leaves it as it is. Undefined without git. */
export async function contains(
  text: string,
  { from, to }: Difference,
  env: NodeJS.ProcessEnv,
): Promise<boolean | undefined> {
  const here = withPlainLineEnds(text);
  const base = withPlainLineEnds(from);
  const there = withPlainLineEnds(to);
  if (here === there || base === there) return true;
  // git merges no binary files, for which it takes those with this character.
  if (here === base || [here, base, there].some((each) => each.includes('\0'))) return false;
  const merged = await mergeTexts({ here, base, there }, env);
  return merged && !merged.hasConflicts && merged.text === here;
}
