import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/lib/waiting.ts';
import { run, runOnScreen, shellAtTerminal } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { held, hello, id, lines, list, plain, type Row } from './support.ts';

describe('a table at a terminal', () => {
  const long = 'a value that goes on and on and on, much further than any terminal of this test is wide';
  const rows: Row[] = [
    { name: 'plain', privacy: 'public', version: 1, author: { username: 'ada' }, id: 'i1' },
    { name: long, privacy: long, version: 123_456_789, author: { username: long }, id: 'i2' },
    { name: '日本語のとても長い名前がここにあって表の幅を超えてしまうほどです', privacy: '한국어', id: 'i3' },
    { name: '😀'.repeat(40), id: 'i4' },
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
    expect(screen).not.toContain('\ufffd');
    return all;
  }
  it.each([80, 40])('fits %i columns, with each value below its header', async (columns) => {
    const all = await table(rows, columns, ['--fields', 'name,privacy,version,author.username,id']);
    expect(all[0]).toMatch(/^NAME +PRI/);
    // Texts are cut, numbers are not.
    expect([all[2]?.includes(long), all[2]?.includes(' 123456789 ')]).toEqual([false, true]);
    const starts = all.map((line) => stringWidth(line.slice(0, line.search(/[iI]\w$/))));
    expect(starts).toEqual(all.map(() => all[0]?.indexOf('ID')));
  });

  it('is a block for each record if there are too many columns', async () => {
    const names = Array.from({ length: 14 }, (_, index) => `field${index}`);
    const record = Object.fromEntries(names.map((name) => [name, 'value']));
    const { env } = await scriptedService([list([record, record])]);
    const { screen } = await runOnScreen(['likes', '--fields', names.join(',')], { env, columns: 40 });
    const block = names.map((name) => `${name.padEnd(7)}  value`);
    expect(lines(screen)).toEqual([...block, '', ...block]);
  });
});

it('the id is left out before an error is cut', async () => {
  const error = (length: number) => `Error: ${'x'.repeat(length - 7)}`;
  const now = Date.parse('2026-01-31T09:30:00Z');
  const clock = { ...systemClock, now: () => now };
  const screenWith = async (length: number) => {
    const runStartAt = new Date(now).toISOString();
    const run = {
      id,
      val: { name: 'hello', version: 1 },
      runStartAt,
      runEndAt: runStartAt,
      error: error(length),
    };
    const { env } = await scriptedService([list([run])]);
    return (await runOnScreen(['runs', '--no-color'], { env, columns: 120, clock })).screen;
  };
  expect(await screenWith(60)).toContain(id.slice(0, 8));
  const cut = await screenWith(70);
  expect(cut).toContain(error(70));
  expect(cut).not.toContain(id.slice(0, 8));
});

describe('one record at a terminal', () => {
  it('is lines of key and value: known keys first, then all others', async () => {
    const service = await scriptedService([
      { body: { extra: 'kept', version: 1, name: 'hello', empty: null, nested: { a: 1 } } },
    ]);
    const { screen } = await runOnScreen(['version', 'get', id, '1', '--quiet'], { env: service.env });
    const pairs = ['name     hello', 'version  1', `id       ${id}`, 'extra    kept', 'nested   {"a":1}'];
    expect(lines(screen)).toEqual(pairs);
  });

  it('has the actor in a space, and the columns in a pipe are the same everywhere', async () => {
    const space = { username: 'acme', id, actor: { id: 'a1', username: 'ada' } };
    const service = await scriptedService([
      { body: space },
      { body: space },
      { body: { username: 'ada', id } },
    ]);
    const { screen } = await runOnScreen(['me', '--no-color'], { env: service.env });
    expect(lines(screen)).toEqual(['username  acme', `id        ${id}`, 'actor     ada']);
    const inPipe = async () => (await run(['me'], { env: service.env })).stdout;
    expect(await inPipe()).toBe(`acme\t${id}\t\t\t\t\t\tada\n`);
    expect(await inPipe()).toBe(`ada\t${id}\t\t\t\t\t\t\n`);
  });

  it('fits 40 columns', async () => {
    const record = {
      id: '1',
      name: '日本語'.repeat(40),
      code: `// é\n${'export const one = 1;\n'.repeat(5)}`,
      smiles: '😀'.repeat(50),
      ['long key '.repeat(20)]: 'value',
    };
    const { env } = await scriptedService([{ body: record }]);
    const args = ['version', 'get', id, '1', '--quiet'];
    const { screen } = await runOnScreen(args, { env, columns: 40 });
    expect(lines(screen)).toHaveLength(5);
    expect(lines(screen).filter((line) => stringWidth(line) > 40)).toEqual([]);
    expect(screen).not.toContain('\ufffd');
  });
});

describe('colour', () => {
  const painted = (text: string) => text.includes('\u001b[');

  it.each<[flag: string[], env: Record<string, string>, colored: boolean]>([
    [[], {}, true],
    [[], { FORCE_COLOR: '1', TERM: 'dumb' }, true],
    [[], { TERM: 'dumb' }, false],
    [['--color'], { NO_COLOR: '1' }, true],
    [['--no-color'], { FORCE_COLOR: '1' }, false],
  ])('at a terminal with %j %j: %j', async (flag, env, colored) => {
    const service = await scriptedService([list([hello])]);
    const { screen } = await runOnScreen(['likes', '--quiet', ...flag], { env: { ...service.env, ...env } });
    expect(screen).toContain('NAME');
    expect(painted(screen)).toBe(colored);
  });

  it('is never in JSON in a pipe', async () => {
    const service = await scriptedService([{ body: hello }, { status: 404 }]);
    const piped = await run(['me', '--json', '--color'], { env: { ...service.env, FORCE_COLOR: '1' } });
    expect(piped.stdout).toBe(`${JSON.stringify(hello)}\n`);
    const failed = await run(['me', '--json', '--color'], { env: service.env });
    expect(failed.error).toMatchObject({ kind: 'not_found' });
    expect(painted(failed.stderr)).toBe(false);
  });
});

it.each([
  { args: [], piped: '', screen: /^\S.*no vals.*\n$/i },
  { args: ['--json'], piped: '[]\n', screen: /^\[\]\n.*no vals.*\n$/i },
  { args: ['--quiet', '--json'], piped: '[]\n', screen: /^\[\]\n$/ },
])('an empty list with $args, in a pipe and at a terminal', async ({ args, piped, screen }) => {
  const { env } = await scriptedService([list([]), list([])]);
  expect(await run(['likes', ...args], { env })).toMatchObject({ exit: 0, stdout: piped, stderr: '' });
  const shown = await runOnScreen(['likes', '--no-color', ...args], { env });
  expect(shown.exit).toBe(0);
  expect(plain(shown.screen)).toMatch(screen);
});

describe('progress', () => {
  const hide = '\u001b[?25l';
  const show = '\u001b[?25h';

  it('is removed before the result is shown', async () => {
    const { reply, open } = held(hello);
    const { env } = await scriptedService([reply]);
    const screen = shellAtTerminal(`exec $vals val get ${id} --code`, env);
    await screen.shows(hide);
    open();
    expect(await screen.ended).toBe(0);
    const result = screen.text().indexOf(hello.code);
    expect(screen.text().slice(0, result)).toContain(show);
    expect(screen.text().slice(result).replaceAll(show, '')).toBe(hello.code);
  });

  it('does not appear in a pipe, nor with --quiet', async () => {
    const { reply, open } = held(hello);
    const service = await scriptedService([], () => reply);
    const env = { ...service.env, CI: undefined };
    const args = ['me', '--json', '--no-color'];
    const others = [runOnScreen([...args, '--quiet'], { env }), run(args, { env })];
    await runOnScreen(['me'], { env, heard: ({ stderr }) => stderr.includes('Waiting') && open() });
    const [quiet, piped] = await Promise.all(others);
    expect(quiet).toMatchObject({ screen: expect.not.stringContaining('Waiting') });
    expect(piped).toMatchObject({ stdout: `${JSON.stringify(hello)}\n`, stderr: '' });
  });

  it('appears again after a question', async () => {
    const { reply, open } = held(null);
    const { env } = await scriptedService([], ({ method }) => (method === 'GET' ? { body: hello } : reply));
    const { exit, screen } = await runOnScreen(['val', 'rm', id, '--no-color'], {
      env: { ...env, CI: undefined },
      answers: [{ after: '[y/N]', keys: 'y\r' }],
      heard: ({ stderr }) => stderr.slice(stderr.indexOf('[y/N]')).includes(hide) && open(),
    });
    expect({ exit, screen }).toEqual({ exit: 0, screen: expect.stringContaining('Deleted hello.') });
  });
});
