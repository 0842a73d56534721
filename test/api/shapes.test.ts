import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forEachAtMost } from '../support/cases.ts';
import { run } from '../support/program.ts';
import { type Reply, scriptedService } from '../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const stack = /^\s+at .+:\d+/m;

const bytes =
  (body: Uint8Array | string, status = 200): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);

const ask = async (args: string[], ...replies: Reply[]) =>
  run(args, { env: (await scriptedService(replies)).env, input: '1' });

const a = { id: 'a', name: 'one' };
const b = { id: 'b', name: 'two' };

describe('the shape of a list', () => {
  const shapes: { name: string; body: unknown; args?: string[] }[] = [
    { name: 'a bare array', body: [a, b] },
    { name: '{data, links} at its end', body: { data: [a, b], links: { self: 'https://x.example/v1' } } },
    { name: '{data} alone', body: { data: [a, b] } },
    { name: '{data} among other things', body: { data: [a, b], total: 2, page: { size: 20 }, ok: true } },
    { name: '{data} beside a second array', body: { warnings: ['slow'], data: [a, b] } },
    { name: '{items}', body: { items: [a, b], warnings: [] } },
    { name: '{results}', body: { results: [a, b], next: null, count: 2, warnings: [] } },
    { name: '{runs}', body: { runs: [a, b] } },
    { name: '{runs} beside a second array', body: { runs: [a, b], facets: [{ a: 1 }] } },
    { name: '{vals}', body: { vals: [a, b], warnings: [] }, args: ['likes'] },
    { name: '{likes}', body: { likes: [a, b] }, args: ['likes'] },
    { name: '{comments}', body: { comments: [a, b] }, args: ['comments'] },
    { name: '{versions}', body: { versions: [a, b], warnings: [] }, args: ['version', 'ls', id] },
    { name: '{references}', body: { references: [a, b] }, args: ['refs'] },
    { name: 'one array under a word of its own', body: { überraschung: [a, b], count: 2 } },
    {
      name: 'one array under __proto__',
      body: '{"__proto__":[{"id":"a","name":"one"},{"id":"b","name":"two"}]}',
    },
  ];

  it('is recognised in every known form', async () => {
    await forEachAtMost(3, shapes, async ({ name, body, args = ['runs'] }) => {
      const service = await scriptedService([{ body }], () => ({ body: [] }));
      const { exit, stdout, stderr } = await run([...args, '--json'], { env: service.env });
      const printed = `${JSON.stringify([a, b])}\n`;
      expect({ name, exit, stdout, stderr }).toEqual({ name, exit: 0, stdout: printed, stderr: '' });
    });
  });

  it.each([
    { args: ['runs'], body: [] },
    { args: ['likes'], body: { data: [], links: {} } },
    { args: ['refs'], body: { items: [] } },
    { args: ['version', 'ls', id], body: { whatever: [] } },
  ])('may be empty: $args $body', async ({ args, body }) => {
    const service = await scriptedService([], () => ({ body }));
    const formats: [string[], string][] = [
      [['--json'], '[]\n'],
      [['--json', '--fields', 'id'], '[]\n'],
      [['--ndjson'], ''],
      [[], ''],
    ];
    await forEachAtMost(3, formats, async ([format, printed]) => {
      const { exit, stdout, stderr } = await run([...args, ...format], { env: service.env });
      expect({ format, exit, stdout, stderr }).toEqual({ format, exit: 0, stdout: printed, stderr: '' });
    });
  });
});

describe('the versions of a val', () => {
  it.each([
    { name: 'with the id of their val', rows: [0, 1, 2].map((version) => ({ id, name: 'hello', version })) },
    { name: 'with valId', rows: [0, 1, 2].map((version) => ({ valId: id, version })) },
    { name: 'without any id', rows: [0, 3, 7].map((version) => ({ version })) },
  ])('$name are all listed', async ({ rows }) => {
    const service = await scriptedService([{ body: { data: rows, links: {} } }, { body: rows }]);
    const json = await run(['version', 'ls', id, '--json'], { env: service.env });
    expect(json).toMatchObject({ exit: 0, stdout: `${JSON.stringify(rows)}\n` });
    const text = await run(['version', 'ls', id, '--fields', 'version'], { env: service.env });
    expect(text).toMatchObject({ exit: 0, stdout: rows.map(({ version }) => `${version}\n`).join('') });
  });
});

describe('an answer that is not a list', () => {
  const shapes: [text: string, said: RegExp][] = [
    ['{}', /empty object/],
    ['null', /null/],
    ['5', /a number/],
    ['"x"', /a string/],
    ['true', /true/],
    ['{"a":[],"b":[]}', /keys a, b/],
    ['{"data":null}', /keys data/],
    ['{"message":"no"}', /keys message/],
    ['{"errors":[{"message":"no"}]}', /sent an error with the status 200: no\./],
    ['[1,2]', /a number/],
    ['[[]]', /an array/],
    ['[{"id":"a"},true]', /true/],
    ['{"items":[{"id":"a"},0]}', /a number/],
  ];
  const formats = [['--json'], ['--ndjson'], []];
  const commands = [['runs'], ['likes'], ['comments'], ['refs'], ['version', 'ls', id], ['val', 'runs', id]];
  const cases = shapes.map(([text, said], index) => ({
    text,
    said,
    args: [...(commands[index % commands.length] ?? []), ...(formats[index % formats.length] ?? [])],
  }));

  it.each(cases)('is refused by $args: $text', async ({ args, text, said }) => {
    const { exit, stdout, stderr, error } = await ask(args, { body: text });
    expect({ exit, stdout }).toEqual({ exit: 11, stdout: '' });
    expect(stderr).toMatch(said);
    expect(stderr).not.toMatch(stack);
    const inJson = args.some((word) => word.endsWith('json'));
    if (inJson) expect(error).toMatchObject({ kind: 'bad_response', exit: 11, method: 'GET' });
    else expect(stderr).toMatch(/^error: .+\nhint: .+\n$/);
  });

  it.each([
    [['me'], '[]'],
    [['val', 'get', id], '"x"'],
    [['val', 'get', id], '[{"id":"a"}]'],
    [['version', 'get', id, '1'], 'false'],
  ])('is refused by %j if it is not a record either: %s', async (args, text) => {
    const { exit, stdout, error } = await ask([...args, '--json'], { body: text });
    expect({ exit, stdout }).toEqual({ exit: 11, stdout: '' });
    expect(error).toMatchObject({ kind: 'bad_response', message: expect.stringContaining('record') });
  });
});

const digits = [
  ...'9007199254740993 -9007199254740993 12345678901234567890 1.0 -1.0 0.10 1.50 -0 -0.0 0e0'.split(' '),
  ...'1e400 -1e400 1e-400 1E5 1e+5 1e5 100000000000000000000000'.split(' '),
  '0.1000000000000000055511151231257827021181583404541015625',
  '3.14159265358979323846264338327950288',
  '123456789.123456789123456789',
];

describe('a record under --json is printed as the service sent it:', () => {
  const records: [name: string, text: string][] = [
    ['a val without code', `{"id":"${id}","name":"hello","code":null,"readme":null,"privacy":null}`],
    ['the older boolean public', '{"id":"a","public":false,"version":0}'],
    ['unknown fields', '{"id":"a","zeta":{"b":[1,{"c":null}],"a":""},"alpha":[],"":"no name","a.b":{}}'],
    [
      'names that JavaScript knows',
      '{"__proto__":{"a":1},"constructor":2,"toJSON":"x","then":"y","length":3}',
    ],
    ['a __proto__ inside and digits', '{"a":{"__proto__":{"b":1.0}},"__proto__":1.0,"hasOwnProperty":1.0}'],
    ['text outside ASCII', '{"name":"é 日本 👩‍💻","quote":"\\"\\\\/","control":"\\u0000\\u001b\\n"}'],
    ['half a surrogate pair', '{"half":"\\ud800","other":"\\udc00x"}'],
    [
      'text that looks like numbers',
      '{"a":"1.0","b":"x: 1.0, 2.0","c":"\\": 1.0,","1.0":"12345678901234567890"}',
    ],
    ['digits beside text with quotes', '{"a":"\\\\","b":1.0,"c":"\\"","d":[1.0,"\\\\\\"1.0"],"e":1.0}'],
    ['every digit', `{${digits.map((number, index) => `"n${index}":${number}`).join(',')}}`],
    ['digits in arrays', `{"list":[${digits.join(',')}],"nested":[[${digits.join('],[')}]]}`],
    ['a lone number', '{"n":1.0}'],
    ['no field at all', '{}'],
  ];
  it.each(records)('%s', async (_name, text) => {
    const { exit, stdout, stderr } = await ask(['me', '--json'], bytes(text));
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: `${text}\n`, stderr: '' });
  });

  it('without spaces and a byte order mark around the record', async () => {
    const text = '{ "id" : 1.0 ,\r\n\t"list" : [ 12345678901234567890 , -0 ] }';
    const service = await scriptedService([bytes(`\ufeff \n${text}\n `), bytes(`\ufeff[${text}]`)], () => ({
      body: [],
    }));
    const record = await run(['me', '--json'], { env: service.env });
    expect(record).toMatchObject({ exit: 0, stdout: '{"id":1.0,"list":[12345678901234567890,-0]}\n' });
    const list = await run(['runs', '--ndjson'], { env: service.env });
    expect(list).toMatchObject({ exit: 0, stdout: record.stdout });
  });

  it('row by row in a list', async () => {
    const texts = records.map(([, text]) => text);
    const { exit, stdout } = await ask(['refs', '--json'], bytes(`{"data":[${texts}],"links":{}}`));
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `[${texts}]\n` });
  });

  it('with control characters escaped, and the text stays the same', async () => {
    const text = 'a\u007fb\u0085c\u009bd\u2028e\u2029f\u001bg\u202eh\u2066i';
    const { stdout } = await ask(['me', '--json'], { body: { text } });
    expect(stdout).toBe('{"text":"a\\u007fb\\u0085c\\u009bd\\u2028e\\u2029f\\u001bg\\u202eh\\u2066i"}\n');
    expect(JSON.parse(stdout)).toEqual({ text });
  });
});

describe('every digit of a number is kept', () => {
  const names = digits.map((_number, index) => `n${index}`);
  const record = `{${digits.map((number, index) => `"n${index}":${number}`).join(',')}}`;

  it.each([
    { more: ['--ndjson'], stdout: `${record}\n` },
    { more: ['--json', '--fields', names.join(',')], stdout: `[${record}]\n` },
    { more: ['--ndjson', '--fields', names.join(',')], stdout: `${record}\n` },
    { more: ['--fields', names.join(',')], stdout: `${digits.join('\t')}\n` },
  ])('in a list with $more.0', async ({ more, stdout }) => {
    const service = await scriptedService([{ body: `{"data":[${record}],"links":{}}` }]);
    expect(await run(['runs', ...more], { env: service.env })).toMatchObject({ exit: 0, stdout, stderr: '' });
  });

  it('inside a cell and under a dotted path', async () => {
    const service = await scriptedService([
      bytes('{"val":{"version":1.0,"list":[1.0,1e400]}}'),
      bytes('{"val":{"version":1.0,"list":[1.0,1e400]}}'),
    ]);
    const fields = 'val.version,val.list,val.list.1,val';
    const text = await run(['me', '--fields', fields], { env: service.env });
    expect(text.stdout).toBe('1.0\t[1.0,1e400]\t1e400\t{"version":1.0,"list":[1.0,1e400]}\n');
    const json = await run(['me', '--json', '--fields', 'val.list,val.version'], { env: service.env });
    expect(json.stdout).toBe('{"val":{"list":[1.0,1e400],"version":1.0}}\n');
  });

  it('in the version of a pushed val, and in the id of a repeated record', async () => {
    const service = await scriptedService([
      { body: '{"id":"a","version":12345678901234567890}' },
      { body: '[{"id":12345678901234567890},{"id":12345678901234567891}]' },
      { body: '[]' },
    ]);
    const push = await run(['push', '-', '--name', 'hello', '--json'], { env: service.env, input: '1' });
    expect(push.stdout).toContain('"version":12345678901234567890');
    const list = await run(['runs', '--ndjson'], { env: service.env });
    expect(list.stdout).toBe('{"id":12345678901234567890}\n{"id":12345678901234567891}\n');
  });

  it('in records of any kind', async () => {
    const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,4})?$/);
    const text = fc
      .string({
        unit: fc.constantFrom('"', '\\', ':', ',', '1', '.', '0', 'e', '-', ' ', '{', ']', 'é', '\n'),
      })
      .map((text) => JSON.stringify(text));
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        number,
        text,
        fc.constantFrom('null', 'true', 'false'),
        fc.array(tie('value'), { maxLength: 4 }).map((values) => `[${values.join(',')}]`),
        fc
          .array(tie('value'), { maxLength: 4 })
          .map((values) => `{${values.map((value, index) => `"k${index}":${value}`).join(',')}}`),
      ),
    }));
    const record = value.map((value) => `{"value":${value}}`);
    const records = fc.sample(record, { numRuns: 2_000, seed: 20_260_101 });
    const { exit, stdout } = await ask(
      ['runs', '--limit', '2000', '--ndjson'],
      bytes(`{"data":[${records.join(', ')}],"links":{}}`),
    );
    expect({ exit, compared: records.length }).toEqual({ exit: 0, compared: 2_000 });
    expect(stdout.split('\n')).toEqual([...records, '']);
  });

  it('beside a text with millions of line breaks', async () => {
    const record = `{"code":"${'\\n'.repeat(2_000_000)}","n":1.0}`;
    const { exit, stdout, stderr } = await ask(['me', '--json', '--fields', 'n'], bytes(record));
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '{"n":1.0}\n', stderr: '' });
  });
});

const depth = 100_000;
const deepJson = `{"id":${'['.repeat(depth)}${']'.repeat(depth)}}`;

function canStringify(text: string): boolean {
  try {
    JSON.stringify(JSON.parse(text));
    return true;
  } catch {
    return false;
  }
}

// Node 26 handles JSON of any depth.
it.skipIf(canStringify(deepJson))('JSON that is nested too deeply is a bad response', async () => {
  for (const args of [['me'], ['me', '--json']]) {
    const { exit, stderr } = await ask(args, bytes(deepJson));
    expect({ args, exit, stderr }).toMatchObject({ exit: 11, stderr: expect.stringContaining('too deeply') });
  }
});

describe('a val or a run with missing fields', () => {
  it('is shown with the fields that it has', async () => {
    const body = { name: 'hello', public: true, version: 0, author: 'ada' };
    const { exit, stdout } = await ask(['val', 'get', id], { body });
    expect({ exit, cells: stdout.split('\t') }).toEqual({
      exit: 0,
      cells: ['hello', 'true', '0', 'ada', '', '', '\n'],
    });
  });

  it.each([
    [{ error: null }, ''],
    [{ error: 'boom' }, 'boom'],
    [{ error: { message: 'boom' } }, 'boom'],
    [{ error: { code: 1.5 } }, '{"code":1.5}'],
  ])('a run with %j shows its error', async (run_, cell) => {
    const { stdout } = await ask(['runs'], { body: { data: [{ id: 'r', ...run_ }], links: {} } });
    expect(stdout).toBe(`\t\t\t\t${cell}\tr\n`);
  });

  it.each([
    { val: { name: 'hello', version: 0 }, runStartAt: 's', runEndAt: 'e' },
    { valName: 'hello', version: 0, startedAt: 's', endedAt: 'e' },
    { valName: 'hello', version: 0, createdAt: 's', endedAt: 'e' },
  ])('a run is read from %j', async (body) => {
    const { stdout } = await ask(['runs'], { body: { data: [{ id: 'r', ...body }], links: {} } });
    expect(stdout).toBe('s\te\thello\t0\t\tr\n');
  });
});

describe('the answer to a write', () => {
  const pushes: { reply: Reply; outcome: Record<string, unknown> }[] = [
    {
      reply: { status: 200, body: { id, version: 3, name: 'hello' } },
      outcome: { status: 'pushed', id, version: 3 },
    },
    { reply: { status: 201, body: { id, version: 1 } }, outcome: { status: 'created', id, version: 1 } },
    { reply: { status: 201, body: { id, version: 0 } }, outcome: { status: 'created', id, version: 0 } },
    { reply: { status: 200, body: { version: 0 } }, outcome: { status: 'pushed', version: 0 } },
    { reply: { status: 200, body: { id: null } }, outcome: { status: 'pushed' } },
    { reply: { status: 200, body: {} }, outcome: { status: 'pushed' } },
    { reply: { status: 204 }, outcome: { status: 'pushed' } },
    { reply: { status: 200 }, outcome: { status: 'pushed' } },
    { reply: { status: 200, body: ' \r\n' }, outcome: { status: 'pushed' } },
    { reply: { status: 201 }, outcome: { status: 'created' } },
    { reply: { status: 202, body: { id } }, outcome: { status: 'pushed', id } },
    { reply: { status: 200, body: '[]' }, outcome: { status: 'pushed' } },
  ];
  it('of push may be any success, and its fields are reported', async () => {
    const seen: unknown[] = [];
    await forEachAtMost(3, pushes, async ({ reply }, index) => {
      const service = await scriptedService([reply]);
      const { exit, stdout, stderr } = await run(['push', '-', '--name', 'hello', '--json'], {
        env: service.env,
        input: '1',
      });
      seen[index] = { reply, exit, stderr, outcomes: JSON.parse(stdout) };
    });
    expect(seen).toEqual(
      pushes.map(({ reply, outcome }) => ({
        reply,
        exit: 0,
        stderr: '',
        outcomes: [{ file: '-', name: 'hello', ...outcome }],
      })),
    );
  });
});

describe('the message of an error', () => {
  const page = (title: string) =>
    `<!DOCTYPE html>\n<html><head>${title}</head><body><h1>Oh</h1></body></html>`;
  const bodies: { body: string; message: string[]; sent?: unknown }[] = [
    { body: '{"message":"too long"}', message: ['too long'] },
    { body: '{"error":"too long"}', message: ['too long'] },
    { body: '{"error":"Bad Request","message":"too long"}', message: ['too long'] },
    { body: '{"message":"","error":"too long"}', message: ['too long'] },
    { body: '{"error":{"message":"too long","code":"E1"}}', message: ['too long'] },
    { body: '{"errors":["too long","too odd"]}', message: ['too long', 'too odd'] },
    { body: '{"errors":[{"message":"too long"},{"message":"too odd"}]}', message: ['too long', 'too odd'] },
    { body: '{"errors":[{"title":"Bad","detail":"too long"}]}', message: ['too long'] },
    {
      body: '{"statusCode":400,"error":"Bad Request","message":["too long","too odd"]}',
      message: ['too long', 'too odd'],
    },
    {
      body: '{"type":"about:blank","title":"Bad Request","status":400,"detail":"too long"}',
      message: ['too long'],
    },
    { body: '{"title":"Too long a name"}', message: ['Too long a name'] },
    { body: '"too long"', message: ['too long'] },
    { body: 'too long', message: ['too long'] },
    { body: '\r\n  too\n long \n', message: ['too long'] },
    { body: '\ufeff{"message":"too long"}', message: ['request: too long.'], sent: { message: 'too long' } },
    { body: '{"message":"Why?"}', message: ['request: Why?'] },
    { body: '{"message":"too long","limit":12345678901234567890,"ratio":1.0}', message: ['too long'] },
    { body: page('<title>Blocked by a proxy</title>'), message: ['Blocked by a proxy'] },
    { body: page('<title>\n Blocked\n by a proxy </title>'), message: ['Blocked by a proxy'] },
    { body: page(''), message: ['an HTML page'] },
  ];

  it.each(bodies)('is found in $body', async ({ body, message, sent }) => {
    const service = await scriptedService([bytes(body, 400), bytes(body, 400)]);
    const [json, text] = await Promise.all([
      run(['me', '--json'], { env: service.env }),
      run(['me'], { env: service.env }),
    ]);
    expect(json).toMatchObject({ exit: 6, stdout: '' });
    for (const part of message) expect(json.error?.message).toContain(part);
    expect(json.error?.message).not.toMatch(/[<\n]/);
    expect(json.error).toMatchObject({ kind: 'refused', status: 400, method: 'GET', path: '/v1/me' });
    expect(json.error?.body).toEqual(sent ?? parsedOrText(body));

    expect(text).toMatchObject({ exit: 6, stdout: '' });
    expect(text.stderr).toMatch(/^error: .+\nhint: .+\n$/);
    for (const part of message) expect(text.stderr.split('\n')[0]).toContain(part);
  });

  it('is reported as missing if the answer has none', async () => {
    const bodies = ['', ' \n', '{}', 'null', '5', '[]', '{"errors":[]}', '{"code":7}'];
    await forEachAtMost(3, bodies, async (body) => {
      const { exit, stderr } = await ask(['me'], bytes(body, 422));
      expect({ body, exit }).toEqual({ body, exit: 6 });
      expect(stderr).toMatch(/^error: The service refused the request and gave no reason\.\nhint: .+\n$/);
    });
  });

  it('is found in a document of 100 KB, of which the JSON error has the beginning', async () => {
    const body = JSON.stringify({ found: { code: 'a'.repeat(100_000) }, message: 'too long' });
    const { stderr } = await ask(['me', '--json'], bytes(body, 400));
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({ message: expect.stringContaining('request: too long.') });
    expect(error.body).toBe(body.slice(0, 2_000));
  });

  it('keeps its digits if the whole body is a number', async () => {
    const body = '{"message":"no","limit":12345678901234567890,"ratio":1.0,"__proto__":{"a":-0}}';
    const { stderr } = await ask(['me', '--json'], bytes(body, 400));
    expect(stderr).toContain(`"body":${body}`);
  });

  it('is cut if it is long, and its escape sequences move nothing', async () => {
    const body = JSON.stringify({ message: `\u001b[2J\u009b31m\u202e${'long '.repeat(5_000)}` });
    const service = await scriptedService([bytes(body, 400), bytes(body, 400), bytes(body, 400)]);
    const text = await run(['me'], { env: service.env });
    expect(text.stderr).toMatch(/^error: .*long long.*\nhint: .+\n$/);
    expect(text.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text.stderr.length).toBeLessThan(1_500);
    const json = await run(['me', '--json'], { env: service.env });
    expect(json.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(json.error?.body).toEqual(JSON.parse(body));
    const push = await run(['push', '-', '--name', 'hello'], { env: service.env, input: '1' });
    expect(push.stdout + push.stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
