import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import Libsql from 'libsql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { InterruptedError } from '../../src/core/errors.ts';
import { startService } from '../../src/service/index.ts';
import { recordKinds } from '../../src/service/store/records.ts';
import { environment, folderOf, program, run, runOnScreen, temporaryFolder } from '../support/program.ts';
import { embeddedService } from './support/embedded-service.ts';
import { seedOf, seedStore } from './support/seeds.ts';

const code = '// é 𝄞\r\nexport default "\u0000";';

async function json(args: string[], options: Parameters<typeof run>[1]) {
  const { exit, stdout, stderr } = await run([...args, '--json'], options);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('vals serve', () => {
  it('prints its address first, keeps its token, and shares its data with --local', async () => {
    const data = join(temporaryFolder(), 'vals.db');
    const first = await embeddedService({ at: data });
    const [{ id }] = await json(['push', '-', '--name', 'shared'], { env: first.env, input: code });
    const local = { env: { VALS_LOCAL: '1', VALS_DATA_DIR: join(data, '..') } };
    expect(await json(['val', 'get', id], local)).toMatchObject({ code });
    await json(['push', '-', '--name', 'shared'], { ...local, input: '// from --local' });
    expect(await json(['val', 'get', id], { env: first.env })).toMatchObject({
      code: '// from --local',
      version: 2,
    });
    expect(await first.end('SIGTERM')).toBe(0);

    const second = await embeddedService({ at: data });
    expect(second.token).toBe(first.token);
    expect(await json(['val', 'get', id], { env: second.env })).toMatchObject({ version: 2 });
    expect(await second.end('SIGINT')).toBe(130);
  });

  it('prints the address alone without --json, and logs each request without its query and secrets', async () => {
    const data = join(temporaryFolder(), 'vals.db');
    const { token = '', close } = await startService({ file: data, port: 0 });
    await close();
    const { baseUrl, printed, end } = await embeddedService({ at: data, json: false });
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ['/v1/me', '/v1/me/runs?limit=1', `/${token}?key=${token}`, '/a%1Bb/\u202e']) {
      await fetch(`${baseUrl}${path}`, { headers });
    }
    await fetch(`${baseUrl}/v1/me`);
    expect(await end('SIGTERM')).toBe(0);
    expect(printed.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
    const log = printed.stderr.replace(/ \d+ ms$/gm, '');
    expect(log.trimEnd().split('\n')).toEqual([
      'GET /v1/me 200',
      'GET /v1/me/runs 200',
      'GET /*** 404',
      'GET /a%1Bb/%E2%80%AE 404',
      'GET /v1/me 401',
    ]);
  });

  it('says how many records it took from a seed, and logs an internal error with its stack, as JSON', async () => {
    const data = join(temporaryFolder(), 'vals.db');
    const seed = join(temporaryFolder(), 'seed.json');
    await seedStore({ file: data }, seedOf({ runs: [{}] }));
    writeFileSync(seed, JSON.stringify(seedOf({ likes: [{}, {}] })));
    const args = ['--seed', seed, '--log', 'json'];
    const { baseUrl, token, printed, end } = await embeddedService({ at: data, args });
    const store = new Libsql(data);
    store.exec('UPDATE runs SET ended = 9000000000000000');
    store.close();
    const answer = await fetch(`${baseUrl}/runs`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toMatch(/RangeError| at /);
    expect(await end('SIGTERM')).toBe(0);
    const lines = printed.stderr.trim().split('\n');
    const counts = recordKinds.map((kind) => `${kind} ${kind === 'likes' ? 2 : 0}`);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'info', message: `Loaded from the file ${seed}: ${counts.join(', ')}.` },
      {
        level: 'error',
        message: expect.stringMatching(/^Internal error in GET \/runs: RangeError: .*\n +at /),
      },
      { method: 'GET', route: '/runs', status: 500 },
    ]);

    const quiet = await embeddedService({ at: data, args: ['--log', 'json', '--quiet'] });
    await fetch(`${quiet.baseUrl}/runs`, { headers: { authorization: `Bearer ${token}` } });
    expect(await quiet.end('SIGTERM')).toBe(0);
    expect(JSON.parse(quiet.printed.stderr)).toMatchObject({ level: 'error' });
  });

  it('goes on answering if the reader of its log stops reading', async () => {
    const { baseUrl, end } = await embeddedService({ unreadLog: true });
    const longPath = `${baseUrl}/${'x'.repeat(200)}`;
    for (let request = 0; request < 400; request++) expect((await fetch(longPath)).status).toBe(404);
    expect(await end('SIGTERM')).toBe(0);
  });

  /** What a person at a terminal sees until Ctrl-C. */
  async function screenOf(args: string[], cwd = temporaryFolder()) {
    const pressed = new AbortController();
    return runOnScreen(['serve', '--port', '0', ...args], {
      cwd,
      columns: 200,
      signal: pressed.signal,
      heard({ screen }) {
        if (screen.includes('Press Ctrl-C')) pressed.abort(new InterruptedError(130));
      },
    });
  }

  it('shows a person at a terminal how to use it, and how to see its pages', async () => {
    const { exit, screen } = await screenOf([]);
    expect(exit).toBe(130);
    expect(screen).toMatch(/export VALS_BASE_URL=http:\/\/127\.0\.0\.1:\d+/);
    expect(screen).toContain('export VALS_TOKEN=');
    expect(screen).toContain('`vals open`');
  });

  it('names its own store in the command that adds a person', async () => {
    const { screen } = await screenOf(['--data', 'team.db', '--public-url', 'http://localhost:9']);
    expect(screen).toContain('run `vals user add <username> --data team.db`.');
  });

  it.each([['--port', '70000'], ['--port', 'http'], ['--allow-http']])('refuses %s %s', async (...words) => {
    expect(await run(['serve', ...words])).toMatchObject({ exit: 2, stdout: '' });
  });
});

describe('--local', () => {
  it('creates, reads, changes and deletes a val, byte for byte, without any set-up', async () => {
    const local = { home: temporaryFolder(), env: { VALS_LOCAL: '1' } };
    const push = (input: string) => json(['push', '-', '--name', 'life'], { ...local, input });
    const [created] = await push(code);
    expect(created).toMatchObject({ status: 'created', version: 1, name: 'life', file: '-' });
    const { id } = created;
    expect((await run(['val', 'get', id, '--code'], local)).stdout).toBe(code);
    expect(await push(code)).toMatchObject([{ status: 'unchanged', version: 1 }]);
    expect(await json(['version', 'new', id], { ...local, input: 'two' })).toMatchObject({ version: 2 });
    expect(await json(['version', 'ls', id], local)).toMatchObject([{ version: 2 }, { version: 1 }]);
    expect((await run(['version', 'get', id, '1', '--code'], local)).stdout).toBe(code);
    expect(await json(['val', 'rm', id, '--yes'], local)).toEqual([{ id, status: 'deleted' }]);
    expect(await run(['val', 'get', id], local)).toMatchObject({ exit: 3, stdout: '' });
  });

  it('names the store that cannot be opened', async () => {
    const folder = folderOf({ 'vals.db': 'this is no database, and it stays as it is'.repeat(50) });
    const env = { VALS_DATA_DIR: folder };
    const { exit, stdout, error } = await run(['me', '--local', '--json'], { env });
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
});
