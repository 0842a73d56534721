// The difference of two texts in the form that `patch -p1` takes.
import { formatPatch, OMIT_HEADERS, type StructuredPatchHunk, structuredPatch } from 'diff';
import { linesOf, mostEdits } from './lines.ts';

/** A side that is undefined is no file at all. Empty where both have the same lines. */
export function unifiedDiff(file: string, before: string | undefined, after: string | undefined): string {
  const old = before ?? '';
  const now = after ?? '';
  if (old === now) return '';
  const hunks = structuredPatch(file, file, old, now, '', '', { context: 3, maxEditLength: mostEdits })
    ?.hunks ?? [wholeHunk(old, now)];
  const body = formatPatch(
    { oldFileName: file, newFileName: file, oldHeader: '', newHeader: '', hunks },
    OMIT_HEADERS,
  );
  // Behind a name with a space, patch looks for a tab before it takes the name as it is.
  const tab = file.includes(' ') ? '\t' : '';
  const oldName = before === undefined ? '/dev/null' : `a/${file}${tab}`;
  const newName = after === undefined ? '/dev/null' : `b/${file}${tab}`;
  return `--- ${oldName}\n+++ ${newName}\n${body}`;
}

/** Everything out and everything in, where looking for what stayed would take too long. */
function wholeHunk(old: string, now: string): StructuredPatchHunk {
  const signed = (sign: string, text: string) =>
    linesOf(text).flatMap((line) =>
      line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'],
    );
  return {
    oldStart: 1,
    oldLines: linesOf(old).length,
    newStart: 1,
    newLines: linesOf(now).length,
    lines: [...signed('-', old), ...signed('+', now)],
  };
}
