// What makes a start quick must not change what it does: prepared texts, and code compiled by an earlier run.
import { chmod, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { pathsOf } from '../../src/cli/command-tree.ts';
import { parseCommandLine } from '../../src/cli/commander.ts';
import { commandTree } from '../../src/commands/index.ts';
import { install } from '../support/copy.ts';
import { environment, runProcess as run } from '../support/program.ts';

describe('prepared help', () => {
  const preparedFor = (words: readonly string[]) =>
    readFile(`dist/prepared/${['help', ...words].join('-')}.txt`, 'utf8');

  it.each(['', 'options', ...pathsOf(commandTree)])('of `vals %s` is what commander prints', async (path) => {
    const words = path.split(' ').filter(Boolean);
    expect({ help: await preparedFor(words) }).toEqual(
      parseCommandLine([...words, '--help'], commandTree, 80),
    );
  });

  it.each(['', 'options', 'push', 'val get'])('is what `vals %s --help` writes', async (path) => {
    const words = path.split(' ').filter(Boolean);
    expect(await run([...words, '--help'])).toMatchObject({ exit: 0, stdout: await preparedFor(words) });
  });

  it('is not needed: without it the program prints the same', async () => {
    const installed = await install();
    await rm(join(installed.folder, 'dist/prepared'), { recursive: true });
    for (const words of [[], ['push', '--help'], ['help', 'val', 'get'], ['help', 'options'], ['-V']]) {
      expect(await installed.vals(words)).toEqual((await run(words)).stdout);
    }
  });
});

describe('compiled code', () => {
  it('is kept by the build and used by every run after it', async () => {
    const installed = await install();
    const before = await installed.compiled();
    const names = before.map(({ name }) => name);
    // `run` has a file of its own, with the little that it needs.
    for (const main of [/^main\.js\.v/, /^main\.js\.run\.v/]) {
      expect(names).toContainEqual(expect.stringMatching(main));
    }
    await installed.vals(['me', '--local', '--json']);
    await installed.vals(['run', resolve('examples/hello.ts')]);
    expect(await installed.compiled()).toEqual(before);
  });

  it.each([
    { what: 'of another source', spoil: (file: string) => writeFile(file, 'x'.repeat(100_000)) },
    { what: 'cut short', spoil: (file: string) => truncate(file, 1_000) },
    { what: 'empty', spoil: (file: string) => truncate(file, 0) },
    { what: 'missing', spoil: (file: string) => rm(file) },
  ])('$what is made anew', async ({ spoil }) => {
    const installed = await install();
    const before = await installed.compiled();
    const main = before.find(({ name }) => name.startsWith('main.js.v'));
    await spoil(join(installed.folder, 'dist', main?.name ?? ''));
    const spoilt = await installed.compiled();
    expect(JSON.parse(await installed.vals(['config', '--json']))).toBeTypeOf('object');
    // Too little of the program ran for it to be worth keeping.
    expect(await installed.compiled()).toEqual(spoilt);
    expect(JSON.parse(await installed.vals(['me', '--local', '--json']))).toBeTypeOf('object');
    const after = await installed.compiled();
    expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
    expect(after).not.toEqual(spoilt);
    await installed.vals(['me', '--local', '--json']);
    expect(await installed.compiled()).toEqual(after);
  });

  it('of an older program of the same length is not run', async () => {
    const installed = await install();
    const file = join(installed.folder, 'dist/main.js');
    const source = await readFile(file, 'utf8');
    const [mark = ''] = /[0-9a-f]{16}/.exec(source) ?? [];
    const changed = source
      .replace(mark, '0123456789abcdef')
      .replaceAll('No service is chosen', 'NO SERVICE IS CHOSEN');
    expect(changed.length).toBe(source.length);
    await writeFile(file, changed);
    const { stderr } = await execa(process.execPath, [join(installed.folder, 'bin/vals.js'), 'me'], {
      env: environment(installed.folder),
      extendEnv: false,
      reject: false,
    });
    expect(stderr).toContain('NO SERVICE IS CHOSEN');
  });

  it.skipIf(process.getuid?.() === 0)('is not needed where it cannot be kept', async () => {
    const installed = await install();
    for (const { name } of await installed.compiled()) await rm(join(installed.folder, 'dist', name));
    await chmod(join(installed.folder, 'dist'), 0o555);
    expect(JSON.parse(await installed.vals(['me', '--local', '--json']))).toBeTypeOf('object');
    await chmod(join(installed.folder, 'dist'), 0o755);
    expect(await installed.compiled()).toEqual([]);
  });
});
