import { formatPatch, OMIT_HEADERS, type StructuredPatchHunk, structuredPatch } from 'diff';

export function unifiedDiff(file: string, before: string | undefined, after: string | undefined): string {
  // A name with a space needs a tab at its end, because `patch` would otherwise cut the name at the space.
  const tab = file.includes(' ') ? '\t' : '';
  return diffBetween(
    { label: before === undefined ? '/dev/null' : `a/${file}${tab}`, text: before ?? '' },
    { label: after === undefined ? '/dev/null' : `b/${file}${tab}`, text: after ?? '' },
  );
}

const mostEdits = 2_000;

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

interface Side {
  label: string;
  text: string;
}

export function diffBetween(old: Side, now: Side): string {
  if (old.text === now.text) return '';
  const options = { context: 3, maxEditLength: mostEdits };
  const patch = structuredPatch('', '', old.text, now.text, '', '', options) ?? {
    ...{ oldFileName: '', newFileName: '', oldHeader: '', newHeader: '' },
    hunks: [wholeHunk(old.text, now.text)],
  };
  return `--- ${old.label}\n+++ ${now.label}\n${formatPatch(patch, OMIT_HEADERS)}`;
}

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
