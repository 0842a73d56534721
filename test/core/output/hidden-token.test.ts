import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/core/lib/visible.ts';
import { has } from '../../support/features.ts';
import { inProcess } from '../../support/in-process.ts';
import { folderOf, run } from '../../support/program.ts';
import { type Reply, scriptedService, testToken } from '../../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

describe('the token that a service repeats', () => {
  const val = {
    id,
    // Longer than a cell that is cut before it is measured.
    name: `a-${testToken.repeat(200)}`,
    code: `export default () => '${testToken}'`,
    [testToken]: [testToken],
    error: testToken,
  };

  it.each([
    [['val', 'get', id]],
    [['api', `/v1/vals/${id}`, '--debug']],
    [['val', 'get', id, '--json']],
    [['likes']],
    [['runs', '--full']],
    [['me', '--debug']],
    ...(has('run') ? [[['run', '--no-report', id]]] : []),
    [['version', 'diff', id, '1']],
  ])('is not printed by %j', async (args) => {
    const service = await scriptedService([], ({ path }) => {
      if (path === '/v1/me') return { status: 400, body: { message: `no ${testToken}`, [testToken]: 1 } };
      if (path.endsWith('/versions/1')) return { body: { ...val, code: 'old' } };
      return path.startsWith('/v1/me') ? { body: [val] } : { body: val };
    });
    // A narrow terminal cuts names, and a half of the token is too much as well.
    for (const terminal of [undefined, { columns: 30, rows: 50 }]) {
      const { stdout, stderr } = await inProcess(args, { env: service.env, ...(terminal && { terminal }) });
      expect(stdout + stderr).toContain('***');
      expect(stdout + stderr).not.toContain(testToken.slice(0, 8));
    }
  });

  it.each<(token: string) => Reply>([
    (token) => ({ status: 302, headers: { location: `/?t=${encodeURIComponent(token)}` } }),
    (token) => ({ status: 400, body: { message: token } }),
    (token) => ({ body: { id: token, username: { token } } }),
  ])('is not printed in another spelling (%#)', async (replyWith) => {
    const marker = 'Zx81-marker-55';
    const token = `%41${marker}+/==`;
    const service = await scriptedService([], () => replyWith(token));
    for (const format of [[], ['--json']]) {
      const env = { ...service.env, VALS_TOKEN: token };
      const { stdout, stderr } = await inProcess(['me', ...format], { env });
      expect(stdout + stderr).toContain('***');
      expect(stdout + stderr).not.toContain(marker);
    }
  });

  it('leaves JSON that can be parsed, even if the token has quotes or is a number', async () => {
    for (const token of ['a"b\\c"defgh', '12345678']) {
      const service = await scriptedService([], () => ({
        headers: { 'content-type': 'application/json' },
        body: `{"id":"${id}","views":9${token === '12345678' ? token : 1},"name":${JSON.stringify(token)}}`,
      }));
      const env = { ...service.env, VALS_TOKEN: token };
      const { stdout } = await inProcess(['val', 'get', id, '--json'], { env });
      expect(JSON.parse(stdout)).toMatchObject({ id });
      expect(stdout).not.toContain(JSON.stringify(token).slice(1, -1));
    }
  });
});

it('a token of three characters is not printed, as a whole word', async () => {
  const service = await scriptedService([], () => ({ body: { id, name: 'abc', code: 'abc + abcd' } }));
  const { stdout } = await inProcess(['val', 'get', id, '--json'], {
    env: { ...service.env, VALS_TOKEN: 'abc' },
  });
  expect(JSON.parse(stdout)).toEqual({ id, name: '***', code: '*** + abcd' });
});

it('the token as a name is not printed by a question', async () => {
  const service = await scriptedService([], () => ({ body: { id, name: `a-${testToken}`, version: 2 } }));
  const { screen } = await inProcess(['val', 'rm', id], {
    env: service.env,
    terminal: { columns: 100 },
    answers: [{ after: '[y/N]', keys: 'n\n' }],
  });
  expect(screen).toContain('the val a-***');
  expect(screen).not.toContain(testToken);
});

it.each([2_000, 65_536])('the token at character %i of an error is not cut in half', async (end) => {
  const body = `${' '.repeat(end + 1 - testToken.length)}${testToken} is wrong`;
  const service = await scriptedService([], () => ({ status: 400, body }));
  const { stderr } = await inProcess(['me'], { env: service.env });
  expect(stderr).toContain('refused the request: *** is wrong.');
});

it('the token in a long title of an HTML page is not cut in half', async () => {
  const beginning = '<html><title>';
  const spaces = ' '.repeat(10_001 - beginning.length - testToken.length);
  const body = `${beginning}${spaces}${testToken}</title>`;
  const service = await scriptedService([], () => ({ status: 400, body }));
  const { stderr } = await inProcess(['me'], { env: service.env });
  expect(stderr).toContain('refused the request: an HTML page.');
});

describe('the token in two pieces of a stream', () => {
  it('is removed, and only what may be its beginning waits', async () => {
    const redactor = createRedactor();
    redactor.add(testToken);
    const redacted = async (pieces: string[]) => {
      const parts: string[] = [];
      const stream = Readable.from(pieces.map((piece) => Buffer.from(piece)));
      for await (const part of redactor.redactPieces(stream)) parts.push(part.toString());
      return parts;
    };
    const [head, tail] = [testToken.slice(0, 9), testToken.slice(9)];
    expect(await redacted(['a', `b ${head}`, `${tail} c`, 'd é'])).toEqual(['a', 'b ', '*** c', 'd é']);
    expect(await redacted([`${head}${head}`, tail, testToken, head])).toEqual([head, '***', '***', '', head]);
    expect((await redacted([...`x${testToken}y`])).join('')).toBe('x***y');
  });

  it.runIf(has('run'))('that a val returns is not printed', async () => {
    const code = `const after = (ms) => new Promise((done) => setTimeout(done, ms)); export default () => new Response(
      new ReadableStream({ async start(stream) { for (const piece of ["a ${testToken.slice(0, 9)}", "${testToken.slice(9)} b"])
        { stream.enqueue(new TextEncoder().encode(piece)); await after(100) } stream.close() } }))`;
    const cwd = folderOf({ 'a.js': code });
    const { stdout } = await run(['run', 'a.js'], { cwd, env: { VALS_TOKEN: testToken } });
    expect(stdout).toBe('a *** b');
  });
});
