import { readFileSync } from 'node:fs';
import { chmod, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../src/cli/parse-command-line.ts';
import { commandTree } from '../../src/commands/index.ts';
import { isLong } from '../support/cases.ts';
import { install } from '../support/install.ts';
import { environment, program, temporaryFolder } from '../support/program.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('prepared help', () => {
  const preparedFor = (words: readonly string[]) =>
    readFile(`dist/prepared/${['help', ...words].join('-')}.txt`, 'utf8');

  it.each(['', 'options'])('of `vals %s` is what commander prints', async (path) => {
    const words = path.split(' ').filter(Boolean);
    const line = await parseCommandLine([...words, '--help'], commandTree, 80);
    expect(line).toMatchObject({ kind: 'help', text: await preparedFor(words) });
  });

  it('is the same text as the program prints without prepared help', async () => {
    const installed = await install();
    const asked = [[], ['val', 'get', '--help'], ['-V']];
    const written = () => Promise.all(asked.map((words) => installed.vals(words)));
    const helps = await Promise.all([[], ['val', 'get']].map(preparedFor));
    const expected = [...helps, `${version}\n`];
    expect(await written()).toEqual(expected);
    await rm(join(installed.folder, 'dist/prepared'), { recursive: true });
    expect(await written()).toEqual(expected);
  });
});

it('a command in a folder that was deleted fails with one error and exit code 10', async () => {
  const cwd = temporaryFolder();
  const { exitCode, stderr } = await execa('bash', ['-c', 'rm -r "$PWD"; exec $vals status'], {
    env: environment(cwd, { VALS_LOCAL: '1', vals: `${process.execPath} ${program}` }),
    extendEnv: false,
    cwd,
    reject: false,
  });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 10,
    stderr: 'error: The current folder no longer exists.\nhint: Change to a folder that exists.',
  });
});

describe('the cache of bytecode', () => {
  const used = ['me', '--local', '--json'];
  const places = isLong ? Array.from({ length: 80 }, (_, index) => (index + 0.37) / 80) : [0.7];

  it('is written by the first run that reaches a service, and used by every later run', async () => {
    const installed = await install();
    expect(await installed.compiled()).toEqual([]);
    await installed.vals(['config', '--json']);
    expect(await installed.compiled()).toEqual([]);
    await installed.vals(used);
    const kept = await installed.compiled();
    expect(kept.map(({ name }) => name)).toEqual([expect.stringMatching(/^main\.js\.v.*-local\.compiled$/)]);
    await installed.vals(used);
    await installed.vals(['run', resolve('examples/hello.ts'), '--local']);
    expect(await installed.compiled()).toEqual(kept);
  });

  const flipBit = (place: number) => async (file: string) => {
    const bytes = await readFile(file);
    const at = Math.floor(place * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
    await writeFile(file, bytes);
  };
  const cutShort = (file: string) => truncate(file, 1_000);
  it('that is damaged is made again', async () => {
    const installed = await install();
    await installed.vals(used);
    const names = (await installed.compiled()).map(({ name }) => name);
    const file = join(installed.folder, 'dist', names[0] ?? '');
    for (const spoil of [cutShort, ...places.map(flipBit)]) {
      await spoil(file);
      const spoilt = await installed.compiled();
      expect(JSON.parse(await installed.vals(used))).toMatchObject({ username: 'local' });
      const after = await installed.compiled();
      expect(after.map(({ name }) => name)).toEqual(names);
      expect(after).not.toEqual(spoilt);
    }
  });

  it('of an older program of the same length is not run', async () => {
    const installed = await install();
    await installed.vals(used);
    const file = join(installed.folder, 'dist/main.js');
    const source = await readFile(file, 'utf8');
    const [mark = ''] = /[0-9a-f]{16}/.exec(source) ?? [];
    const changed = source
      .replace(mark, '0123456789abcdef')
      .replaceAll('Show the settings in use', 'SHOW THE SETTINGS IN USE');
    expect(changed.length).toBe(source.length);
    await writeFile(file, changed);
    expect(await installed.vals(['config', '--local', '--no-color', '--help'])).toContain(
      'SHOW THE SETTINGS',
    );
  });

  it.skipIf(process.getuid?.() === 0)(
    'is not required: vals works if the cache cannot be written',
    async () => {
      const installed = await install();
      await chmod(join(installed.folder, 'dist'), 0o555);
      expect(JSON.parse(await installed.vals(used))).toBeTypeOf('object');
      await chmod(join(installed.folder, 'dist'), 0o755);
      expect(await installed.compiled()).toEqual([]);
    },
  );
});
