import type { Context } from '../../cli/context.ts';
import { type Remarked, summarizeRemarks } from '../../cli/failures.ts';
import type { Problem } from '../../errors.ts';
import type { Remark } from '../../workspace/carry-out.ts';
import { firstRelativeImport, relativeImportWarning } from '../../workspace/sources/relative-imports.ts';

interface RemarkedVal {
  file: string;
  name: string;
  remarks: readonly Remark[];
}

/** Warns of what a push met, the same remark about several files once. */
export function warnOfRemarks({ say }: Pick<Context, 'say'>, vals: readonly RemarkedVal[]): void {
  const remarked = vals.flatMap((val) =>
    val.remarks.map(
      (remark): Remarked => ({ remark: { subject: val.file, problem: problemOf(val, remark) }, hints: [] }),
    ),
  );
  for (const text of summarizeRemarks(remarked)) say({ kind: 'warning', text });
}

function problemOf({ name }: RemarkedVal, remark: Remark): Problem {
  switch (remark.kind) {
    case 'sent with markers':
      return {
        one: 'was pushed with conflict markers in the code',
        many: 'were pushed with conflict markers in the code',
      };
    case 'replaced':
      return `replaced the code of the val "${name}", which the service already had. The older versions are kept`;
    case 'not renamed':
      return `has a new val, because the service cannot rename "${remark.nameBefore}"`;
  }
}

/** A val on the service is a single file, so an import of another file cannot work there. */
export function warnOfImports(
  { say }: Pick<Context, 'say'>,
  sent: readonly { file: string; code?: string | undefined }[],
): void {
  const found = sent.flatMap(({ file, code = '' }) => {
    const specifier = firstRelativeImport(code);
    return specifier === undefined ? [] : [{ file, specifier }];
  });
  const text = relativeImportWarning(found);
  if (text !== undefined) say({ kind: 'warning', text });
}
