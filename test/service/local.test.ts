import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { environment, folderOf, program, run, runProcess, temporaryFolder } from '../support/program.ts';

const code = '// é 𝄞\r\nexport default "\u0000";';

async function json(args: string[], options: Parameters<typeof run>[1]) {
  const { exit, stdout, stderr } = await run([...args, '--json'], options);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return JSON.parse(stdout);
}

function fileWith(text: string): string {
  const folder = folderOf({ 'vals.db': text });
  return folder;
}

describe('--local', () => {
  it('creates, reads, changes and deletes a val, byte for byte, without any set-up', async () => {
    const home = temporaryFolder();
    const local = { home, env: { VALS_LOCAL: '1' } };
    const [created] = await json(['push', '-', '--name', 'life'], { ...local, input: code });
    expect(created).toMatchObject({ status: 'created', version: 1, name: 'life', file: '-' });
    const { id } = created;
    expect((await run(['val', 'get', id, '--code'], local)).stdout).toBe(code);

    expect(await json(['version', 'new', id], { ...local, input: 'two' })).toMatchObject({
      version: 2,
      code: 'two',
    });
    expect(await json(['push', '-', '--name', 'life'], { ...local, input: 'two' })).toMatchObject([
      { status: 'unchanged', version: 2 },
    ]);
    expect(
      (await json(['version', 'ls', id], local)).map(({ version }: { version: number }) => version),
    ).toEqual([2, 1]);
    expect((await run(['version', 'get', id, '1', '--code'], local)).stdout).toBe(code);

    expect(await json(['version', 'rm', id, '2', '--yes'], local)).toEqual([
      { id, version: 2, status: 'deleted' },
    ]);
    expect(await json(['val', 'get', id], local)).toMatchObject({ version: 1, code });
    expect(await run(['version', 'rm', id, '1', '--yes'], local)).toMatchObject({ exit: 5 });
    expect(await json(['version', 'new', id], { ...local, input: 'three' })).toMatchObject({ version: 3 });

    expect(await json(['val', 'rm', id, '--yes'], local)).toEqual([{ id, status: 'deleted' }]);
    expect(await run(['val', 'get', id], local)).toMatchObject({ exit: 3, stdout: '' });
  });

  it('prints no address, because its port is closed when the command has ended', async () => {
    const local = { home: temporaryFolder(), env: { VALS_LOCAL: '1' } };
    const [{ id }] = await json(['push', '-', '--name', 'one'], { ...local, input: code });
    await json(['push', '-', '--name', 'two'], { ...local, input: code });
    const lists = '/v1/search/vals?query=o&limit=1';
    for (const words of [['me'], ['ls'], ['val', 'get', id], ['version', 'ls', id], ['api', lists]]) {
      const found = JSON.stringify(await json(words, local));
      expect(found).not.toMatch(/127\.0\.0\.1|localhost|"url"/);
      expect(found.includes('"links"')).toBe(words[0] === 'api');
    }
    const { links } = await json(['api', lists], local);
    expect(links).toMatchObject({
      self: lists,
      next: expect.stringMatching(/^\/v1\/search\/vals\?.*after=/),
    });
  });

  it.each([
    ['a file that is no database', () => fileWith('this is no database, and it stays as it is'.repeat(50))],
    ...(process.platform === 'linux' ? [['a folder below /proc', () => '/proc/nope/x'] as const] : []),
  ] as const)('names the store that cannot be opened: %s', async (_, dataFolder) => {
    const folder = dataFolder();
    const { exit, stdout, error } = await run(['me', '--local', '--json'], {
      env: { VALS_DATA_DIR: folder },
    });
    expect({ exit, stdout, kind: error?.kind }).toEqual({ exit: 10, stdout: '', kind: 'local' });
    expect(error?.message).toContain(folder);
  });

  it('fails with a local error when its store is removed during a command', async () => {
    const home = temporaryFolder();
    const data = join(home, 'data');
    const local = { home, env: { VALS_LOCAL: '1', VALS_DATA_DIR: data } };
    const [{ id }] = await json(['push', '-', '--name', 'gone'], { ...local, input: code });
    const editor = join(home, 'editor');
    writeFileSync(editor, `#!/bin/sh\nrm -r '${data}'\necho '1 + 1' > "$1"\n`, { mode: 0o755 });
    const env = { ...local.env, EDITOR: editor };
    vi.stubEnv('TMPDIR', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { exit, error, stderr } = await run(['val', 'edit', id, '--json'], { home, env });
    expect({ exit, error }).toMatchObject({ exit: 10, error: { kind: 'local', hint: expect.any(String) } });
    expect(error?.message).toContain(join(data, 'vals.db'));
    expect(stderr).toContain(`Your text is in ${home}/`);
  });

  it('fails with a local error when its store cannot be written', async () => {
    const home = temporaryFolder();
    const env = environment(home, { VALS_LOCAL: '1', VALS_DATA_DIR: join(home, 'data') });
    const file = join(home, 'big.ts');
    writeFileSync(file, `// ${'x'.repeat(200_000)}`);
    const push = `ulimit -f 512 && exec "$0" "$1" push "$2" --json`;
    const words = ['-c', push, process.execPath, program, file];
    const { exitCode, stdout } = await execa('sh', words, { env, extendEnv: false, reject: false });
    expect({ exitCode, rows: JSON.parse(stdout) }).toMatchObject({
      exitCode: 10,
      rows: [{ status: 'failed', error: { kind: 'local', message: expect.stringContaining('vals.db') } }],
    });
  });

  const canMount = process.platform === 'linux' && process.getuid?.() === 0;

  it.runIf(canMount)('reports that its disk is full', async () => {
    const disk = temporaryFolder();
    const mounted = await execa('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', disk], {
      reject: false,
    });
    if (mounted.failed) return;
    onTestFinished(() => void execaSync('umount', [disk]));
    const local = { env: { VALS_LOCAL: '1', VALS_DATA_DIR: join(disk, 'data') } };
    const input = `// ${'x'.repeat(200_000)}`;
    // The program runs in a separate process, because the test can unmount the disk only after the program has ended.
    expect(await runProcess(['push', '-', '--name', 'first'], { ...local, input })).toMatchObject({
      exit: 0,
    });
    const second = await runProcess(['push', '-', '--name', 'second', '--json'], { ...local, input });
    expect({ exit: second.exit, rows: JSON.parse(second.stdout) }).toMatchObject({
      exit: 10,
      rows: [
        {
          status: 'failed',
          error: {
            kind: 'local',
            message: `The store ${join(disk, 'data', 'vals.db')} could not be used: its disk is full.`,
            hint: 'Free some space, then run the command again.',
          },
        },
      ],
    });
  });
});
