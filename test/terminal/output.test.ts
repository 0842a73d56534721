// The output of commands in every format, at a terminal and in a pipe.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import { inProcess } from '../support/in-process.ts';
import {
  environment,
  program,
  run,
  runOnScreen,
  shellAtTerminal,
  temporaryFolder,
} from '../support/program.ts';
import { type Reply, scriptedService } from '../support/scripted-service.ts';
import { moving, tabRows } from './escapes.ts';

type Row = Record<string, unknown>;

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const hello = { id, name: 'hello', privacy: 'public', version: 3, code: 'export default 1' };
const list = (rows: readonly Row[]): Reply => ({ body: { data: rows, links: {} } });

/** A terminal ends lines with CR and LF. */
const plain = (screen: string): string => screen.replaceAll('\r\n', '\n');
/** Without colours. */
const bare = (screen: string): string => plain(stripVTControlCharacters(screen));
const lines = (screen: string): string[] => bare(screen).replace(/\n$/, '').split('\n');

/** A reply that is sent when `open` is called. */
function held(body: unknown): { reply: Reply; open: () => void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((done) => {
    open = done;
  });
  const reply: Reply = (response) => void opened.then(() => response.end(JSON.stringify(body)));
  return { reply, open: () => open() };
}

describe('tab-separated lines in a pipe', () => {
  const rows = [
    { id: 'a', name: 'one', privacy: 'public', version: 1, createdAt: '2026-01-31T09:30:00+02:00' },
    { id: 'b', name: 'two', public: false, version: 0, author: { username: '@ada' } },
  ];
  const text = 'one\tpublic\t1\t\t2026-01-31T09:30:00+02:00\t\ta\ntwo\tfalse\t0\t@ada\t\t\tb\n';

  it.each([
    { args: [], env: {} },
    { args: [], env: { FORCE_COLOR: '3', COLORTERM: 'truecolor', CLICOLOR_FORCE: '1' } },
    { args: [], env: { NO_COLOR: '1', COLUMNS: '10' } },
    { args: ['--quiet'], env: { CI: 'true', GITHUB_ACTIONS: 'true' } },
  ])('have no header and no colour, and are not cut, with $args and $env', async ({ args, env }) => {
    const service = await scriptedService([list(rows)]);
    const result = await run(['likes', ...args], { env: { ...service.env, ...env } });
    expect(result).toMatchObject({ exit: 0, stdout: text, stderr: '' });
  });

  it('--color shows what a terminal would show instead', async () => {
    const env = { COLUMNS: '60', LANG: 'C.UTF-8' };
    const service = await scriptedService([list(rows), list(rows)]);
    const pipe = await run(['likes', '--color'], { env: { ...service.env, ...env } });
    const terminal = await runOnScreen(['likes'], { env: { ...service.env, ...env }, columns: 200 });
    expect(pipe.stdout).toBe(plain(terminal.screen));
    expect(pipe.stdout).toContain('\u001b[1mNAME');
  });

  it('are one line for one record', async () => {
    const service = await scriptedService([{ body: { id: 'u', username: 'ada', bio: 'a\nb', more: 1 } }]);
    const { stdout } = await run(['me'], { env: service.env });
    expect(stdout).toBe('ada\tu\t\ta\\nb\t\n');
  });

  it('do not cut a long value', async () => {
    const name = 'x'.repeat(10_000);
    const service = await scriptedService([list([{ name }])]);
    expect((await run(['likes', '--fields', 'name'], { env: service.env })).stdout).toBe(`${name}\n`);
  });

  it('keep every digit of a number, and show nested values as compact JSON', async () => {
    const row = '{"n":12345678901234567890,"f":1.0,"e":1e400,"z":-0,"o":{"a":[1.50]},"t":true}';
    const service = await scriptedService([{ body: `{"data":[${row}],"links":{}}` }]);
    const { stdout } = await run(['likes', '--fields', 'n,f,e,z,o,t'], { env: service.env });
    expect(stdout).toBe('12345678901234567890\t1.0\t1e400\t-0\t{"a":[1.50]}\ttrue\n');
  });

  const random = fc.sample(fc.string({ unit: 'binary', maxLength: 40 }), { numRuns: 300, seed: 20_260_131 });
  it.each([
    {
      what: 'backslashes',
      values: ['\\', '\\\\', '\\n', '\n', '\\\n', 'C:\\temp\\u0041', '\\u000a', '\\t\t'],
    },
    { what: 'any text', values: random },
  ])('escape $what so that it can be restored', async ({ values }) => {
    const service = await scriptedService([list(values.map((name) => ({ name, version: 7 })))]);
    const { exit, stdout } = await run(['likes', '--all', '--fields', 'name,version'], { env: service.env });
    expect(exit).toBe(0);
    expect(tabRows(stdout)).toEqual(values.map((name) => [name, '7']));
    expect(stdout.replaceAll('\t', '')).not.toMatch(moving);
  });

  it('escape tab, newline, CR and backslash as \\t, \\n, \\r and \\\\', async () => {
    const service = await scriptedService([list([{ name: '\t\n\r\\' }])]);
    expect((await run(['likes', '--fields', 'name'], { env: service.env })).stdout).toBe('\\t\\n\\r\\\\\n');
  });
});

describe('--json', () => {
  it('keeps every digit, and is compact in a pipe', async () => {
    const text =
      '{"id":12345678901234567890,"zero":-0,"one":1.0,"huge":1e400,"small":1.5E-7,"b":{"z":null,"a":[]},"a":""}';
    const service = await scriptedService([{ body: text }]);
    expect((await run(['me', '--json'], { env: service.env })).stdout).toBe(`${text}\n`);
  });

  it('is indented at a terminal, with the same value', async () => {
    const rows = [{ id: 'a', o: { b: [1] } }, { id: 'c' }];
    const service = await scriptedService([{ body: hello }, list(rows)]);
    const one = await runOnScreen(['val', 'get', id, '--json', '--quiet'], { env: service.env });
    expect(one.screen).toContain('\u001b[36m"id"\u001b[39m');
    expect(bare(one.screen)).toBe(`${JSON.stringify(hello, undefined, 2)}\n`);
    const many = await runOnScreen(['likes', '--json', '--quiet'], { env: service.env });
    expect(bare(many.screen)).toBe(`${JSON.stringify(rows, undefined, 2)}\n`);
  });

  it('is one array over several pages, indented or not', async () => {
    const rows = Array.from({ length: 5 }, (_, index) => ({ id: `r${index}` }));
    const pages = (): Reply[] => [
      { body: { data: rows.slice(0, 2), links: { next: '?offset=2' } } },
      { body: { data: rows.slice(2, 4), links: { next: '?offset=4' } } },
      { body: { data: rows.slice(4), links: {} } },
    ];
    const service = await scriptedService([...pages(), ...pages()]);
    const pipe = await run(['likes', '--all', '--json'], { env: service.env });
    expect(pipe.stdout).toBe(`${JSON.stringify(rows)}\n`);
    const terminal = await runOnScreen(['likes', '--all', '--json', '--quiet'], { env: service.env });
    expect(bare(terminal.screen)).toBe(`${JSON.stringify(rows, undefined, 2)}\n`);
  });

  it('of a text is a JSON string', async () => {
    const service = await scriptedService([{ body: { ...hello, code: 'a\n"b"\u009b' } }]);
    const { stdout } = await run(['val', 'get', id, '--code', '--json'], { env: service.env });
    expect(stdout).toBe('"a\\n\\"b\\"\\u009b"\n');
  });

  it('keeps every digit of a record with megabytes of text', async () => {
    const source = 'say("\\\\n");\n\t'.repeat(200_000);
    const service = await scriptedService([{ body: `{"code":${JSON.stringify(source)},"n":1.0}` }]);
    const { exit, stdout } = await run(['val', 'get', id, '--json'], { env: service.env });
    expect(exit).toBe(0);
    expect(stdout.endsWith(',"n":1.0}\n')).toBe(true);
    expect((JSON.parse(stdout) as Row).code === source).toBe(true);
  });
});

describe('--ndjson', () => {
  it('is one compact record a line, at a terminal too', async () => {
    const rows = [{ id: 'a', n: { b: 'x\ny' } }, { id: 'b' }];
    const service = await scriptedService([list(rows), list(rows)]);
    const text = '{"id":"a","n":{"b":"x\\ny"}}\n{"id":"b"}\n';
    expect((await run(['likes', '--ndjson'], { env: service.env })).stdout).toBe(text);
    const { screen } = await runOnScreen(['likes', '--ndjson', '--quiet'], { env: service.env });
    expect(bare(screen)).toBe(text);
  });

  it('is written as pages arrive', async () => {
    // The second page is answered only after the first line was written.
    const { reply, open } = held({ data: [{ id: 'b' }], links: {} });
    const first: Reply = { body: { data: [{ id: 'a' }], links: { next: '?offset=1' } } };
    const service = await scriptedService([first, reply]);
    const { stdout } = await inProcess(['likes', '--all', '--ndjson'], {
      env: environment(temporaryFolder(), service.env),
      heard: ({ stdout }) => stdout === '{"id":"a"}\n' && open(),
    });
    expect(stdout).toBe('{"id":"a"}\n{"id":"b"}\n');
  });

  const breaksOff: Reply[] = [
    { body: { data: [{ id: 'a' }], links: { next: '?offset=1' } } },
    { status: 400, body: { message: 'no more of this' } },
  ];

  it('keeps the lines already written when a later page fails', async () => {
    const service = await scriptedService(breaksOff);
    const { exit, stdout, error } = await run(['likes', '--all', '--ndjson'], { env: service.env });
    expect({ exit, stdout }).toEqual({ exit: 6, stdout: '{"id":"a"}\n' });
    expect(error).toMatchObject({
      kind: 'refused',
      exit: 6,
      status: 400,
      body: { message: 'no more of this' },
    });
  });

  it.each([[[]], [['--json']]])('unlike %j, which then prints nothing', async (args) => {
    const service = await scriptedService(breaksOff);
    const { exit, stdout, stderr } = await run(['likes', '--all', ...args], { env: service.env });
    expect({ exit, stdout }).toEqual({ exit: 6, stdout: '' });
    expect(stderr).toContain('no more of this');
  });
});

describe('--fields', () => {
  const record =
    '{"id":"r","a":{"b":1,"c":{"d":2}},"s":"text","n":null,"big":12345678901234567890,' +
    '"tags":["x","y"],"dot.ted":5,"__proto__":{"polluted":"yes"},"constructor":"mine"}';
  const cases: { fields: string; json: string; cells: string }[] = [
    { fields: 's,id', json: '{"s":"text","id":"r"}', cells: 'text\tr' },
    { fields: ' id , s ', json: '{"id":"r","s":"text"}', cells: 'r\ttext' },
    { fields: 'a.b', json: '{"a":{"b":1}}', cells: '1' },
    { fields: 'a.c.d,id', json: '{"a":{"c":{"d":2}},"id":"r"}', cells: '2\tr' },
    { fields: 'a.b,a.c', json: '{"a":{"b":1,"c":{"d":2}}}', cells: '1\t{"d":2}' },
    { fields: 'a.c.d,a.b', json: '{"a":{"c":{"d":2},"b":1}}', cells: '2\t1' },
    { fields: 'a,a.b', json: '{"a":{"b":1,"c":{"d":2}}}', cells: '{"b":1,"c":{"d":2}}\t1' },
    { fields: 'a.b,a', json: '{"a":{"b":1,"c":{"d":2}}}', cells: '1\t{"b":1,"c":{"d":2}}' },
    { fields: 'id,id', json: '{"id":"r"}', cells: 'r\tr' },
    { fields: 'nope,id', json: '{"nope":null,"id":"r"}', cells: '\tr' },
    { fields: 'nope.deep.er,id', json: '{"nope":{"deep":{"er":null}},"id":"r"}', cells: '\tr' },
    { fields: 'a.nope,id', json: '{"a":{"nope":null},"id":"r"}', cells: '\tr' },
    { fields: 's.length,id', json: '{"s":{"length":null},"id":"r"}', cells: '\tr' },
    { fields: 'n.x,n', json: '{"n":null}', cells: '\t' },
    { fields: 'big', json: '{"big":12345678901234567890}', cells: '12345678901234567890' },
    { fields: 'big.text,id', json: '{"big":{"text":null},"id":"r"}', cells: '\tr' },
    { fields: 'tags', json: '{"tags":["x","y"]}', cells: '["x","y"]' },
    { fields: 'tags.length,id', json: '{"tags":{"length":null},"id":"r"}', cells: '\tr' },
    { fields: '__proto__', json: '{"__proto__":{"polluted":"yes"}}', cells: '{"polluted":"yes"}' },
    { fields: '__proto__.polluted', json: '{"__proto__":{"polluted":"yes"}}', cells: 'yes' },
    { fields: 'a.__proto__,id', json: '{"a":{"__proto__":null},"id":"r"}', cells: '\tr' },
    { fields: 'constructor,id', json: '{"constructor":"mine","id":"r"}', cells: 'mine\tr' },
    { fields: 'toString,id', json: '{"toString":null,"id":"r"}', cells: '\tr' },
    { fields: 'a.hasOwnProperty,id', json: '{"a":{"hasOwnProperty":null},"id":"r"}', cells: '\tr' },
  ];

  it.each(cases)('$fields', async ({ fields, json, cells }) => {
    const { env } = await scriptedService([], () => ({ body: record }));
    const [inJson, inCells] = await Promise.all([
      run(['me', '--fields', fields, '--json'], { env }),
      run(['me', '--fields', fields], { env }),
    ]);
    expect(inJson).toMatchObject({ exit: 0, stdout: `${json}\n` });
    expect(inCells).toMatchObject({ exit: 0, stdout: `${cells}\n` });
  });

  it.each(['--json', '--ndjson'])('are chosen from each record of a list with %s', async (flag) => {
    const { env } = await scriptedService([list([hello, { id: 'b', name: 'other' }])]);
    const records = ['{"name":"hello","a":{"b":null}}', '{"name":"other","a":{"b":null}}'];
    const { stdout } = await run(['likes', '--fields', 'name,a.b', flag], { env });
    expect(stdout).toBe(flag === '--json' ? `[${records.join(',')}]\n` : `${records.join('\n')}\n`);
  });

  it('are the columns of a table, in their order', async () => {
    const service = await scriptedService([list([hello, { id: 'b', name: 'other' }])]);
    const args = ['likes', '--fields', 'name,nope,id', '--quiet', '--no-color'];
    const { screen } = await runOnScreen(args, { env: service.env, columns: 120 });
    const [head = '', ...all] = lines(screen);
    const rest = all.slice(0, -1);
    expect(all.at(-1)).toBe(
      'warning: No record has the field "nope". The fields are: id, name, privacy, version, code.',
    );
    expect(head.split(/ +/)).toEqual(['NAME', 'NOPE', 'ID']);
    expect(rest.map((line) => line.split(/ +/))).toEqual([
      ['hello', id],
      ['other', 'b'],
    ]);
    expect(rest.map((line) => line.search(/\S+$/))).toEqual([head.indexOf('ID'), head.indexOf('ID')]);
  });

  it.each(['', ',', 'a,,b', 'a.', '.a', 'a..b', ' '])('refuse %j before anything is sent', async (fields) => {
    const service = await scriptedService([]);
    const { exit, stdout, error } = await run(['me', '--json', '--fields', fields], { env: service.env });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(error).toMatchObject({ kind: 'usage' });
    expect(service.requests).toEqual([]);
  });
});

describe('a table at a terminal', () => {
  const long = 'a value that goes on and on and on, much further than any terminal of this test is wide';
  const rows: Row[] = [
    { name: 'plain', privacy: 'public', version: 1, author: { username: 'ada' }, id: 'i1' },
    { name: long, privacy: long, version: 12_345, author: { username: long }, id: 'i2' },
    { name: '日本語のとても長い名前がここにあって表の幅を超えてしまうほどです', privacy: '한국어', id: 'i3' },
    { name: '😀'.repeat(40), id: 'i4' },
    { name: 'x😀日'.repeat(15), id: 'i5' },
    { name: 'e\u0301'.repeat(60), id: 'i6' },
  ];
  const joined: Row[] = [
    { name: '👩‍👩‍👧‍👦'.repeat(12), id: 'i7' },
    { name: '🇩🇪🇫🇷🇯🇵'.repeat(12), id: 'i8' },
    { name: '👍🏽❤️1️⃣⚠️☺'.repeat(12), id: 'i9' },
    { name: 'ｆｕｌｌｗｉｄｔｈ・ﾊﾝｶｸ', id: 'iA' },
  ];

  async function table(content: readonly Row[], columns: number, args: string[] = []): Promise<string[]> {
    const { env } = await scriptedService([list(content)]);
    const { exit, screen } = await runOnScreen(['likes', '--all', '--quiet', ...args], { env, columns });
    expect(exit).toBe(0);
    const all = lines(screen);
    expect(all).toHaveLength(content.length + 1);
    expect(all.filter((line) => stringWidth(line) > columns)).toEqual([]);
    // A sign of half a character.
    expect(screen).not.toContain('\ufffd');
    return all;
  }
  /** The position of the last column in each line. */
  const starts = (all: readonly string[]) =>
    all.map((line) => stringWidth(line.slice(0, line.search(/[iI]\w$/))));

  it.each([80, 60, 40])('fits %i columns, with each value below its header', async (columns) => {
    const all = await table(rows, columns, ['--fields', 'name,privacy,version,author.username,id']);
    expect(all[0]).toMatch(/^NAME +PRI/);
    expect(starts(all)).toEqual(all.map(() => all[0]?.indexOf('ID')));
  });

  it.each([80, 40])('fits and aligns joined emoji, flags and wide letters at %i', async (columns) => {
    const all = await table(joined, columns);
    expect(starts(all)).toEqual(all.map(() => all[0]?.indexOf('ID')));
  });

  it('fits when there are more fields than the width has room for', async () => {
    const names = Array.from({ length: 14 }, (_, index) => `field${index}`);
    const row = Object.fromEntries(names.map((name) => [name, 'some value']));
    await table([row], 40, ['--fields', names.join(',')]);
  });

  it('cuts no value that fits', async () => {
    const [, line] = await table([{ name: 'hello', version: 0, id }], 80, ['--fields', 'name,version,id']);
    expect(line).toMatch(new RegExp(`^hello +0 +${id}$`));
  });

  // A small stack would overflow if the records were passed as arguments of one call.
  it('shows 30,000 records', async () => {
    const count = 30_000;
    const body = `[${'{"reference":{"name":"a"}},'.repeat(count - 1)}{"reference":{"name":"last"}}]`;
    const { env } = await scriptedService([{ body }]);
    const args = ['refs', '--quiet', '--fields', 'reference.name', '--color'];
    const { stdout } = await execa(process.execPath, ['--stack-size=200', program, ...args], {
      env: environment(temporaryFolder(), env),
      extendEnv: false,
    });
    const all = lines(stdout);
    expect(all).toHaveLength(count + 1);
    expect(all.at(-1)).toBe('last');
  });
});

describe('one record at a terminal', () => {
  it('is lines of key and value: known keys first, then all others', async () => {
    const service = await scriptedService([
      { body: { extra: 'kept', version: 0, name: 'hello', empty: null, nested: { a: 1 } } },
    ]);
    const { screen } = await runOnScreen(['val', 'get', id, '--quiet'], { env: service.env });
    expect(lines(screen)).toEqual(['name     hello', 'version  0', 'extra    kept', 'nested   {"a":1}']);
  });

  it.each([80, 40])('fits %i columns', async (columns) => {
    const record = {
      name: '日本語'.repeat(40),
      code: `// é\n${'export const one = 1;\n'.repeat(5)}`,
      readme: 'word '.repeat(100),
      smiles: '😀'.repeat(50),
    };
    const service = await scriptedService([{ body: record }]);
    const { exit, screen } = await runOnScreen(['val', 'get', id, '--quiet'], {
      env: service.env,
      columns,
    });
    expect(exit).toBe(0);
    expect(lines(screen)).toHaveLength(4);
    expect(lines(screen).filter((line) => stringWidth(line) > columns)).toEqual([]);
    expect(screen).not.toContain('\ufffd');
  });

  it('fits even if a key is wider than the terminal', async () => {
    const service = await scriptedService([{ body: { name: 'hello', ['long key '.repeat(20)]: 'value' } }]);
    const { exit, screen } = await runOnScreen(['val', 'get', id, '--quiet'], { env: service.env });
    expect(exit).toBe(0);
    expect(lines(screen).filter((line) => stringWidth(line) > 80)).toEqual([]);
    expect(screen).toContain('hello');
  });

  // With one wide character, a tenth of this text once took a minute.
  it('shows the beginning of very long code', async () => {
    const source = `// 😀 ${'export const one = 1; '.repeat(11_600)}`;
    const { env } = await scriptedService([{ body: { ...hello, code: source } }]);
    const { exit, screen } = await runOnScreen(['val', 'get', id, '--quiet'], { env });
    expect(exit).toBe(0);
    expect(lines(screen).at(-1)).toMatch(/^code +\/\/ 😀 export const one = 1; .*…$/);
  });
});

describe('colour', () => {
  const painted = (text: string) => text.includes('\u001b[');
  interface ColorCase {
    args?: string[];
    env?: Record<string, string>;
    colored: boolean;
  }
  const atTerminal: ColorCase[] = [
    { colored: true },
    { args: ['--no-color'], colored: false },
    { env: { NO_COLOR: '1' }, colored: false },
    { env: { NO_COLOR: '' }, colored: true },
    { env: { FORCE_COLOR: '0' }, colored: false },
    { env: { FORCE_COLOR: '1', TERM: 'dumb' }, colored: true },
    { env: { TERM: 'dumb' }, colored: false },
    { args: ['--color'], env: { NO_COLOR: '1' }, colored: true },
    { args: ['--no-color'], env: { FORCE_COLOR: '1' }, colored: false },
    { env: { NO_COLOR: '1', FORCE_COLOR: '1' }, colored: false },
  ];
  it.each(atTerminal)('at a terminal with $args $env: $colored', async ({ args = [], env = {}, colored }) => {
    const service = await scriptedService([list([hello])]);
    const options = { env: { ...service.env, ...env } };
    const { screen } = await runOnScreen(['likes', '--quiet', ...args], options);
    expect(screen).toContain('NAME');
    expect(painted(screen)).toBe(colored);
  });

  const inPipe: ColorCase[] = [
    { colored: false },
    { args: ['--color'], colored: true },
    { env: { FORCE_COLOR: '1' }, colored: true },
    { env: { FORCE_COLOR: '0' }, colored: false },
    { args: ['--no-color'], env: { FORCE_COLOR: '1' }, colored: false },
  ];
  it.each(inPipe)(
    'of messages in a pipe with $args $env: $colored',
    async ({ args = [], env = {}, colored }) => {
      const service = await scriptedService([{ status: 404, body: { message: 'moved away' } }]);
      const result = await run(['val', 'get', id, ...args], { env: { ...service.env, ...env } });
      expect(result).toMatchObject({ exit: 3, stdout: '' });
      expect(result.stderr).toContain('moved away');
      expect(painted(result.stderr)).toBe(colored);
    },
  );

  it('is never in JSON in a pipe', async () => {
    const service = await scriptedService([{ body: hello }, { status: 404 }]);
    const piped = await run(['me', '--json', '--color'], { env: { ...service.env, FORCE_COLOR: '1' } });
    expect(piped.stdout).toBe(`${JSON.stringify(hello)}\n`);
    const failed = await run(['me', '--json', '--color'], { env: service.env });
    expect(failed.error).toMatchObject({ kind: 'not_found' });
    expect(painted(failed.stderr)).toBe(false);
  });
});

describe('an empty list', () => {
  it.each([
    { args: [], stdout: '' },
    { args: ['--json'], stdout: '[]\n' },
    { args: ['--ndjson'], stdout: '' },
  ])('in a pipe with $args', async ({ args, stdout }) => {
    const service = await scriptedService([list([])]);
    expect(await run(['likes', ...args], { env: service.env })).toMatchObject({
      exit: 0,
      stdout,
      stderr: '',
    });
  });

  it.each([
    { args: [], screen: /^\S.*no vals.*\n$/i },
    { args: ['--json'], screen: /^\[\]\n.*no vals.*\n$/i },
    { args: ['--quiet'], screen: /^$/ },
    { args: ['--quiet', '--json'], screen: /^\[\]\n$/ },
  ])('at a terminal with $args', async ({ args, screen }) => {
    const service = await scriptedService([list([])]);
    const result = await runOnScreen(['likes', '--no-color', ...args], { env: service.env });
    expect(result.exit).toBe(0);
    expect(plain(result.screen)).toMatch(screen);
  });
});

describe('hints', () => {
  const more: Reply = { body: { data: [{ name: 'hello' }], links: { next: '?offset=1' } } };

  it('of more records are written to stderr, with --json too', async () => {
    const { env } = await scriptedService([more]);
    const { exit, screen, stdout } = await runOnScreen(['likes', '--limit', '1', '--json'], { env });
    expect({ exit, isShown: screen.includes('--all') }).toEqual({ exit: 0, isShown: true });
    expect(JSON.parse(bare(stdout))).toEqual([{ name: 'hello' }]);
  });

  it('of an error are shown in a pipe too', async () => {
    const service = await scriptedService([{ status: 401 }]);
    const { exit, stderr } = await run(['me'], { env: service.env });
    expect(exit).toBe(4);
    expect(stderr).toMatch(/^error: .*\nhint: .*VALS_TOKEN.*\n$/);
  });
});

describe('--code and --readme', () => {
  const texts: [string, string][] = [
    ['NUL', 'a\u0000b'],
    ['a byte order mark', '\ufeffexport default 1\n'],
    ['CRLF', 'a\r\nb\r\n'],
    ['no newline at the end', 'a\nb'],
    ['newlines at the end', 'a\n\n\n'],
    ['astral characters', '𝒳😀👩‍👩‍👧‍👦'],
    ['control characters', '\u0001\u001b[2J\u007f\u009b\u202e'],
    ['backslashes', '\\n\\u0000\\\\'],
    ['nothing', ''],
    ['only spaces', ' \t '],
    ['noncharacters', '\uffff\ufffe\u{10ffff}'],
  ];

  it.each(texts)('is printed unchanged: %s', async (_what, text) => {
    const { env } = await scriptedService([], () => ({ body: { ...hello, code: text, readme: text } }));
    for (const args of [
      ['val', 'get', id, '--code'],
      ['val', 'get', id, '--readme'],
      ['version', 'get', id, '3', '--code'],
    ]) {
      expect(await run([...args, '--color'], { env })).toMatchObject({ exit: 0, stdout: text, stderr: '' });
    }
  });

  it('is printed byte for byte to a pipe', async () => {
    const text = `\ufeff${texts.map(([, each]) => each).join('')}`;
    const { env } = await scriptedService([{ body: { ...hello, readme: text } }]);
    const { exitCode, stdout } = await execa(process.execPath, [program, 'val', 'get', id, '--readme'], {
      env: environment(temporaryFolder(), env),
      extendEnv: false,
      encoding: 'buffer',
      stripFinalNewline: false,
      reject: false,
    });
    expect({ exitCode, bytes: Buffer.from(stdout).toString('hex') }).toEqual({
      exitCode: 0,
      bytes: Buffer.from(text).toString('hex'),
    });
  });

  it.each([{ ...hello, code: null }, { id }])(
    'that the service did not send is exit 11: %j',
    async (body) => {
      const service = await scriptedService([{ body }]);
      const { exit, stdout, stderr } = await run(['val', 'get', id, '--code'], { env: service.env });
      expect({ exit, stdout }).toEqual({ exit: 11, stdout: '' });
      expect(stderr).toContain('no code');
    },
  );

  it('--code and --readme cannot be given together', async () => {
    expect(await run(['val', 'get', id, '--code', '--readme'])).toMatchObject({ exit: 2, stdout: '' });
  });

  it('can be read without a token', async () => {
    const service = await scriptedService([{ body: hello }]);
    const env = { VALS_BASE_URL: service.baseUrl };
    expect(await run(['val', 'get', id, '--code'], { env })).toMatchObject({ exit: 0, stdout: hello.code });
    expect(service.requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe('progress', () => {
  const hide = '\u001b[?25l';
  const show = '\u001b[?25h';

  it('appears on stderr while the service is slow, and restores the cursor', async () => {
    const { reply, open } = held(hello);
    const { env } = await scriptedService([reply]);
    const { exit, screen, stdout } = await runOnScreen(['me', '--json', '--no-color'], {
      env,
      heard: ({ stderr }) => stderr.includes(hide) && stderr.includes('Waiting') && open(),
    });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${JSON.stringify(hello, undefined, 2)}\n` });
    expect(screen.lastIndexOf(show)).toBeGreaterThan(screen.lastIndexOf(hide));
  });

  it('is removed before the result is shown', async () => {
    const { reply, open } = held(hello);
    const { env } = await scriptedService([reply]);
    const screen = shellAtTerminal(`exec $vals val get ${id} --code`, env);
    await screen.shows(hide);
    open();
    expect(await screen.ended).toBe(0);
    const result = screen.text().indexOf(hello.code);
    expect(screen.text().slice(0, result)).toContain(show);
    // The code has no newline at its end, so anything that moves the cursor now lets the prompt overwrite the code.
    expect(screen.text().slice(result).replaceAll(show, '')).toBe(hello.code);
  });

  it('does not appear in a pipe, nor with --quiet', async () => {
    const { reply, open } = held(hello);
    const { env } = await scriptedService([], () => reply);
    const args = ['me', '--json', '--no-color'];
    const others = [
      runOnScreen([...args, '--quiet'], { env }),
      run(args, { env }).then(({ stdout, stderr }) => ({ screen: stdout + stderr })),
    ];
    // This command starts after the others. When its progress appears, theirs would have appeared too.
    await runOnScreen(['me'], { env, heard: ({ stderr }) => stderr.includes('Waiting') && open() });
    const [quiet, piped] = await Promise.all(others);
    expect(plain(quiet?.screen ?? '')).toBe(`${JSON.stringify(hello, undefined, 2)}\n`);
    expect(piped?.screen).toBe(`${JSON.stringify(hello)}\n`);
  });

  // `script` and containers of CI jobs have such terminals.
  it('does not appear on a terminal without a size', async () => {
    const { reply, open } = held([hello]);
    let begun: () => void = () => {};
    const asked = new Promise<void>((done) => {
      begun = done;
    });
    const { env } = await scriptedService([], () => {
      begun();
      return reply;
    });
    const screen = shellAtTerminal('stty rows 0 cols 0; $vals refs --fields name; echo "exit $?"', env);
    await asked;
    await runOnScreen(['refs'], { env, heard: ({ stderr }) => stderr.includes('Waiting') && open() });
    await screen.ended;
    expect(screen.text()).not.toContain(hide);
    expect(lines(screen.text())).toEqual(['NAME', 'hello', 'exit 0']);
  });

  it('ends with Ctrl-C, and the cursor is restored', async () => {
    const folder = temporaryFolder();
    const { env } = await scriptedService([() => {}]);
    const screen = shellAtTerminal('exec $vals me --json > out', env, folder);
    await screen.shows(hide);
    screen.press('\u0003');
    expect(await screen.ended).toBe(130);
    expect(screen.text().lastIndexOf(show)).toBeGreaterThan(screen.text().lastIndexOf(hide));
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('');
    const said = lines(screen.text()).at(-1) ?? '';
    expect(JSON.parse(said.slice(said.indexOf('{')))).toMatchObject({ error: { exit: 130 } });
  });

  it('of an interrupted push is replaced by the outcomes', async () => {
    const cwd = temporaryFolder();
    for (const name of ['a', 'b', 'c']) writeFileSync(join(cwd, `${name}.ts`), name);
    const { env } = await scriptedService([{ status: 201, body: { id, version: 1 } }, () => {}]);
    const interruption = new AbortController();
    const { exit, stdout } = await runOnScreen(['push', '.', '--concurrency', '1', '--json', '--no-color'], {
      env,
      cwd,
      signal: interruption.signal,
      heard: ({ stderr }) => stderr.includes('1 of 3') && interruption.abort(new InterruptedError(130)),
    });
    expect(exit).toBe(130);
    const outcomes = JSON.parse(stdout) as Row[];
    expect(outcomes.map(({ status }) => status)).toEqual(['created', 'failed', 'skipped']);
  });
});
