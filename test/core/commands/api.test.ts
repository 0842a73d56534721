import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderOf, type RunOptions, run } from '../../support/program.ts';
import { type Reply, type Seen, scriptedService, testToken } from '../../support/scripted-service.ts';

const ok: Reply = { body: { ok: true } };

async function ask(args: readonly string[], reply: Reply = ok, options: RunOptions = {}) {
  const service = await scriptedService([reply]);
  const result = await run(['api', ...args], { ...options, env: { ...service.env, ...options.env } });
  return { ...result, seen: service.requests[0] as Seen, requests: service.requests.length };
}

describe('a path', () => {
  it.each(['https://evil.example/v1/me', '//evil.example/v1/me', '/\\evil.example', '/v1/me#top', ''])(
    '%j is refused before anything is sent',
    async (path) => {
      const service = await scriptedService([]);
      const { exit, stdout, error } = await run(['api', '-X', 'GET', path, '--json'], { env: service.env });
      expect({ exit, stdout, requests: service.requests }).toEqual({ exit: 2, stdout: '', requests: [] });
      expect(error).toMatchObject({
        kind: 'usage',
        hint: expect.stringContaining('part after the base URL'),
      });
    },
  );

  it('with .. stays below the base URL', async () => {
    const service = await scriptedService([ok]);
    const env = { ...service.env, VALS_BASE_URL: `${service.baseUrl}/base` };
    expect(await run(['api', '-X', 'GET', '/v1/%2e%2e/%2E./x'], { env })).toMatchObject({ exit: 0 });
    expect(service.requests[0]?.path).toBe('/base/x');
  });
});

describe('the request', () => {
  it.each<[line: string, method: string, path: string, body: string]>([
    ['/v1/me', 'GET', '/v1/me', ''],
    ['v1//a%2Fb/.../é?ü=%20ö&x=../..//y', 'GET', '/v1//a%2Fb/.../%C3%A9?%C3%BC=%20%C3%B6&x=../..//y', ''],
    ['-X delete /v1/x', 'DELETE', '/v1/x', ''],
    ['/v1/x -XPUT -f a=1', 'PUT', '/v1/x', '{"a":"1"}'],
    ['-X GET /v1/x?a=%20 -f b=c -f b=again', 'GET', '/v1/x?a=%20&b=c&b=again', ''],
    ['/v1/x?q=1 --field a=1 -f c=x=y -f d=', 'POST', '/v1/x?q=1', '{"a":"1","c":"x=y","d":""}'],
    ['-X PUT /x -f s="1" -f __proto__=p', 'PUT', '/x', '{"s":"\\"1\\"","__proto__":"p"}'],
  ])('is built from %s', async (line, method, path, body) => {
    const { exit, stderr, seen } = await ask(line.split(' '));
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect({ method: seen.method, path: seen.path, body: seen.body }).toEqual({ method, path, body });
    expect(seen.headers).toMatchObject({ authorization: `Bearer ${testToken}`, accept: 'application/json' });
    expect(seen.headers['content-type']).toBe(body === '' ? undefined : 'application/json');
    expect(typeof seen.headers['idempotency-key']).toBe(method === 'POST' ? 'string' : 'undefined');
  });

  const spaced = '\n{ "a" : 1.00,\t"b":"\\u00e9é" }\n\n';

  it('has the input as its body, byte for byte, and fields in the query', async () => {
    const file = join(folderOf({ 'body.json': spaced }), 'body.json');
    const fromFile = await ask(['/v1/x', '--input', file, '-f', 'a=b']);
    expect(fromFile.seen).toMatchObject({ method: 'POST', path: '/v1/x?a=b', body: spaced });
    const fromInput = await ask(['-X', 'DELETE', '/v1/x', '--input', '-'], ok, { input: spaced });
    expect(fromInput.seen).toMatchObject({ path: '/v1/x', body: spaced });
  });

  it.each([
    { args: ['/x', '-X', 'POST', '-f', 'a'], exit: 2, says: 'key=value' },
    { args: ['/x', '-X', 'GET', '--input', '-'], exit: 2, says: '--input' },
    { args: ['/x', '-X', 'POST', '--input', '-'], exit: 10, says: 'Standard input is not JSON' },
    { args: ['/x', '-X', 'POST', '--paginate'], exit: 2, says: '--paginate works only with GET' },
  ])('$args is refused, and nothing is sent', async ({ args, exit, says }) => {
    const service = await scriptedService([]);
    const result = await run(['api', ...args], { env: service.env, input: 'no json' });
    expect({ exit: result.exit, stdout: result.stdout }).toEqual({ exit, stdout: '' });
    expect(result.stderr).toContain(says);
    expect(result.stderr).not.toContain('secret');
    expect(service.requests).toEqual([]);
  });

  it('is shown and not sent under --dry-run', async () => {
    const service = await scriptedService([]);
    const dryRun = (...args: string[]) => run(['api', ...args, '--dry-run', '--json'], { env: service.env });
    expect((await dryRun('/v1/x', '-f', 'a=1')).stdout).toBe(
      '{"method":"POST","path":"/v1/x","body":{"a":"1"}}\n',
    );
    const inPipe = await run(['api', '/v1/x', '-f', 'a=1', '--dry-run'], { env: service.env });
    expect(inPipe.stdout).toBe('POST\t/v1/x\t{"a":"1"}\n');
  });
});

describe('the output', () => {
  it.each(['[1,"two",{"four":null}]', '"text"', 'null', '[]'])('of %s is what was sent', async (body) => {
    const result = await ask(['/x'], { body });
    expect(result).toMatchObject({ exit: 0, stdout: `${body}\n`, stderr: '' });
  });

  it('is a line per item under --ndjson, and can have chosen fields', async () => {
    const body = '[{"a":1,"b":2},{"a":3}]';
    expect((await ask(['/x', '--ndjson'], { body })).stdout).toBe('{"a":1,"b":2}\n{"a":3}\n');
    expect((await ask(['/x', '--fields', 'b'], { body })).stdout).toBe('[{"b":2},{"b":null}]\n');
  });
});

describe('--paginate', () => {
  const pages = ({ path }: Seen): Reply => {
    const query = new URL(path, 'http://x').searchParams;
    const page = Number(query.get('page') ?? '1');
    const next = page < 3 ? `http://elsewhere.example/v1/list?page=${page + 1}` : null;
    return { body: { data: [{ page, x: 0 }], links: { next } } };
  };

  it.each([
    { format: [], stdout: '[{"page":1,"x":0},{"page":2,"x":0},{"page":3,"x":0}]\n' },
    { format: ['--ndjson'], stdout: '{"page":1,"x":0}\n{"page":2,"x":0}\n{"page":3,"x":0}\n' },
  ])('gives all pages as one, $format', async ({ format, stdout }) => {
    const service = await scriptedService([], pages);
    const args = ['api', '-X', 'GET', '/v1/list?q=1', '-f', 'r=2', '--paginate', ...format];
    expect(await run(args, { env: service.env })).toMatchObject({ exit: 0, stdout, stderr: '' });
    expect(service.requests.map(({ path }) => path)).toEqual([
      '/v1/list?q=1&r=2',
      '/v1/list?page=2&q=1&r=2',
      '/v1/list?page=3&q=1&r=2',
    ]);
  });

  it('fails if the answer is not a list', async () => {
    const { exit, stdout, error } = await ask(['/x', '--paginate', '--json']);
    expect({ exit, stdout }).toEqual({ exit: 11, stdout: '' });
    expect(error).toMatchObject({ kind: 'bad_response' });
  });
});
