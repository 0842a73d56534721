import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasConflictMarkers } from '../../src/core/files/conflict-markers.ts';
import { unifiedDiff } from '../../src/core/files/unified-diff.ts';
import { mergeTexts } from '../../src/workspace/git/merge-file.ts';
import { budget } from '../support/cases.ts';
import { temporaryFolder } from '../support/program.ts';

const lines = ['a\n', 'b\n', '\n', 'c\r\n', 'é\u2028\n', '-- d\n', '+e\r\n', '@@ f\n', '\t g\n', '\\ h\n'];
const line = fc.constantFrom(...lines);
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('', 'end', 'end\r', '\u0000x'))
  .map(([lines, end]) => lines.join('') + end);

function patched(folder: string, file: string, before: string | undefined, diff: string): string | undefined {
  const path = join(folder, file);
  rmSync(path, { force: true });
  if (before !== undefined) writeFileSync(path, before);
  execFileSync('patch', ['-p1', '--silent', '--binary', '--no-backup-if-mismatch'], {
    cwd: folder,
    input: diff,
  });
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

describe('unifiedDiff', () => {
  it.each<[string, string | undefined, string | undefined]>([
    ['a new file', undefined, 'a\nb\n'],
    ['a new file without an end of line', undefined, 'a'],
    ['a file that is gone', 'a\nb\n', undefined],
    ['next to nothing in common', 'x\n'.repeat(1_100), 'y\nz\n'.repeat(500)],
  ])('%s', (_what, before, after) => {
    const folder = temporaryFolder();
    const diff = unifiedDiff('hello world.ts', before, after);
    expect(diff).toMatch(/^--- .*\n\+\+\+ .*\n@@ /);
    // The tool patch removes a file that becomes empty, so a missing file counts as empty.
    expect(patched(folder, 'hello world.ts', before, diff) ?? '').toBe(after ?? '');
  });

  it('patch -p1 applies the diff of any two texts', () => {
    const folder = temporaryFolder();
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = unifiedDiff('a.ts', before, after);
        if (before === after) return diff === '';
        return (patched(folder, 'a.ts', before, diff) ?? '') === after;
      }),
      { numRuns: budget(15), seed: 20_261_115 },
    );
  });
});

describe('a merge of three texts', () => {
  const base = '1\n2\n3\n4\n5\n';
  it.each<[string, string, string, string, string]>([
    ['changes in different places', base, 'X\n2\n3\n4\n5\n', '1\n2\n3\n4\nY\n', 'X\n2\n3\n4\nY\n'],
    [
      'one line changed in two ways',
      base,
      '1\n2\nX\n4\n5\n',
      '1\n2\nY\n4\n5\n',
      '1\n2\n<<<<<<< here\nX\n=======\nY\n>>>>>>> there\n4\n5\n',
    ],
    [
      'a conflict among CRLF',
      '1\r\n2\r\n',
      '1\r\nX\r\n',
      '1\r\nY\r\n',
      '1\r\n<<<<<<< here\r\nX\r\n=======\r\nY\r\n>>>>>>> there\r\n',
    ],
    ['no base', '', 'a\n', 'b\n', '<<<<<<< here\na\n=======\nb\n>>>>>>> there\n'],
  ])('%s', async (_what, base, here, there, text) => {
    const hasConflicts = text.includes('<<<');
    expect(await mergeTexts({ base, here, there }, process.env)).toEqual({ text, hasConflicts });
    expect(hasConflictMarkers(text)).toBe(hasConflicts);
  });

  it('is not there without git', async () => {
    expect(await mergeTexts({ base, here: '', there: '' }, { PATH: '' })).toBeUndefined();
  });
});

it('marks of git have seven signs, or more if both sides renamed the file', () => {
  const marked = (count: number) =>
    `${'<'.repeat(count)} HEAD:kappa.ts\na\n${'='.repeat(count)}\nb\n${'>'.repeat(count)} feature:lambda.ts\n`;
  expect([6, 7, 8, 9].map((count) => hasConflictMarkers(marked(count)))).toEqual([false, true, true, true]);
});
