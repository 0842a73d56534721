// `vals serve` and `--local`, alone and together on one file.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { embeddedService } from '../support/embedded-service.ts';
import {
  environment,
  program,
  run,
  runAtTerminal,
  runOnScreen,
  runProcess,
  temporaryFolder,
} from '../support/program.ts';
import { serviceInProcess } from '../support/service-in-process.ts';

const code = '// é 𝄞\r\nexport default "\u0000";';

async function json(args: string[], options: Parameters<typeof run>[1]) {
  const { exit, stdout, stderr } = await run([...args, '--json'], options);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** A folder with these bytes as its store. */
function fileWith(text: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'vals.db'), text);
  return folder;
}

describe('--local', () => {
  it('carries a val through its whole life, byte for byte, without any set-up', async () => {
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

  it('is refused together with --base-url, and comes before VALS_BASE_URL', async () => {
    expect(await run(['me', '--local', '--base-url', 'http://127.0.0.1:1'])).toMatchObject({ exit: 2 });
    expect(await run(['me', '--local'], { env: { VALS_BASE_URL: 'http://127.0.0.1:1' } })).toMatchObject({
      exit: 0,
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
    writeFileSync(editor, `#!/bin/sh\nrm -r '${data}'\necho new > "$1"\n`, { mode: 0o755 });
    const env = { ...local.env, EDITOR: editor };
    vi.stubEnv('TMPDIR', home);
    const { exit, error, stderr } = await run(['val', 'edit', id, '--json'], { home, env });
    expect({ exit, error }).toMatchObject({ exit: 10, error: { kind: 'local', hint: expect.any(String) } });
    expect(error?.message).toContain(join(data, 'vals.db'));
    expect(stderr).toContain(`Your text is in ${home}/`);
    vi.unstubAllEnvs();
  });

  /** With `ulimit -f` a file cannot grow, and SQLite fails as on a broken disk. */
  it('fails with a local error when its store cannot be written', async () => {
    const home = temporaryFolder();
    const env = environment(home, { VALS_LOCAL: '1', VALS_DATA_DIR: join(home, 'data') });
    const file = join(home, 'big.ts');
    writeFileSync(file, `// ${'x'.repeat(200_000)}`);
    const push = `ulimit -f 256 && exec "$0" "$1" push "$2" --json`;
    const words = ['-c', push, process.execPath, program, file];
    const { exitCode, stdout } = await execa('sh', words, { env, extendEnv: false, reject: false });
    expect({ exitCode, rows: JSON.parse(stdout) }).toMatchObject({
      exitCode: 10,
      rows: [{ status: 'failed', error: { kind: 'local', message: expect.stringContaining('vals.db') } }],
    });
  });

  const canMount = process.platform === 'linux' && process.getuid?.() === 0;

  it.runIf(canMount)('says so when its disk is full', async () => {
    const disk = temporaryFolder();
    const mounted = await execa('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', disk], {
      reject: false,
    });
    if (mounted.failed) return;
    onTestFinished(() => void execaSync('umount', [disk]));
    const local = { env: { VALS_LOCAL: '1', VALS_DATA_DIR: join(disk, 'data') } };
    const input = `// ${'x'.repeat(200_000)}`;
    // The disk can be unmounted only after the program has ended.
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

  it('serves twenty commands at once, and each push gets a version of its own', async () => {
    const env = { VALS_LOCAL: '1', VALS_DATA_DIR: temporaryFolder() };
    const pushes = Array.from({ length: 20 }, (_, index) =>
      json(['push', '-', '--name', 'shared'], { env, input: `export default ${index}` }),
    );
    const versions = (await Promise.all(pushes)).map(([{ version }]) => version).sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });
});

describe('vals serve', () => {
  it('says its address first, keeps its token, and shares its data with --local', async () => {
    const data = join(temporaryFolder(), 'vals.db');
    const first = await embeddedService({ at: data });
    const [{ id }] = await json(['push', '-', '--name', 'shared'], { env: first.env, input: code });
    const local = { env: { VALS_LOCAL: '1', VALS_DATA_DIR: join(data, '..') } };
    expect(await json(['val', 'get', id], local)).toMatchObject({ code });
    await json(['push', '-', '--name', 'shared'], { ...local, input: 'from --local' });
    expect(await json(['val', 'get', id], { env: first.env })).toMatchObject({
      code: 'from --local',
      version: 2,
    });
    expect(await first.end('SIGTERM')).toBe(0);

    const second = await embeddedService({ at: data });
    expect(second.token).toBe(first.token);
    expect(await json(['val', 'get', id], { env: second.env })).toMatchObject({ version: 2 });
    expect(await second.end('SIGINT')).toBe(130);
  });

  it.each([
    ['the address alone without --json, and logs requests', [], /^GET \/v1\/me 401 \d+ ms\n$/],
    ['the address alone under --quiet, and logs nothing', ['--quiet'], /^$/],
  ])('prints %s', async (_, args, log) => {
    const { baseUrl, printed, end } = await embeddedService({ json: false, args });
    await fetch(`${baseUrl}/v1/me`);
    expect(await end('SIGTERM')).toBe(0);
    expect(printed.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(printed.stderr).toMatch(log);
  });

  it('wraps its sentences and no line to be copied, and shows the token under --quiet too', async () => {
    const serve = async (columns: number, last: string, ...flags: string[]): Promise<string[]> => {
      const interruption = new AbortController();
      const { screen } = await runOnScreen(['serve', '--port', '0', ...flags], {
        columns,
        signal: interruption.signal,
        heard: ({ stderr }) => stderr.includes(last) && interruption.abort(new InterruptedError(130)),
      });
      return screen.trimEnd().split('\r\n');
    };
    const narrow = await serve(40, 'Press Ctrl-C to stop.');
    expect(narrow.filter((line) => line.length > 40 && !line.startsWith(' '))).toEqual([]);
    expect(narrow.find((line) => line.startsWith('  export VALS_TOKEN='))?.length).toBeGreaterThan(40);
    const quiet = await serve(80, 'VALS_TOKEN=', '--quiet');
    expect(quiet.map((line) => line.replace(/[=:].*/, ''))).toEqual([
      'http',
      '  export VALS_BASE_URL',
      '  export VALS_TOKEN',
    ]);
  });

  it('logs each request on one line, without its query, secrets and control characters', async () => {
    const { baseUrl, token, logged, end } = await embeddedService();
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ['/v1/me', '/v1/me/runs?limit=1', `/${token}?key=${token}`, '/a%1Bb/\u202e']) {
      await fetch(`${baseUrl}${path}`, { headers });
    }
    await fetch(`${baseUrl}/v1/me`);
    expect(await end('SIGTERM')).toBe(0);
    const log = (await logged('')).replace(/ \d+ ms$/gm, '');
    expect(log.trimEnd().split('\n')).toEqual([
      'GET /v1/me 200',
      'GET /v1/me/runs 200',
      'GET /*** 404',
      'GET /a%1Bb/%E2%80%AE 404',
      'GET /v1/me 401',
    ]);
  });

  it('is not held up by a reader of its log that stopped reading', async () => {
    const { baseUrl, end } = await embeddedService({ unreadLog: true });
    const longPath = `${baseUrl}/${'x'.repeat(4_000)}`;
    for (let request = 0; request < 100; request++) expect((await fetch(longPath)).status).toBe(404);
    expect(await end('SIGTERM')).toBe(0);
  });

  it('shows a person at a terminal how to use it, and a link to its page', async () => {
    let visited = false;
    let ended = false;
    const { exit, screen } = await runAtTerminal(['serve', '--port', '0'], {
      columns: 200,
      async onScreen(shown, press) {
        const [link] = shown.match(/http:\S+key=[\w-]+(?=\s)/) ?? [];
        if (link !== undefined && !visited) {
          visited = true;
          await fetch(link);
        }
        if (!ended && /GET \/page\S+ \d+ \d+ ms/.test(shown)) {
          ended = true;
          press('\u0003');
        }
      },
    });
    expect(exit).toBe(130);
    expect(screen).toMatch(/export VALS_BASE_URL=http:\/\/127\.0\.0\.1:\d+/);
    expect(screen).toContain('export VALS_TOKEN=');
    expect(screen).toMatch(/GET \/ 303 \d+ ms/);
    expect(screen).toMatch(/GET \/page\/\*\*\* 401 \d+ ms/);
  });

  it('says once that its store was removed, and acknowledges no write', async () => {
    const data = join(temporaryFolder(), 'vals.db');
    const { env, logged, end } = await embeddedService({ at: data });
    await json(['push', '-', '--name', 'kept'], { env, input: code });
    rmSync(data);
    for (const name of ['lost', 'lost_too']) {
      const { exit, stdout } = await run(['push', '-', '--name', name, '--json'], { env, input: code });
      expect({ exit, rows: JSON.parse(stdout) }).toMatchObject({ exit: 7, rows: [{ status: 'failed' }] });
    }
    expect(await end('SIGTERM')).toBe(0);
    expect((await logged('')).match(/removed or replaced/g)).toHaveLength(1);
  });

  it('refuses a wrong token, and answers public vals without one', async () => {
    const { env } = await serviceInProcess();
    const wrong = { env: { ...env, VALS_TOKEN: 'wrong-token-0123456789' } };
    expect(await run(['me'], wrong)).toMatchObject({ exit: 4 });
    const { id } = await json(['val', 'create', 'open', '--privacy', 'public'], { env, input: code });
    expect(await json(['val', 'get', id], { env: { VALS_BASE_URL: env.VALS_BASE_URL } })).toMatchObject({
      code,
    });
  });

  it.each([
    ['--port', '70000'],
    ['--port', 'http'],
  ])('refuses %s %s', async (...args) => {
    expect(await run(['serve', ...args])).toMatchObject({ exit: 2, stdout: '' });
  });

  it('refuses a seed with an unknown field, and says where', async () => {
    const seed = join(temporaryFolder(), 'seed.json');
    writeFileSync(seed, '{"runs": [{}, {"val": {"nmae": "x"}}]}');
    const { exit, stdout, stderr } = await run(['serve', '--port', '0', '--seed', seed]);
    expect({ exit, stdout, stderr }).toEqual({
      exit: 10,
      stdout: '',
      stderr: expect.stringContaining('runs[1].val.nmae'),
    });
  });

  it('shows what was seeded, digit for digit', async () => {
    const seed = join(temporaryFolder(), 'seed.json');
    const run1 =
      '{"id":"r1","val":{"id":"v1","name":"a","version":12345678901234567890},"runStartAt":"2026-01-01T00:00:00.000Z","error":null}';
    const run2 =
      '{"id":"r2","val":{"id":"v1","name":"a","version":2},"runStartAt":"2026-01-02T00:00:00.000Z","error":"boom"}';
    writeFileSync(
      seed,
      `{"runs":[${run1},${run2}],"likes":[{"id":"l1","name":"liked"}],
        "comments":[{"id":"c1","comment":"hi","relationship":"given"},{"id":"c2","comment":"ho","relationship":"received"}],
        "references":[{"reference":{"name":"theirs"},"dependsOn":{"name":"mine"},"referencedAt":"2026-01-01T00:00:00Z"}]}`,
    );
    const { env, logged } = await embeddedService({ args: ['--seed', seed] });
    await logged(`Loaded from ${seed}: runs 2, likes 1, comments 2, references 1.`);
    const ids = async (...args: string[]) =>
      (await json(args, { env })).map((record: { id: string }) => record.id).join();
    expect(await ids('runs')).toBe('r2,r1');
    expect(await ids('runs', '--error')).toBe('r2');
    expect(await ids('runs', '--no-error')).toBe('r1');
    expect(await ids('runs', '--since', '2026-01-01')).toBe('r2');
    expect(await ids('runs', '--until', '2026-01-01')).toBe('r1');
    expect(await ids('likes')).toBe('l1');
    expect((await ids('comments')).split(',').sort().join()).toBe('c1,c2');
    expect(await ids('comments', '--relationship', 'given')).toBe('c1');
    expect(await json(['refs', '--fields', 'reference.name'], { env })).toEqual([
      { reference: { name: 'theirs' } },
    ]);
    expect((await run(['runs', '--no-error', '--json'], { env })).stdout).toContain(
      '"version":12345678901234567890',
    );
  });
});
