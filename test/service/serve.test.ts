import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { describe, expect, it } from 'vitest';
import { embeddedService } from '../support/embedded-service.ts';
import { run, runAtTerminal, temporaryFolder } from '../support/program.ts';

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

  it.each([
    ['text', /^Internal error in GET \/v1\/me\/likes:\n {2}SyntaxError: .*\n(?: {2} +at .*\n)+/],
    [
      'json',
      /^\{"time":"[^"]+","method":"GET","route":"\/v1\/me\/likes","error":"SyntaxError: .*\\n +at .*"\}\n/,
    ],
  ])('logs an internal error with its stack, and keeps it out of the answer, as %s', async (form, line) => {
    const data = join(temporaryFolder(), 'vals.db');
    const seed = join(temporaryFolder(), 'seed.json');
    writeFileSync(seed, '{"likes":[{"id":"l1","name":"liked"}]}');
    const args = ['--seed', seed, '--log', form];
    const { baseUrl, token, logged, end } = await embeddedService({ at: data, args });
    const store = new Libsql(data);
    store.prepare('UPDATE records SET json = ?').run('broken');
    store.close();
    const answer = await fetch(`${baseUrl}/v1/me/likes`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toMatch(/SyntaxError|broken| at /);
    expect(await end('SIGTERM')).toBe(0);
    expect((await logged('')).replace(/^Loaded .*\n/, '')).toMatch(line);
  });

  it('goes on answering if the reader of its log stops reading', async () => {
    const { baseUrl, end } = await embeddedService({ unreadLog: true });
    const longPath = `${baseUrl}/${'x'.repeat(200)}`;
    for (let request = 0; request < 600; request++) expect((await fetch(longPath)).status).toBe(404);
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

  it('names its own store in the command that adds a person', async () => {
    const { screen } = await runAtTerminal(
      ['serve', '--port', '0', '--data', 'team.db', '--public-url', 'http://localhost:9'],
      { columns: 200, answers: [{ after: 'Press Ctrl-C', keys: '\u0003' }] },
    );
    expect(screen).toContain('run `vals user add <username> --data team.db`.');
  });

  it('reports once that its store was removed, and acknowledges no write', async () => {
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

  it.each([
    ['--port', '70000'],
    ['--port', 'http'],
  ])('refuses %s %s', async (...args) => {
    expect(await run(['serve', ...args])).toMatchObject({ exit: 2, stdout: '' });
  });

  it('says how many records of each kind it took from a seed', async () => {
    const seed = join(temporaryFolder(), 'seed.json');
    writeFileSync(seed, '{"runs":[{},{"error":"boom"}],"likes":[{"name":"liked"}],"comments":[]}');
    const { env, logged } = await embeddedService({ args: ['--seed', seed] });
    await logged(`Loaded from the file ${seed}: runs 2, likes 1, comments 0, references 0.`);
    expect(await json(['runs', '--error'], { env })).toMatchObject([{ error: 'boom' }]);
  });
});
