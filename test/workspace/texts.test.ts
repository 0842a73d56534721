import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../src/core/files/unified-diff.ts';
import { hasConflictMarkers, merge } from '../../src/workspace/merge.ts';
import { budget, isLong } from '../support/cases.ts';
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

describe('merge', () => {
  const base = '1\n2\n3\n4\n5\n';
  it.each<[string, string | undefined, string, string, string, number]>([
    ['changes in different places', base, 'X\n2\n3\n4\n5\n', '1\n2\n3\n4\nY\n', 'X\n2\n3\n4\nY\n', 0],
    ['additions and removals apart', base, '0\n1\n2\n3\n4\n5\n', '1\n2\n3\n4\n', '0\n1\n2\n3\n4\n', 0],
    [
      'one line changed in two ways',
      base,
      '1\n2\nX\n4\n5\n',
      '1\n2\nY\n4\n5\n',
      '1\n2\n<<<<<<< here\nX\n=======\nY\n>>>>>>> there\n4\n5\n',
      1,
    ],
    [
      'a conflict at an end without a line end',
      '1\n2',
      '1\nX',
      '1\nY',
      '1\n<<<<<<< here\nX\n=======\nY\n>>>>>>> there\n',
      1,
    ],
    [
      'a conflict among CRLF',
      '1\r\n2\r\n',
      '1\r\nX\r\n',
      '1\r\nY\r\n',
      '1\r\n<<<<<<< here\r\nX\r\n=======\r\nY\r\n>>>>>>> there\r\n',
      1,
    ],
    [
      'no base',
      undefined,
      '1\nX\n3\n',
      '1\n3\n4\n',
      '1\n<<<<<<< here\nX\n=======\n>>>>>>> there\n3\n<<<<<<< here\n=======\n4\n>>>>>>> there\n',
      2,
    ],
  ])('%s', (_what, base, here, there, text, conflicts) => {
    expect(merge(base, here, there)).toEqual({ text, conflicts });
    expect(hasConflictMarkers(text)).toBe(conflicts > 0);
  });

  it('marks of git have seven signs, or more if both sides renamed the file', () => {
    const marked = (count: number) =>
      `${'<'.repeat(count)} HEAD:kappa.ts\na\n${'='.repeat(count)}\nb\n${'>'.repeat(count)} feature:lambda.ts\n`;
    expect([6, 7, 8, 9].map((count) => hasConflictMarkers(marked(count)))).toEqual([false, true, true, true]);
  });

  const manyLines = isLong ? 100_000 : 20_000;
  it(`of texts of ${manyLines} lines does not overflow the stack`, () => {
    const numbered = (word: string) =>
      Array.from({ length: manyLines }, (_, index) => `${word} ${index}\n`).join('');
    const [base, here, there] = [numbered('base'), numbered('here'), numbered('there')];
    const both = `<<<<<<< here\n${here}=======\n${there}>>>>>>> there\n`;
    expect(merge(base, here, there)).toEqual({ text: both, conflicts: 1 });
    expect(merge(undefined, here, there)).toEqual({ text: both, conflicts: 1 });
    expect(merge(base, `${base}end\n`, `start\n${base}`)).toEqual({
      text: `start\n${base}end\n`,
      conflicts: 0,
    });
  });

  it('takes the change of one side, and is symmetric, for any three texts', () => {
    fc.assert(
      fc.property(text, text, text, (base, here, there) => {
        expect(merge(base, here, base)).toEqual({ text: here, conflicts: 0 });
        expect(merge(base, base, there)).toEqual({ text: there, conflicts: 0 });
        expect(merge(base, here, here)).toEqual({ text: here, conflicts: 0 });
        const merged = merge(base, here, there);
        const mirrored = merge(base, there, here);
        expect(mirrored.conflicts).toBe(merged.conflicts);
        if (merged.conflicts === 0) expect(mirrored.text).toBe(merged.text);
      }),
      { numRuns: budget(150), seed: 20_261_115 },
    );
  });

  it('gives the same text as git if git merges without a conflict', () => {
    const folder = temporaryFolder();
    const names = ['here', 'base', 'there'];
    let clean = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(19), fc.boolean()), { minLength: 1, maxLength: 4 }), (edits) => {
        const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
        const edited = (isHere: boolean) =>
          lines.map((line, index) =>
            edits.some(([at, here]) => at === index && here === isHere) ? `${isHere} ${line}` : line,
          );
        const texts = [edited(true), lines, edited(false)].map((all) => all.join(''));
        for (const [index, name] of names.entries()) writeFileSync(join(folder, name), texts[index] ?? '');
        let gits: string;
        try {
          gits = execFileSync('git', ['merge-file', '-p', ...names], {
            cwd: folder,
            stdio: 'pipe',
          }).toString();
        } catch {
          return;
        }
        clean += 1;
        const [here = '', base = '', there = ''] = texts;
        expect(merge(base, here, there)).toEqual({ text: gits, conflicts: 0 });
      }),
      { numRuns: budget(15), seed: 20_261_115 },
    );
    expect(clean).toBeGreaterThan(5);
  });
});
