import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasConflictMarkers } from '../../src/core/files/conflict-markers.ts';
import { unifiedDiff } from '../../src/core/files/unified-diff.ts';
import { budget } from '../support/cases.ts';
import { temporaryFolder } from '../support/program.ts';

const lines = ['a\n', 'b\n', '\n', 'c\r\n', 'é\u2028\n', '-- d\n', '+e\r\n', '@@ f\n', '\t g\n', '\\ h\n'];
const line = fc.constantFrom(...lines);
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('', 'end', 'end\r', '\u0000x'))
  .map(([lines, end]) => lines.join('') + end);

function patched(folder: string, file: string, before: string, diff: string): string | undefined {
  const path = join(folder, file);
  writeFileSync(path, before);
  execFileSync('patch', ['-p1', '--silent', '--binary', '--no-backup-if-mismatch'], {
    cwd: folder,
    input: diff,
  });
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

it('patch -p1 applies the diff of any two texts', () => {
  const folder = temporaryFolder();
  const isApplied = (before: string, after: string) => {
    const diff = unifiedDiff('hello world.ts', before, after);
    if (before === after) return diff === '';
    // The tool patch removes a file that becomes empty.
    return (patched(folder, 'hello world.ts', before, diff) ?? '') === after;
  };
  expect(isApplied('x\n'.repeat(1_100), 'y\nz\n'.repeat(500))).toBe(true);
  fc.assert(fc.property(text, text, isApplied), { numRuns: budget(15), seed: 20_261_115 });
});

it('marks of git have seven signs, or more if both sides renamed the file', () => {
  const marked = (count: number) =>
    `${'<'.repeat(count)} HEAD:kappa.ts\na\n${'='.repeat(count)}\nb\n${'>'.repeat(count)} feature:lambda.ts\n`;
  expect([6, 7, 8, 9].map((count) => hasConflictMarkers(marked(count)))).toEqual([false, true, true, true]);
});
