// What makes a start quick must not change what it does: prepared texts, and code compiled by an earlier run.
import { readFileSync } from 'node:fs';
import { chmod, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { commandNames, pathsOf } from '../../src/cli/command-tree.ts';
import { parseCommandLine } from '../../src/cli/parse-command-line.ts';
import { commandTree } from '../../src/commands/index.ts';
import { isLong } from '../support/budget.ts';
import { install } from '../support/copy.ts';
import { environment } from '../support/program.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('prepared help', () => {
  const preparedFor = (words: readonly string[]) =>
    readFile(`dist/prepared/${['help', ...words].join('-')}.txt`, 'utf8');

  it.each(['', 'options', ...pathsOf(commandTree)])('of `vals %s` is what commander prints', async (path) => {
    const words = path.split(' ').filter(Boolean);
    expect({ help: await preparedFor(words) }).toEqual(
      await parseCommandLine([...words, '--help'], commandTree, 80),
    );
  });

  it('is what is written, and is not needed: without it the program prints the same', async () => {
    const installed = await install();
    const asked = [[], ['help', 'options'], ['val', 'get', '--help'], ['-V']];
    const written = () => Promise.all(asked.map((words) => installed.vals(words)));
    const helps = await Promise.all([[], ['options'], ['val', 'get']].map(preparedFor));
    const expected = [...helps, `${version}\n`];
    expect(await written()).toEqual(expected);
    await rm(join(installed.folder, 'dist/prepared'), { recursive: true });
    expect(await written()).toEqual(expected);
  });
});

describe('a smaller program', () => {
  const programs: Record<string, string> = JSON.parse(readFileSync('dist/programs.json', 'utf8'));

  it('has commands that the whole one has, each in one of them', () => {
    expect(commandNames(commandTree)).toEqual(expect.arrayContaining(Object.keys(programs)));
    expect(programs).toMatchObject({
      me: 'asking.js',
      list: 'asking.js',
      'val get': 'asking.js',
      run: 'run.js',
    });
    for (const words of ['push', 'val push', 'val', 'serve', 'completion']) {
      expect(programs).not.toHaveProperty(words);
    }
  });

  it('is what runs such a command, and the whole one what runs all else', async () => {
    const installed = await install();
    await rm(join(installed.folder, 'dist/main.js'));
    expect(JSON.parse(await installed.vals(['me', '--local', '--json']))).toMatchObject({
      username: 'local',
    });
    expect(await installed.vals(['version', 'list', '--help'])).toContain('vals version');
    for (const words of [['push', '--local'], ['constructor'], ['--json', 'me', '--local']]) {
      await expect(installed.vals(words), words.join(' ')).rejects.toThrow('main.js');
    }
  });
});

describe('compiled code', () => {
  const used = ['me', '--local', '--json'];
  const places = isLong ? Array.from({ length: 80 }, (_, index) => (index + 0.37) / 80) : [0.7];

  it('is kept by the build and used by every run after it', async () => {
    const installed = await install();
    const before = await installed.compiled();
    const names = before.map(({ name }) => name);
    for (const program of [/^main\.js\.v/, /^asking\.js\.v/, /^run\.js\.v/]) {
      expect(names).toContainEqual(expect.stringMatching(program));
    }
    await installed.vals(used);
    await installed.vals(['run', resolve('examples/hello.ts')]);
    expect(await installed.compiled()).toEqual(before);
  });

  type Spoil = (file: string) => Promise<void>;
  const spoils: [what: string, spoil: Spoil][] = [
    ['of another source', (file) => writeFile(file, 'x'.repeat(100_000))],
    ['cut short', (file) => truncate(file, 1_000)],
    ...places.map((place): [string, Spoil] => [
      `with one bit flipped at ${place}`,
      async (file) => {
        const bytes = await readFile(file);
        const at = Math.floor(place * bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
        await writeFile(file, bytes);
      },
    ]),
    ...(isLong ? [['empty', (file: string) => truncate(file, 0)] as [string, Spoil]] : []),
    ['missing', (file) => rm(file)],
  ];
  it('that is spoilt or missing is made anew', async () => {
    const installed = await install();
    const before = await installed.compiled();
    const names = before.map(({ name }) => name);
    const file = join(installed.folder, 'dist', names.find((name) => name.startsWith('asking.js.v')) ?? '');
    for (const [what, spoil] of spoils) {
      await spoil(file);
      const spoilt = await installed.compiled();
      expect(JSON.parse(await installed.vals(used)), what).toMatchObject({ username: 'local' });
      const after = await installed.compiled();
      expect(after.map(({ name }) => name)).toEqual(names);
      expect(after, what).not.toEqual(spoilt);
    }
    const kept = await installed.compiled();
    await installed.vals(used);
    expect(await installed.compiled()).toEqual(kept);
    // Here too little of the program runs for it to be worth keeping.
    await rm(file);
    expect(JSON.parse(await installed.vals(['config', '--json']))).toBeTypeOf('object');
    expect((await installed.compiled()).map(({ name }) => name)).not.toContain(basename(file));
  });

  it('of an older program of the same length is not run', async () => {
    const installed = await install();
    const file = join(installed.folder, 'dist/asking.js');
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
    expect(JSON.parse(await installed.vals(used))).toBeTypeOf('object');
    await chmod(join(installed.folder, 'dist'), 0o755);
    expect(await installed.compiled()).toEqual([]);
  });
});
