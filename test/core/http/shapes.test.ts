import { describe, expect, it } from 'vitest';
import { serviceMessageOf } from '../../../src/core/http/error-body.ts';
import { run } from '../../support/program.ts';
import { pageOf, type Reply, type Seen, scriptedService } from '../../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

const bytes =
  (body: Uint8Array | string, status = 200): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);

const ask = async (args: string[], ...replies: Reply[]) =>
  run(args, { env: (await scriptedService(replies)).env, input: '1' });

describe('a list is recognised', () => {
  const rows = [
    { id: 'a', name: 'one' },
    { id: 'b', name: 'two' },
  ];
  const ofVal = (...versions: number[]) => versions.map((version) => ({ id, version }));
  const versions = ['version', 'ls', id];

  it.each<[what: string, body: unknown, args?: string[], printed?: unknown[]]>([
    ['as an array', rows],
    ['in data, at its end', { data: rows, links: { self: 'https://x.example/v1' } }],
    ['in data, beside a second array', { warnings: ['slow'], data: rows }],
    ['of versions that have the id of their val', { data: ofVal(0, 1, 2) }, versions, ofVal(2, 1, 0)],
    ['of versions without ids', [{ version: 0 }, { version: 3 }], versions, [{ version: 3 }, { version: 0 }]],
  ])('%s', async (_what, body, args = ['runs'], printed = rows) => {
    const service = await scriptedService([{ body }], () => ({ body: [] }));
    const { exit, stdout, stderr } = await run([...args, '--json'], { env: service.env });
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: `${JSON.stringify(printed)}\n`, stderr: '' });
  });
});

describe('under --json, a record is printed as the service sent it', () => {
  const records = [
    `{"id":"${id}","name":"hello","code":null,"readme":null,"privacy":null}`,
    '{"id":"a","public":false,"version":0}',
    '{"id":"a","zeta":{"b":[1,{"c":null}],"a":""},"alpha":[],"":"no name","a.b":{}}',
    '{"__proto__":{"a":1},"constructor":2,"toJSON":"x","then":"y","length":3}',
    '{"a":{"__proto__":{"b":1}},"__proto__":1.5,"hasOwnProperty":1}',
    '{"name":"é 日本 👩‍💻","quote":"\\"\\\\/","control":"\\u0000\\u001b\\n","half":"\\ud800","other":"\\udc00x"}',
    '{"a":"1.0","b":"x: 1.0, 2.0","c":"\\": 1.0,","1.0":"12345678901234567890"}',
    '{}',
  ];

  it('in a list, and alone', async () => {
    const list = await ask(['refs', '--json'], bytes(`{"data":[${records}],"links":{}}`));
    expect(list).toMatchObject({ exit: 0, stdout: `[${records}]\n`, stderr: '' });
    expect((await ask(['me', '--json'], bytes('{}'))).stdout).toBe('{}\n');
  });

  it('without spaces and a byte order mark around it', async () => {
    const text = '\ufeff \n{ "id" : 1 ,\r\n\t"list" : [ 12 , 1.5 ] }\n ';
    const stdout = '{"id":1,"list":[12,1.5]}\n';
    expect(await ask(['me', '--json'], bytes(text))).toMatchObject({ exit: 0, stdout });
  });
});

it('a val with missing fields is shown with the fields that it has', async () => {
  const body = { name: 'hello', version: 0, author: 'ada' };
  expect((await ask(['val', 'get', id], { body })).stdout).toBe('hello\t\t0\tada\t\t\t\n');
});

describe('the message of an error', () => {
  const html = '<!DOCTYPE html>\n<html><title>\n Blocked\n by a proxy </title><h1>Oh</h1></html>';

  it.each([
    [{ error: 'Bad Request', message: 'too long' }, 'too long'],
    [{ error: { message: 'too long', code: 'E1' } }, 'too long'],
    [{ errors: ['too long', 'too odd'] }, 'too long; too odd'],
    [{ errors: [{ message: 'too long' }, { message: 'too odd' }] }, 'too long; too odd'],
    [{ type: 'about:blank', title: 'Bad Request', detail: 'too long' }, 'too long'],
    ['too long', 'too long'],
    [{ message: 'No.', validation: [{ message: 'too long', instancePath: '/name' }] }, 'No: name too long'],
    [html, 'an HTML page titled "Blocked by a proxy"'],
  ])('is found in %j', (body, said) => {
    expect(serviceMessageOf(body, (text) => text)).toBe(said);
  });

  it('is shown after the meaning of the status', async () => {
    const { exit, stdout, error } = await ask(['me', '--json'], bytes('\ufeff{"message":"too long"}', 400));
    expect({ exit, stdout }).toEqual({ exit: 6, stdout: '' });
    const message = 'The service refused the request: too long.';
    expect(error).toMatchObject({ kind: 'refused', status: 400, message, body: { message: 'too long' } });
  });
});

const at = '2024-05-01T10:00:00.000Z';

async function seen(args: string[], replies: Reply[], forever?: (seen: Seen) => Reply) {
  const { env, requests } = await scriptedService(replies, forever);
  return { ...(await run(args, { env })), paths: requests.map(({ path }) => path) };
}

const unnamed = { id: 'a', username: null };

it.each([
  [['version', 'ls', id], { val_id: id, version: 2, createdAt: at }, ['2', at, id, '']],
  [
    ['refs'],
    { reference: { id: 'r', name: 'n', username: 'ada' }, dependsOn: { name: 'd' } },
    ['n', 'd', 'ada', '', 'r'],
  ],
  [['refs'], { reference: { id: 'r', name: 'n', author: { username: 'bo' } } }, ['n', '', 'bo', '', 'r']],
  [
    ['likes'],
    { id, name: 'n', version: 1, author: unnamed, createdAt: at, versionCreatedAt: at },
    ['n', '', '1', '', at, at, id],
  ],
  [['comments'], { id: 'c', comment: 'hi', author: unnamed }, ['', '', '', 'hi', 'c']],
])('a row of a real service is shown by %j for %j', async (args, record, cells) => {
  const { exit, stdout } = await seen(args, [{ body: { data: [record], links: {} } }]);
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${cells.join('\t')}\n` });
});

describe('a list that the service refuses without limit and offset', () => {
  const versions = Array.from({ length: 130 }, (_, index) => ({ id, version: 130 - index, createdAt: at }));
  const insisting =
    (status: number) =>
    (seen: Seen): Reply =>
      seen.path.includes('limit=')
        ? pageOf(versions, seen)
        : { status, body: { message: 'limit is required' } };

  it.each([
    [400, ['version', 'ls', id], `/v1/vals/${id}/versions`],
    [422, ['refs'], '/v1/me/references'],
  ])('with %i is requested again with limit and offset', async (status, args, path) => {
    const { exit, stdout, paths } = await seen([...args, '--json'], [], insisting(status));
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual(versions);
    expect(paths.slice(0, 2)).toEqual([path, `${path}?limit=100&offset=0`]);
  });

  it('is not requested a third time, nor after another refusal', async () => {
    const no = { status: 400, body: { message: 'no' } };
    expect(await seen(['refs'], [no, no])).toMatchObject({ exit: 6, stdout: '' });
    expect(await seen(['refs'], [{ ...no, status: 403 }])).toMatchObject({ exit: 4 });
  });
});

describe('runs of one val, filtered by the service or here,', () => {
  const runs = Array.from({ length: 250 }, (_, index) => ({
    id: `r${index}`,
    runStartAt: new Date(Date.parse(at) - index * 60_000).toISOString(),
    error: index % 50 === 0 ? 'boom' : null,
  }));
  const ago = (minutes: number) => new Date(Date.parse(at) - minutes * 60_000).toISOString();

  it.each([
    ['--error', 'r0 r50 r100 r150 r200'],
    ['--no-error --limit 2', 'r1 r2'],
    [`--since ${ago(101)} --until ${ago(99)} --error`, 'r100'],
  ])('are listed with %s: %s', async (flags, ids) => {
    const args = ['val', 'runs', id, ...flags.split(' '), '--fields', 'id'];
    const { exit, stdout, paths } = await seen(args, [], (asked) => pageOf(runs, asked));
    expect({ exit, ids: stdout.trim().replaceAll('\n', ' ') }).toEqual({ exit: 0, ids });
    for (const path of paths) expect(path).toMatch(/\/runs\?.*limit=100&offset=\d+$/);
  });
});
