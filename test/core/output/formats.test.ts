import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budget } from '../../support/cases.ts';
import { run, runOnScreen } from '../../support/program.ts';
import { type Reply, scriptedService } from '../../support/scripted-service.ts';
import { startStrict } from '../../support/strict-service.ts';
import { bare, hello, id, list, moving, plain, tabRows } from './support.ts';

describe('tab-separated lines in a pipe', () => {
  const rows = [
    { id: 'a', name: 'one', privacy: 'public', version: 1, createdAt: '2026-01-31T09:30:00+02:00' },
    { id: 'b', name: 'two', version: 0, author: { username: '@ada' } },
  ];
  const text = 'one\tpublic\t1\t\t2026-01-31T09:30:00+02:00\t\ta\ntwo\t\t0\t@ada\t\t\tb\n';

  it('have no header and no colour, and are not cut, whatever the environment says of colour', async () => {
    const env = { FORCE_COLOR: '3', COLORTERM: 'truecolor', CLICOLOR_FORCE: '1', COLUMNS: '10' };
    const service = await scriptedService([list(rows)]);
    const result = await run(['likes'], { env: { ...service.env, ...env } });
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

  it('--color shows the line that sums up a change in place of its record, on stderr', async () => {
    const { env } = await startStrict();
    const push = ['push', '-', '--name', 'hello', '--color'];
    const { stdout, stderr } = await run(push, { env: { ...env, LANG: 'C.UTF-8' }, input: 'code' });
    expect({ stdout, stderr: plain(stderr) }).toEqual({
      stdout: '',
      stderr: expect.stringContaining('Created hello.'),
    });
    expect(await run([...push, '--quiet'], { env, input: 'two' })).toMatchObject({
      stdout: '',
      stderr: '',
    });
  });

  it('escape any text so that it can be restored', async () => {
    const backslashes = ['\t\n\r\\', '\\', '\\\\', '\\n', '\\\n', 'C:\\temp\\u0041', '\\t\t'];
    // fast-check needs seconds to prepare its own unit of any character.
    const unit = fc.oneof(fc.nat(0xff), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }));
    const text = fc.string({ unit: unit.map((point) => String.fromCodePoint(point)), maxLength: 40 });
    const random = fc.sample(text, { numRuns: budget(60), seed: 20_260_131 });
    const values = [...backslashes, ...random];
    const service = await scriptedService([list(values.map((name) => ({ name, version: 7 })))]);
    const { exit, stdout } = await run(['likes', '--all', '--fields', 'name,version'], { env: service.env });
    expect(exit).toBe(0);
    expect(tabRows(stdout)).toEqual(values.map((name) => [name, '7']));
    expect(stdout).toContain('\\t\\n\\r\\\\\t7\n');
    expect(stdout.replaceAll('\t', '')).not.toMatch(moving);
  });
});

it('--json is one array over several pages, indented at a terminal, and --ndjson a line for each record', async () => {
  const rows = Array.from({ length: 5 }, (_, index) => ({ id: `r${index}`, o: { b: [1] } }));
  const pages = (): Reply[] => [
    { body: { data: rows.slice(0, 2), links: { next: '?offset=2' } } },
    { body: { data: rows.slice(2, 4), links: { next: '?offset=4' } } },
    { body: { data: rows.slice(4), links: {} } },
  ];
  const service = await scriptedService([...pages(), ...pages(), ...pages()]);
  const pipe = await run(['likes', '--all', '--json'], { env: service.env });
  expect(pipe.stdout).toBe(`${JSON.stringify(rows)}\n`);
  const many = await runOnScreen(['likes', '--all', '--json', '--quiet'], { env: service.env });
  expect(bare(many.screen)).toBe(`${JSON.stringify(rows, undefined, 2)}\n`);
  const ndjson = await runOnScreen(['likes', '--all', '--ndjson', '--quiet'], { env: service.env });
  expect(bare(ndjson.screen)).toBe(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
});

describe('--fields', () => {
  const record =
    '{"id":"r","a":{"b":1,"c":{"d":2}},"s":"text","n":null,"big":1234567890,' +
    '"tags":["x","y"],"dot.ted":5,"__proto__":{"polluted":"yes"},"constructor":"mine"}';
  it.each([
    ['s,id', '{"s":"text","id":"r"}', 'text\tr'],
    ['a.c.d, a.b', '{"a":{"c":{"d":2},"b":1}}', '2\t1'],
    ['a.nope,id', '{"a":{"nope":null},"id":"r"}', '\tr'],
  ])('%s are chosen, in JSON and in cells', async (fields, json, cells) => {
    const { env } = await scriptedService([], () => ({ body: record }));
    const me = ['me', '--fields', fields];
    expect(await run([...me, '--json'], { env })).toMatchObject({ exit: 0, stdout: `${json}\n` });
    expect(await run(me, { env })).toMatchObject({ exit: 0, stdout: `${cells}\n` });
  });

  it('that a single record lacks are a warning that names those there are', async () => {
    const { env } = await scriptedService([{ body: hello }]);
    const { stdout, stderr } = await run(['val', 'get', id, '--fields', 'typo'], { env });
    expect(stdout).toBe('\n');
    expect(stderr).toMatch(/^warning: The record lacks the field "typo"\. The fields are: id, name, .*\n$/);
  });

  it('that no record of a list has are a warning, although a column looks for them', async () => {
    const service = await scriptedService([list([{ id: 'r', runStartAt: '2026-01-31T09:30:00Z' }])]);
    const { stderr } = await run(['runs', '--fields', 'id,startedAt', '--quiet'], { env: service.env });
    expect(stderr).toBe('warning: No record has the field "startedAt". The fields are: id, runStartAt.\n');
  });

  it.each(['', 'a,,b', 'a..b'])('refuse %j before anything is sent', async (fields) => {
    const service = await scriptedService([]);
    const { exit, stdout, error } = await run(['me', '--json', '--fields', fields], { env: service.env });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(error).toMatchObject({ kind: 'usage' });
    expect(service.requests).toEqual([]);
  });
});

describe('--code and --readme', () => {
  it('are printed byte for byte to a pipe', async () => {
    const text = '\ufeffa\u0000b\r\n\n\u0001\u001b[2J\u009b\u202e\\n\\u0000 \t 𝒳👩‍👩‍👧‍👦\uffff\u{10ffff}';
    const { env } = await scriptedService([], () => ({ body: { ...hello, code: text, readme: text } }));
    for (const args of [
      ['val', 'get', id, '--code'],
      ['val', 'get', id, '--readme'],
      ['version', 'get', id, '3', '--code'],
    ]) {
      expect(await run([...args, '--color'], { env })).toMatchObject({ exit: 0, stdout: text });
    }
  });

  it('end with exit 11 if the service did not send the text', async () => {
    const service = await scriptedService([{ body: { ...hello, code: null } }]);
    const { exit, stdout, stderr } = await run(['val', 'get', id, '--code'], { env: service.env });
    expect({ exit, stdout }).toEqual({ exit: 11, stdout: '' });
    expect(stderr).toContain('without its code');
  });
});
