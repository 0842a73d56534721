// What is printed, and where: every format, at a terminal and in a pipe, with data that would rather misbehave.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import {
  environment,
  program,
  run,
  runAtTerminal,
  runOnScreen,
  shellAtTerminal,
  temporaryFolder,
} from '../support/program.ts';
import { type Reply, scriptedService } from '../support/scripted-service.ts';

type Row = Record<string, unknown>;

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const hello = { id, name: 'hello', privacy: 'public', version: 3, code: 'export default 1' };
const list = (rows: readonly Row[]): Reply => ({ body: { data: rows, links: {} } });

/** Whatever moves a terminal's cursor, rings, hides or turns text round; a newline is ours to write. */
const moving = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;
/** Of these, what JSON must not hold raw either. */
const movingInJson = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/;
const character = (point: number): string => String.fromCodePoint(point);
const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => character(from + index));
const movingCharacters = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  ...range(0x2028, 0x202e),
  ...range(0x2066, 0x2069),
];
const evilTexts = [
  '\u001b[2J\u001b[1;1Hgone',
  '\u001b]0;title\u0007',
  '\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\',
  '\u009b31mred\u009c',
  '\u202egnp.exe\u202c',
  '\u2066a\u2067b\u2068c\u2069',
  'over\rwritten',
  'two\nlines',
  'bell\u0007 back\b',
  'nul\u0000del\u007f',
];
const evil = evilTexts.join(' ');

/** What a reader of the tab-separated form does to have a value back. */
const unescaped = (field: string): string =>
  field.replace(/\\(u[0-9a-f]{4}|.)/g, (_match, form: string) => {
    const short: Record<string, string> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
    return short[form] ?? character(Number.parseInt(form.slice(1), 16));
  });

/** A terminal ends its lines in its own way. */
const plain = (screen: string): string => screen.replaceAll('\r\n', '\n');
/** Without the colours of the program. */
const bare = (screen: string): string => plain(stripVTControlCharacters(screen));
/** A terminal's lines, without colour. */
const lines = (screen: string): string[] => bare(screen).replace(/\n$/, '').split('\n');

/** A shell command with `$vals`, as in a script. */
async function shell(script: string, env: Record<string, string>, cwd = temporaryFolder()) {
  const { exitCode, stdout, stderr } = await execa('bash', ['-c', script], {
    env: environment(cwd, { ...env, vals: `${process.execPath} ${program}` }),
    extendEnv: false,
    cwd,
    reject: false,
    stdin: 'ignore',
  });
  return { exit: exitCode, stdout, stderr };
}

describe('tab-separated lines, where nobody looks', () => {
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
  ])('are the same with $args and $env: no header, colour or cutting', async ({ args, env }) => {
    const service = await scriptedService([list(rows)]);
    const result = await run(['likes', ...args], { env: { ...service.env, ...env } });
    expect(result).toMatchObject({ exit: 0, stdout: text, stderr: '' });
  });

  it('give way to what a terminal shows, where --color asks for it', async () => {
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

  it('hold numbers digit for digit, and nested values as compact JSON', async () => {
    const row = '{"n":12345678901234567890,"f":1.0,"e":1e400,"z":-0,"o":{"a":[1.50]},"t":true}';
    const service = await scriptedService([{ body: `{"data":[${row}],"links":{}}` }]);
    const { stdout } = await run(['likes', '--fields', 'n,f,e,z,o,t'], { env: service.env });
    expect(stdout).toBe('12345678901234567890\t1.0\t1e400\t-0\t{"a":[1.50]}\ttrue\n');
  });

  const random = fc.sample(fc.string({ unit: 'binary', maxLength: 40 }), { numRuns: 300, seed: 20_260_131 });
  it.each([
    { what: 'each moving character', values: movingCharacters.map((each) => `a${each}b`) },
    { what: 'escape sequences', values: evilTexts },
    {
      what: 'backslashes',
      values: ['\\', '\\\\', '\\n', '\n', '\\\n', 'C:\\temp\\u0041', '\\u000a', '\\t\t'],
    },
    { what: 'any text', values: random },
  ])('give $what back, and never raw', async ({ values }) => {
    const service = await scriptedService([list(values.map((name) => ({ name, version: 7 })))]);
    const { exit, stdout } = await run(['likes', '--all', '--fields', 'name,version'], { env: service.env });
    expect(exit).toBe(0);
    const read = stdout.slice(0, -1).split('\n');
    expect(read.map((line) => line.split('\t').map(unescaped))).toEqual(values.map((name) => [name, '7']));
    expect(stdout.replaceAll('\t', '')).not.toMatch(moving);
  });

  it('escape tab, newline, CR and backslash as they are known', async () => {
    const service = await scriptedService([list([{ name: '\t\n\r\\' }])]);
    expect((await run(['likes', '--fields', 'name'], { env: service.env })).stdout).toBe('\\t\\n\\r\\\\\n');
  });
});

describe('--json', () => {
  it('is what the service sent, digit for digit, compact in a pipe', async () => {
    const text =
      '{"id":12345678901234567890,"zero":-0,"one":1.0,"huge":1e400,"small":1.5E-7,"b":{"z":null,"a":[]},"a":""}';
    const service = await scriptedService([{ body: text }]);
    expect((await run(['me', '--json'], { env: service.env })).stdout).toBe(`${text}\n`);
  });

  it('is indented at a terminal, and still the same value', async () => {
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

  it.each(['--json', '--ndjson'])('%s escapes what moves a terminal, and loses nothing', async (flag) => {
    const name = [...movingCharacters, ...evilTexts, '"\\/', '😀𝒳', '\ufeff', 'é'].join('');
    const row = { [name]: name, name };
    const service = await scriptedService([list([row]), list([row])]);
    const pipe = await run(['likes', flag], { env: service.env });
    const terminal = await runOnScreen(['likes', flag, '--quiet'], { env: service.env });
    for (const output of [pipe.stdout, bare(terminal.screen)]) {
      expect(output).not.toMatch(movingInJson);
      const parsed: unknown = JSON.parse(output);
      expect(parsed).toEqual(flag === '--json' ? [row] : row);
    }
  });

  it('gives a text alone as a JSON string', async () => {
    const service = await scriptedService([{ body: { ...hello, code: 'a\n"b"\u009b' } }]);
    const { stdout } = await run(['val', 'get', id, '--code', '--json'], { env: service.env });
    expect(stdout).toBe('"a\\n\\"b\\"\\u009b"\n');
  });

  it('and --ndjson contradict each other', async () => {
    const { exit, stdout, error } = await run(['me', '--json', '--ndjson']);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(error).toMatchObject({ kind: 'usage', exit: 2 });
  });

  it('loses no digit of a record that also holds megabytes of text', async () => {
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
    let firstLineRead: () => void = () => {};
    const read = new Promise<void>((done) => {
      firstLineRead = done;
    });
    const service = await scriptedService([
      { body: { data: [{ id: 'a' }], links: { next: '?offset=1' } } },
      // Answered only once the first line was read.
      (response) => void read.then(() => response.end('{"data":[{"id":"b"}],"links":{}}')),
    ]);
    const child = spawn(process.execPath, [program, 'likes', '--all', '--ndjson'], {
      env: environment(temporaryFolder(), service.env),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    for await (const chunk of child.stdout) {
      text += chunk;
      if (text === '{"id":"a"}\n') firstLineRead();
    }
    expect(text).toBe('{"id":"a"}\n{"id":"b"}\n');
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

  it.each([[[]], [['--json']]])('unlike other formats, which then print nothing: %j', async (args) => {
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

  it('head the columns of a table, in order', async () => {
    const service = await scriptedService([list([hello, { id: 'b', name: 'other' }])]);
    const args = ['likes', '--fields', 'name,nope,id', '--quiet', '--no-color'];
    const { screen } = await runOnScreen(args, { env: service.env });
    const [head = '', ...all] = lines(screen);
    const rest = all.slice(0, -1);
    expect(all.at(-1)).toBe('warning: No record has "nope". There are: id, name, privacy, version, code.');
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
    // Half a character.
    expect(screen).not.toContain('\ufffd');
    return all;
  }
  /** Where the last column begins, line by line. */
  const starts = (all: readonly string[]) =>
    all.map((line) => stringWidth(line.slice(0, line.search(/[iI]\w$/))));

  it.each([80, 60, 40])('fits %i columns, each below its head', async (columns) => {
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

  it('cuts nothing that has room', async () => {
    const [, line] = await table([{ name: 'hello', version: 0, id }], 80, ['--fields', 'name,version,id']);
    expect(line).toMatch(new RegExp(`^hello +0 +${id}$`));
  });

  it('escapes what moves the terminal', async () => {
    const names = [...evilTexts, ...movingCharacters.map((each) => `a${each}b`)];
    const service = await scriptedService([list(names.map((name) => ({ name })))]);
    const args = ['likes', '--all', '--quiet', '--no-color', '--fields', 'name'];
    const { screen } = await runOnScreen(args, { env: service.env });
    expect(plain(screen)).not.toMatch(moving);
    expect(lines(screen)).toHaveLength(1 + names.length);
  });

  it('holds very many records', async () => {
    const count = 150_000;
    const body = `[${'{"reference":{"name":"a"}},'.repeat(count - 1)}{"reference":{"name":"last"}}]`;
    const { env } = await scriptedService([{ body }]);
    const screen = shellAtTerminal('$vals refs --quiet --fields reference.name', env);
    expect(await screen.ended).toBe(0);
    const all = lines(screen.text());
    expect(all).toHaveLength(count + 1);
    expect(all.at(-1)).toBe('last');
  });

  // As under `script`, or in a container of a CI job: a terminal, but without a size.
  it('comes out on a terminal that does not know its size', async () => {
    const { env } = await scriptedService([
      (response) => void setTimeout(() => response.end(JSON.stringify([hello])), 1_000),
    ]);
    const screen = shellAtTerminal('stty rows 0 cols 0; $vals refs --fields name; echo "exit $?"', env);
    await screen.ended;
    expect(lines(screen.text()).slice(-2)).toEqual(['hello', 'exit 0']);
  });
});

describe('one record at a terminal', () => {
  it('is key and value lines: what is known first, then whatever else came', async () => {
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

  it('fits even where the service made up a key wider than the terminal', async () => {
    const service = await scriptedService([{ body: { name: 'hello', ['long key '.repeat(20)]: 'value' } }]);
    const { exit, screen } = await runOnScreen(['val', 'get', id, '--quiet'], { env: service.env });
    expect(exit).toBe(0);
    expect(lines(screen).filter((line) => stringWidth(line) > 80)).toEqual([]);
    expect(screen).toContain('hello');
  });

  it('escapes keys and values that would move the terminal', async () => {
    const service = await scriptedService([{ body: { name: evil, [evil]: evil, username: [evil] } }]);
    const { screen } = await runOnScreen(['me', '--quiet', '--no-color'], { env: service.env });
    expect(plain(screen)).not.toMatch(moving);
  });

  // As much code as services take, with one wide character in it: a tenth of it once took a minute.
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

  it('is never in JSON that a pipe gets', async () => {
    const service = await scriptedService([{ body: hello }, { status: 404 }]);
    const piped = await run(['me', '--json', '--color'], { env: { ...service.env, FORCE_COLOR: '1' } });
    expect(piped.stdout).toBe(`${JSON.stringify(hello)}\n`);
    const failed = await run(['me', '--json', '--color'], { env: service.env });
    expect(failed.error).toMatchObject({ kind: 'not_found' });
    expect(painted(failed.stderr)).toBe(false);
  });
});

describe('messages never move the terminal', () => {
  const evilHeader = 'http://x.example/\u009b2J';
  const replies: { what: string; args?: string[]; reply: Reply; exit: number }[] = [
    { what: 'a message', reply: { status: 400, body: { message: evil } }, exit: 6 },
    { what: 'an error in an error', reply: { status: 403, body: { error: { message: evil } } }, exit: 4 },
    { what: 'a list of errors', reply: { status: 422, body: { errors: [evil, { detail: evil }] } }, exit: 6 },
    { what: 'a title', reply: { status: 409, body: { title: evil } }, exit: 5 },
    { what: 'plain text', reply: { status: 404, body: evil }, exit: 3 },
    { what: 'a web page', reply: { status: 404, body: `<html><title>${evil}</title></html>` }, exit: 3 },
    { what: 'a redirect', reply: { status: 302, headers: { location: evilHeader } }, exit: 11 },
    { what: 'keys of an unknown shape', args: ['refs'], reply: { body: { [evil]: 1 } }, exit: 11 },
  ];
  it.each(replies)('$what of the service', async ({ args = ['val', 'get', id], reply, exit }) => {
    const { env } = await scriptedService([], () => reply);
    const [pipe, terminal, json] = await Promise.all([
      run(args, { env }),
      runOnScreen([...args, '--quiet', '--no-color'], { env }),
      run([...args, '--json'], { env }),
    ]);
    expect({ exit: pipe.exit, stdout: pipe.stdout }).toEqual({ exit, stdout: '' });
    expect(pipe.stderr).not.toMatch(moving);
    expect(terminal.exit).toBe(exit);
    expect(plain(terminal.screen)).not.toMatch(moving);
    expect(json.error).toMatchObject({ exit });
    expect(json.stderr).not.toMatch(movingInJson);
  });

  // An argument cannot hold a NUL.
  const word = evil.replaceAll('\u0000', '');
  it.each<{ args: string[]; exit: number }>([
    { args: [word], exit: 2 },
    { args: [`--${word}`], exit: 2 },
    { args: ['me', `--${word}=x`], exit: 2 },
    { args: ['likes', '--limit', word], exit: 2 },
    { args: ['runs', '--since', word], exit: 2 },
    { args: ['comments', '--relationship', word], exit: 2 },
    { args: ['me', '--fields', `${word},,`], exit: 2 },
    { args: ['me', '--timeout', word], exit: 2 },
    { args: ['me', '--base-url', word], exit: 2 },
    { args: ['version', 'get', id, word], exit: 2 },
    { args: ['val', 'create', word, `${word}.ts`], exit: 10 },
  ])('$args.0 $args.1, given in the arguments', async ({ args, exit }) => {
    const result = await run(args);
    expect(result).toMatchObject({ exit, stdout: '' });
    expect(result.stderr).not.toMatch(moving);
  });

  it.each([
    { what: 'that are missing', make: false, exit: 10 },
    { what: 'that are refused', make: true, exit: 6 },
  ])('names of files $what, in results, warnings and annotations', async ({ make, exit }) => {
    const cwd = temporaryFolder();
    const file = `${word.replaceAll('/', '')}.ts`;
    if (make) writeFileSync(join(cwd, file), 'export default 1');
    writeFileSync(join(cwd, 'b.ts'), 'export default 1');
    const service = await scriptedService([], () => ({ status: 400, body: { message: evil } }));
    const env = { ...service.env, GITHUB_ACTIONS: 'true' };
    const [pipe, terminal] = await Promise.all([
      run(['push', file, 'b.ts'], { env, cwd }),
      runOnScreen(['push', file, 'b.ts', '--quiet', '--no-color'], { env, cwd }),
    ]);
    expect(pipe.exit).toBe(exit);
    expect(pipe.stdout.split('\n')).toHaveLength(3);
    expect(pipe.stderr).toContain('::error file=');
    expect(pipe.stderr + pipe.stdout.replaceAll('\t', '')).not.toMatch(moving);
    expect(terminal.exit).toBe(exit);
    expect(plain(terminal.screen)).not.toMatch(moving);
  });

  it('the question before a deletion', async () => {
    const service = await scriptedService([{ body: { ...hello, name: word } }]);
    const { exit, screen } = await runAtTerminal(['val', 'rm', id, '--no-color'], {
      env: service.env,
      answers: [{ after: '[y/N]', keys: 'n\r' }],
    });
    expect(exit).toBe(2);
    const question = screen.slice(0, screen.indexOf('[y/N]'));
    expect(question).toContain('gone');
    // readline places the cursor itself; the data must not.
    expect(question.replace(/\u001b\[(?:0J|\d+G)/g, '').replaceAll('\r\n', '')).not.toMatch(moving);
  });

  it('code at a terminal, where its line breaks and tabs stay', async () => {
    const service = await scriptedService([{ body: { ...hello, code: `a\n\tb\n${evil}\n` } }]);
    const { screen } = await runOnScreen(['val', 'get', id, '--code', '--quiet'], { env: service.env });
    expect(screen.startsWith('a\r\n\tb\r\n')).toBe(true);
    expect(plain(screen).replaceAll('\t', '')).not.toMatch(moving);
  });
});

describe('a list with nothing in it', () => {
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

  it.each([
    { args: [], shown: true },
    { args: ['--json'], shown: true },
    { args: ['--quiet'], shown: false },
  ])('of more records at a terminal with $args: $shown', async ({ args, shown }) => {
    const service = await scriptedService([more]);
    const result = await runOnScreen(['likes', '--limit', '1', ...args], { env: service.env });
    expect(result.exit).toBe(0);
    expect(result.screen.includes('--all')).toBe(shown);
  });

  it('are not said in a pipe', async () => {
    const service = await scriptedService([more]);
    expect(await run(['likes', '--limit', '1'], { env: service.env })).toMatchObject({ exit: 0, stderr: '' });
  });

  it('stay away from stdout', async () => {
    const { env } = await scriptedService([more]);
    const screen = shellAtTerminal('$vals likes --limit 1 --fields name 2> errors', env);
    await screen.ended;
    expect(lines(screen.text())).toEqual(['NAME', 'hello']);
  });

  it('on what to do come with an error, also in a pipe', async () => {
    const service = await scriptedService([{ status: 401 }]);
    const { exit, stderr } = await run(['me'], { env: service.env });
    expect(exit).toBe(4);
    expect(stderr).toMatch(/^error: .*\nhint: .*VALS_TOKEN.*\n$/);
  });
});

describe('stdout', () => {
  const manyRows = (count: number): Row[] =>
    Array.from({ length: count }, (_, index) => ({ id: `r${index}`, name: 'x'.repeat(1_000) }));
  const shortRows = (count: number): Row[] =>
    Array.from({ length: count }, (_, index) => ({ id: `r${index}` }));
  const pages = (rows: readonly Row[], size: number): Reply[] =>
    Array.from({ length: Math.ceil(rows.length / size) }, (_, page) => ({
      body: {
        data: rows.slice(page * size, (page + 1) * size),
        links: (page + 1) * size < rows.length ? { next: `?offset=${(page + 1) * size}` } : {},
      },
    }));

  const readers: Record<string, (text: string) => unknown> = {
    '--json': (text) => JSON.parse(text),
    '--ndjson': (text) => JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`),
    '--fields=id,name': (text) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t'))
        .map(([id, name]) => ({ id, name })),
  };
  it.each(Object.entries(readers))('brings pages of 2 MB with %s to a slow reader', async (flag, read) => {
    const rows = manyRows(2_000);
    const service = await scriptedService(pages(rows, 250));
    const child = spawn(process.execPath, [program, 'likes', '--all', flag], {
      env: environment(temporaryFolder(), service.env),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((done) => child.once('close', done));
    await once(child.stdout, 'readable');
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout) {
      chunks.push(chunk as Buffer);
      await sleep(1);
    }
    expect(await ended).toBe(0);
    const received = read(Buffer.concat(chunks).toString());
    expect(received).toHaveLength(rows.length);
    expect(JSON.stringify(received) === JSON.stringify(rows)).toBe(true);
  });

  const bigCode: Reply = { body: { ...hello, code: 'export default 1;\n'.repeat(200_000) } };
  it.each([
    { args: 'likes --all --fields id', replies: pages(shortRows(30_000), 10_000), first: 'r0' },
    { args: `val get ${id} --json`, replies: [bigCode], first: undefined },
  ])('may be left early: $args', async ({ args, replies, first }) => {
    const { env } = await scriptedService(replies);
    // Without a first line to wait for, the reader leaves in the middle of one.
    const reader = first === undefined ? 'head -c 10 > /dev/null' : 'head -1';
    const { stdout, stderr } = await shell(`$vals ${args} | ${reader}; echo "\${PIPESTATUS[0]}"`, env);
    expect({ stdout, stderr }).toEqual({ stdout: first === undefined ? '0' : `${first}\n0`, stderr: '' });
  });

  it.each(['--version', '--help', 'config --json', 'me --json'])(
    'may be closed from the start: %s',
    async (args) => {
      const { env } = await scriptedService([], () => ({ body: hello }));
      const script = `exec 3> >(true); wait $!; $vals ${args} >&3; echo $? >&2`;
      expect(await shell(script, env)).toMatchObject({ stderr: '0' });
    },
  );

  it('left early ends a list without end', async () => {
    let page = 0;
    const { env } = await scriptedService([], () => {
      const rows = manyRows(100).map((row) => ({ ...row, id: `${page}-${row.id}` }));
      page += 1;
      return { body: { data: rows, links: { next: `?offset=${page * 100}` } } };
    });
    const script = `$vals likes --all --ndjson --fields id | head -1; echo "\${PIPESTATUS[0]}"`;
    expect(await shell(script, env)).toMatchObject({ stdout: '{"id":"0-r0"}\n0', stderr: '' });
  });

  it.each([
    { args: 'me', reply: { body: { username: 'ada' } } },
    { args: 'likes --json', reply: list([]) },
    { args: '--help', reply: undefined },
    { args: '--version', reply: undefined },
  ])('that is full is an error: $args', async ({ args, reply }) => {
    const { env } = await scriptedService(reply ? [reply] : []);
    const { exit, stderr } = await shell(`$vals ${args} > /dev/full`, env);
    expect({ exit, stderr }).toEqual({ exit: 10, stderr: expect.stringMatching(/stdout|standard output/i) });
    if (args.includes('json')) {
      const said: unknown = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
      expect(said).toMatchObject({ error: { kind: 'local', exit: 10 } });
    }
  });

  describe('gone during a push', () => {
    const files = ['a', 'b', 'c', 'd'];
    const folderOfVals = (): string => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, 'vals'));
      for (const name of files) writeFileSync(join(folder, 'vals', `${name}.ts`), name);
      return folder;
    };

    it.each([
      { where: '| true', status: 200, exit: 0 },
      { where: '--json 2>&1 | true', status: 400, exit: 6 },
      { where: '> /dev/full', status: 200, exit: 10 },
      { where: '>&-', status: 200, exit: 0 },
      { where: '2>&-', status: 200, exit: 0 },
    ])('$where with $status: all is sent, and the exit code is $exit', async ({ where, status, exit }) => {
      const service = await scriptedService([], () => (response) => {
        setTimeout(() => response.writeHead(status).end('{}'), 100);
      });
      const folder = folderOfVals();
      const script = `$vals push vals --concurrency 1 ${where}; echo "\${PIPESTATUS[0]}" > code`;
      await shell(script, service.env, folder);
      expect(service.requests.map(({ body }) => (JSON.parse(body) as { name: string }).name)).toEqual(files);
      expect(readFileSync(join(folder, 'code'), 'utf8')).toBe(`${exit}\n`);
    });
  });
});

describe('a text alone', () => {
  const texts: [string, string][] = [
    ['NUL', 'a\u0000b'],
    ['a byte order mark', '\ufeffexport default 1\n'],
    ['CRLF', 'a\r\nb\r\n'],
    ['no newline at the end', 'a\nb'],
    ['newlines at the end', 'a\n\n\n'],
    ['astral characters', '𝒳😀👩‍👩‍👧‍👦'],
    ['control characters', movingCharacters.join('')],
    ['backslashes', '\\n\\u0000\\\\'],
    ['nothing', ''],
    ['only spaces', ' \t '],
    ['noncharacters', '\uffff\ufffe\u{10ffff}'],
  ];

  it.each(texts)('comes as it is: %s', async (_what, text) => {
    const { env } = await scriptedService([], () => ({ body: { ...hello, code: text, readme: text } }));
    for (const args of [
      ['val', 'get', id, '--code'],
      ['val', 'get', id, '--readme'],
      ['version', 'get', id, '3', '--code'],
    ]) {
      expect(await run([...args, '--color'], { env })).toMatchObject({ exit: 0, stdout: text, stderr: '' });
    }
  });

  it.each(['--code', '--readme'])('comes byte for byte through a pipe: %s', async (flag) => {
    const text = `\ufeff${texts.map(([, each]) => each).join('')}`;
    const { env } = await scriptedService([{ body: { ...hello, code: text, readme: text } }]);
    const { exitCode, stdout } = await execa(process.execPath, [program, 'val', 'get', id, flag, '--color'], {
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

  it.each([{ ...hello, code: null }, { id }])('that the service did not send: %j', async (body) => {
    const service = await scriptedService([{ body }]);
    const { exit, stdout, stderr } = await run(['val', 'get', id, '--code'], { env: service.env });
    expect({ exit, stdout }).toEqual({ exit: 11, stdout: '' });
    expect(stderr).toContain('no code');
  });

  it('--code and --readme contradict each other', async () => {
    expect(await run(['val', 'get', id, '--code', '--readme'])).toMatchObject({ exit: 2, stdout: '' });
  });

  it('comes without a token, which then is not sent', async () => {
    const service = await scriptedService([{ body: hello }]);
    const env = { VALS_BASE_URL: service.baseUrl };
    expect(await run(['val', 'get', id, '--code'], { env })).toMatchObject({ exit: 0, stdout: hello.code });
    expect(service.requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe('progress', () => {
  const hide = '\u001b[?25l';
  const show = '\u001b[?25h';
  /** Answers when it is told to. */
  const held = () => {
    let open: () => void = () => {};
    const opened = new Promise<void>((done) => {
      open = done;
    });
    const reply: Reply = (response) => void opened.then(() => response.end(JSON.stringify(hello)));
    return { reply, open: () => open() };
  };
  const slow: Reply = (response) => void setTimeout(() => response.end(JSON.stringify(hello)), 1_000);

  it('appears while the service is slow, on stderr alone, and leaves the cursor as it was', async () => {
    const folder = temporaryFolder();
    const { reply, open } = held();
    const { env } = await scriptedService([reply]);
    const screen = shellAtTerminal('exec $vals me --json > out', env, folder);
    await screen.shows(hide);
    await screen.shows('Waiting');
    open();
    expect(await screen.ended).toBe(0);
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe(`${JSON.stringify(hello)}\n`);
    expect(screen.text().lastIndexOf(show)).toBeGreaterThan(screen.text().lastIndexOf(hide));
  });

  it('is off the screen before the result is on it, and stays off', async () => {
    const { reply, open } = held();
    const { env } = await scriptedService([reply]);
    const screen = shellAtTerminal(`exec $vals val get ${id} --code`, env);
    await screen.shows(hide);
    open();
    expect(await screen.ended).toBe(0);
    const result = screen.text().indexOf(hello.code);
    expect(screen.text().slice(0, result)).toContain(show);
    // The code has no newline at its end: whatever moves the cursor now lets the prompt overwrite it.
    expect(screen.text().slice(result).replaceAll(show, '')).toBe(hello.code);
  });

  it.each([
    { args: '--json 2> errors', what: 'stderr is no terminal' },
    { args: '--json --quiet', what: 'it was not wanted' },
  ])('does not appear when $what', async ({ args }) => {
    const { env } = await scriptedService([slow]);
    const screen = shellAtTerminal(`$vals me ${args}; touch errors; cat errors`, env);
    await screen.ended;
    expect(bare(screen.text())).toBe(`${JSON.stringify(hello, undefined, 2)}\n`);
  });

  it('is in neither stream of a pipe', async () => {
    const service = await scriptedService([slow]);
    const { stdout, stderr } = await run(['me', '--json'], { env: service.env });
    expect({ stdout, stderr }).toEqual({ stdout: `${JSON.stringify(hello)}\n`, stderr: '' });
  });

  it.each([
    { how: 'Ctrl-C', exit: 130 },
    { how: 'SIGTERM', exit: 143 },
  ])('ends with $how, and the cursor is back', async ({ how, exit }) => {
    const folder = temporaryFolder();
    const { env } = await scriptedService([() => {}]);
    const screen = shellAtTerminal('echo "pid $$."; exec $vals me --json > out', env, folder);
    await screen.shows(hide);
    if (how === 'SIGTERM') process.kill(Number(/pid (\d+)\./.exec(screen.text())?.[1]), 'SIGTERM');
    else screen.press('\u0003');
    expect(await screen.ended).toBe(exit);
    expect(screen.text().lastIndexOf(show)).toBeGreaterThan(screen.text().lastIndexOf(hide));
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('');
    const said = lines(screen.text()).at(-1) ?? '';
    expect(JSON.parse(said.slice(said.indexOf('{')))).toMatchObject({ error: { exit } });
  });

  it('of a push that is interrupted gives way to what was done', async () => {
    const folder = temporaryFolder();
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, `${name}.ts`), name);
    const { env } = await scriptedService([{ status: 201, body: { id, version: 1 } }, () => {}]);
    const screen = shellAtTerminal(
      'exec $vals push a.ts b.ts c.ts --concurrency 1 --json > out',
      env,
      folder,
    );
    await screen.shows('1 of 3');
    screen.press('\u0003');
    expect(await screen.ended).toBe(130);
    const outcomes = JSON.parse(readFileSync(join(folder, 'out'), 'utf8')) as Row[];
    expect(outcomes.map(({ status }) => status)).toEqual(['created', 'failed', 'skipped']);
  });
});
