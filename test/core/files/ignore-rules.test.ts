import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIgnoreCheck } from '../../../src/core/files/ignoring.ts';
import { isLong } from '../../support/cases.ts';
import { environment, temporaryFolder, writeFiles } from '../../support/program.ts';

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

describe("the user's core.excludesFile counts", () => {
  const setting = (path: string) => `[core]\n\texcludesFile = ${path}\n`;
  it.each<[string, Record<string, string>, Record<string, string>?]>([
    ['in its default place', { '.config/git/ignore': 'a' }],
    [
      'below XDG_CONFIG_HOME',
      { 'xdg/git/ignore': 'a', '.config/git/ignore': 'b' },
      { XDG_CONFIG_HOME: 'xdg' },
    ],
    ['set in .gitconfig', { '.gitconfig': setting('~/mine'), mine: 'a', '.config/git/ignore': 'b' }],
    ['set to nothing', { '.gitconfig': setting(''), '.config/git/ignore': 'a' }],
    ['set in the repository', { 'repository/.git/config': setting('../mine'), mine: '/vals/a' }],
    ['with rules for a path from the top', { '.config/git/ignore': '/a\n/vals/b\n/vals/c d' }],
    ['before .gitignore', { '.config/git/ignore': 'a\nb', 'repository/.gitignore': '!b' }],
    ['before info/exclude', { '.config/git/ignore': 'a\nb', 'repository/.git/info/exclude': '!a' }],
  ])('%s', async (_what, files, variables = {}) => {
    const home = temporaryFolder();
    const top = join(home, 'repository');
    const places = Object.entries(variables).map(([name, path]) => [name, join(home, path)]);
    const env = environment(home, Object.fromEntries(places));
    await execa('git', ['init', '-q', top], { env, extendEnv: false });
    const config = readFileSync(join(top, '.git/config'), 'utf8');
    writeFiles(home, {
      ...files,
      'repository/.git/config': `${config}${files['repository/.git/config'] ?? ''}`,
    });
    const paths = ['a', 'b', 'c d', 'ab'];
    const root = join(top, 'vals');
    writeFiles(root, { 'vals.json': '{}' });

    const { stdout } = await execa('git', ['check-ignore', '--no-index', '--stdin', '-z'], {
      ...{ cwd: root, env, extendEnv: false, input: paths.join('\0'), reject: false },
    });
    const isIgnored = createIgnoreCheck(root, { env });
    expect(paths.filter(isIgnored)).toEqual(stdout.split('\0').filter((path) => path !== ''));
  });

  it('only in a repository', () => {
    const home = temporaryFolder();
    writeFiles(home, { '.config/git/ignore': 'a', 'vals/vals.json': '{}' });
    const isIgnored = createIgnoreCheck(join(home, 'vals'), { env: environment(home) });
    expect(isIgnored('a')).toBe(false);
  });
});
