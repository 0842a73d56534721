import { execa } from 'execa';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createIgnoreCheck } from '../../../src/core/files/ignoring.ts';
import { isLong } from '../../support/cases.ts';
import { temporaryFolder, writeFiles } from '../../support/program.ts';

const names = ['a', 'b', 'ab', 'c d'];
const paths = [1, 2, 3].reduce(
  (found) => [...found, ...found.flatMap((path) => names.map((name) => `${path}/${name}`))],
  names,
);
const uniquePaths = [...new Set(paths)];

const part = fc.constantFrom('**', '**', 'a', 'b', '*', 'a*', '[a-b]', '?', 'c\\ d');
const line = fc
  .tuple(
    fc.constantFrom('', '', '/', '!'),
    fc.array(part, { minLength: 3, maxLength: 7 }),
    fc.constantFrom('', '', '/', ' ', '/ '),
  )
  .map(([before, parts, after]) => `${before}${parts.join('/')}${after}`);

it('vals ignores the same files as git', async () => {
  const root = temporaryFolder();
  await execa('git', ['init', '-q', root]);
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 3 }), async (lines) => {
      writeFiles(root, { '.gitignore': `${lines.join('\n')}\n` });
      const { stdout } = await execa('git', ['check-ignore', '--no-index', '--stdin', '-z'], {
        cwd: root,
        input: uniquePaths.join('\0'),
        reject: false,
      });
      const ignoredByGit = stdout.split('\0').filter((path) => path !== '');
      const isIgnored = createIgnoreCheck(root);
      expect(uniquePaths.filter(isIgnored)).toEqual(ignoredByGit);
      if (ignoredByGit.length > 0 && ignoredByGit.length < uniquePaths.length) compared += 1;
    }),
    // Few random lines may ignore nothing, so the usual run always has the same ones.
    isLong ? { numRuns: 500 } : { numRuns: 10, seed: 1 },
  );
  expect(compared).toBeGreaterThan(isLong ? 100 : 1);
});
