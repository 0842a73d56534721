import { describe, expect, it } from 'vitest';
import { serviceMessageOf } from '../../../src/core/command-line/explain/service-message.ts';
import { run } from '../../support/program.ts';
import { type Reply, scriptedService } from '../../support/scripted-service.ts';

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
    ['of versions that have the id of their val', { data: ofVal(0, 1, 2) }, versions, ofVal(0, 1, 2)],
    ['of versions without ids', [{ version: 0 }, { version: 3 }], versions, [{ version: 0 }, { version: 3 }]],
  ])('%s', async (_what, body, args = ['runs'], printed = rows) => {
    const service = await scriptedService([{ body }], () => ({ body: [] }));
    const { exit, stdout, stderr } = await run([...args, '--json'], { env: service.env });
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: `${JSON.stringify(printed)}\n`, stderr: '' });
  });

  it.each([
    [['runs', '--json'], [], '[]\n'],
    [['likes', '--json', '--fields', 'id'], { data: [], links: {} }, '[]\n'],
    [['refs', '--ndjson'], { data: [] }, ''],
    [['version', 'ls', id], [], ''],
  ])('if it is empty: %j', async (args, body, stdout) => {
    expect(await ask(args, { body })).toMatchObject({ exit: 0, stdout, stderr: '' });
  });
});

describe('an answer that makes no sense is refused', () => {
  it.each<[args: string[], text: string, said: RegExp]>([
    [['runs'], '{}', /an object with the keys \(none\) instead of a list/],
    [['likes'], 'null', /null instead/],
    [['val', 'runs', id], '{"a":[],"b":[]}', /keys a, b/],
    [['comments'], '{"errors":[{"message":"no"}]}', /sent an error with the status 200: no\./],
    [['refs'], '[1,2]', /a number instead of a record in a list/],
    [['me'], '[]', /an array instead of a record/],
    [['version', 'get', id, '1'], 'false', /false instead of a record/],
  ])('by %j: %s', async (args, text, said) => {
    const { exit, stdout, error } = await ask([...args, '--json'], { body: text });
    expect({ exit, stdout }).toEqual({ exit: 11, stdout: '' });
    expect(error).toMatchObject({
      kind: 'bad_response',
      method: 'GET',
      message: expect.stringMatching(said),
    });
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
    const text = '{ "id" : 1 ,\r\n\t"list" : [ 12 , 1.5 ] }';
    const stdout = '{"id":1,"list":[12,1.5]}\n';
    expect(await ask(['me', '--json'], bytes(`\ufeff \n${text}\n `))).toMatchObject({ exit: 0, stdout });
    expect(await ask(['refs', '--ndjson'], bytes(`\ufeff[${text}]`))).toMatchObject({ exit: 0, stdout });
  });

  it('with control characters escaped, and the text stays the same', async () => {
    const text = 'a\u007fb\u0085c\u009bd\u2028e\u2029f\u001bg\u202eh\u2066i';
    const { stdout } = await ask(['me', '--json'], { body: { text } });
    expect(stdout).toBe('{"text":"a\\u007fb\\u0085c\\u009bd\\u2028e\\u2029f\\u001bg\\u202eh\\u2066i"}\n');
    expect(JSON.parse(stdout)).toEqual({ text });
  });
});

describe('a val or a run with missing fields', () => {
  it('is shown with the fields that it has', async () => {
    const body = { name: 'hello', version: 0, author: 'ada' };
    expect((await ask(['val', 'get', id], { body })).stdout).toBe('hello\t\t0\tada\t\t\t\n');
  });

  it.each([
    [{ error: null }, '\t\t\t\t'],
    [{ error: { message: 'boom' } }, '\t\t\t\tboom'],
    [{ error: { code: 1.5 } }, '\t\t\t\t{"code":1.5}'],
    [{ val: { name: 'hello', version: 0 }, runStartAt: 's', runEndAt: 'e' }, 's\te\thello\t0\t'],
    [{ valName: 'hello', version: 0, startedAt: 's', endedAt: 'e' }, 's\te\thello\t0\t'],
    [{ valId: 'an-id', version: 0, createdAt: 's', endedAt: 'e' }, 's\te\tan-id\t0\t'],
  ])('a run %j is read', async (fields, cells) => {
    const { stdout } = await ask(['runs'], { body: { data: [{ id: 'r', ...fields }], links: {} } });
    expect(stdout).toBe(`${cells}\tr\n`);
  });
});

it.each<[status: number, body: unknown, outcome: Record<string, unknown>]>([
  [200, { id, version: 3, name: 'hello' }, { status: 'sent', id, version: 3 }],
  [201, { id, version: 1 }, { status: 'created', id, version: 1 }],
  [200, { version: 0 }, { status: 'sent', version: 0 }],
  [204, undefined, { status: 'sent' }],
  [200, undefined, { status: 'sent' }],
  [200, '[]', { status: 'sent' }],
])('a push is done with the answer %i %j', async (status, body, outcome) => {
  const { exit, stdout, stderr } = await ask(['push', '-', '--name', 'hello', '--json', '--quiet'], {
    status,
    body,
  });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual([{ file: '-', name: 'hello', ...outcome }]);
});

describe('the message of an error', () => {
  const html = (title: string) =>
    `<!DOCTYPE html>\n<html><head>${title}</head><body><h1>Oh</h1></body></html>`;

  it.each([
    ['{"message":"too long"}', 'too long'],
    ['{"error":"too long"}', 'too long'],
    ['{"error":"Bad Request","message":"too long"}', 'too long'],
    ['{"message":"","error":"too long"}', 'too long'],
    ['{"error":{"message":"too long","code":"E1"}}', 'too long'],
    ['{"errors":["too long","too odd"]}', 'too long; too odd'],
    ['{"errors":[{"message":"too long"},{"message":"too odd"}]}', 'too long; too odd'],
    ['{"errors":[{"title":"Bad","detail":"too long"}]}', 'too long'],
    ['{"statusCode":400,"error":"Bad Request","message":["too long","too odd"]}', 'too long; too odd'],
    ['{"type":"about:blank","title":"Bad Request","status":400,"detail":"too long"}', 'too long'],
    ['{"title":"Too long a name"}', 'Too long a name'],
    ['"too long"', 'too long'],
    ['too long', 'too long'],
    ['\r\n  too\n long \n', 'too long'],
    ['{"message":"Why?"}', 'Why?'],
    [html('<title>\n Blocked\n by a proxy </title>'), 'an HTML page titled "Blocked by a proxy"'],
    [html(''), 'an HTML page'],
  ])('is found in %j', (body, said) => {
    expect(serviceMessageOf(parsedOrText(body), (text) => text)).toBe(said);
  });

  it.each(['\ufeff{"message":"too long"}', 'too long'])(
    'is shown after the meaning of the status: %j',
    async (body) => {
      const { exit, stdout, error } = await ask(['me', '--json'], bytes(body, 400));
      expect({ exit, stdout }).toEqual({ exit: 6, stdout: '' });
      const message = 'The service refused the request: too long.';
      const sent = parsedOrText(body.replace('\ufeff', ''));
      expect(error).toMatchObject({ kind: 'refused', status: 400, message, body: sent });
    },
  );

  it('is reported as missing if the answer has none', async () => {
    for (const body of [' \n', '{}', '[]']) {
      const { stderr } = await ask(['me'], bytes(body, 422));
      expect(stderr).toMatch(/^error: The service refused the request\.\nhint: .+\n$/);
    }
  });

  it('is found in a document of 100 KB, of which the JSON error has the beginning', async () => {
    const body = JSON.stringify({ found: { code: 'a'.repeat(100_000) }, message: 'too long' });
    const { error } = await ask(['me', '--json'], bytes(body, 400));
    const message = expect.stringContaining('request: too long.');
    expect(error).toMatchObject({ message, body: body.slice(0, 2_000) });
  });
});

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
