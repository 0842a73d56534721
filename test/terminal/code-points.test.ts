import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type InProcessOptions, inProcess, type Output } from '../support/in-process.ts';
import { runAtTerminal, temporaryFolder } from '../support/program.ts';
import { type Reply, type Seen, scriptedService } from '../support/scripted-service.ts';
import { id, moving, tabRows } from './support.ts';

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
const controls = [...range(0x00, 0x1f), 0x7f, ...range(0x80, 0x9f)];
const bidi = [0x061c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)];
const others = [0x2028, 0x2029, 0xfeff];
const halves = [0xd800, 0xdbff, 0xdc00, 0xdfff];
const whole = [...controls, ...bidi, ...others];
const points = [...whole, ...halves];
const name = (point: number): string => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;

type Group = [names: string, points: readonly number[]];
const groupsOf = (chosen: readonly number[]): Group[] => {
  const alone: number[] = chosen.filter((point) => point === 0x0a || point === 0x0d);
  const together = chosen.filter((point) => !alone.includes(point));
  return [...alone.map((point) => [point]), together].map((group) => {
    const names = group.map(name);
    return [names.length > 2 ? `${names[0]} to ${names.at(-1)}` : names.join(' '), group];
  });
};
const around = (before: string, group: number | readonly number[], after: string): string =>
  `${before}${[group]
    .flat()
    .map((point) => String.fromCharCode(point))
    .join('x')}${after}`;

const movingInJson = new RegExp(moving.source.replace('\\ufeff', ''));
const ownSequences = /\u001b\[\??\d*(?:;\d+)*[A-Za-z]/g;
const bare = (text: string): string => text.replace(ownSequences, '');
const rawIn = (text: string, forbidden = moving): string | undefined => {
  const found = forbidden.exec(bare(text))?.[0];
  return found === undefined ? undefined : name(found.charCodeAt(0));
};

const wide = { columns: 5_000 };
const narrow = { columns: 40 };
const colours: Record<string, string>[] = [{ NO_COLOR: '1' }, { FORCE_COLOR: '1' }];

async function still(argv: readonly string[], options: InProcessOptions): Promise<Output> {
  const output = await inProcess(argv, options);
  const { stdout, stderr } = output;
  const has = (...words: string[]) => words.some((word) => argv.includes(word));
  const mayHaveTabs = options.terminal === undefined || has('--code', '--readme');
  const forbidden = has('--json', '--ndjson') ? movingInJson : moving;
  const raw = [mayHaveTabs ? stdout.replaceAll('\t', '') : stdout, stderr].map((text) =>
    rawIn(text, forbidden),
  );
  expect({ argv, raw, stderr }).toEqual({ argv, raw: [undefined, undefined], stderr });
  return output;
}

const runWith = (point: number | readonly number[]) => ({
  id: around('i', point, 'd'),
  val: { id: around('v', point, 'i'), name: around('n', point, 'm'), version: around('1', point, '') },
  runStartAt: around('2026-01-01T00:00:00Z', point, ''),
  error: { message: around('e', point, 'r') },
  [around('k', point, 'y')]: around('w', point, 'x'),
  nested: { [around('a', point, 'b')]: [around('c', point, 'd')] },
});

async function serviceOf(reply: (seen: Seen) => Reply) {
  const { env } = await scriptedService([], reply);
  return { ...env, VALS_CONFIG_DIR: temporaryFolder() };
}

const runsService = (chosen = points) =>
  serviceOf(() => ({ body: { data: chosen.map(runWith), links: {} } }));

describe('a list', () => {
  const list = ['runs', '--all'];

  it.each([narrow, wide])(
    'as a table on $columns columns has no character that moves the cursor',
    async (terminal) => {
      const env = await runsService();
      for (const colour of colours) {
        const { exit, stdout } = await still(list, { env: { ...env, ...colour }, terminal });
        expect({ exit, lines: stdout.split('\n').length }).toEqual({ exit: 0, lines: points.length + 2 });
      }
    },
  );

  it('as a table shows each value escaped', async () => {
    const env = { ...(await runsService()), NO_COLOR: '1' };
    const rows = (await still(list, { env, terminal: wide })).stdout.split('\n').slice(1, -1);
    const escaped = (before: string, after: string) =>
      new RegExp(`${before}\\\\(?:[tnr]|u[0-9a-f]{4})${after}`);
    for (const [index, point] of whole.entries()) {
      const error = point === 0x0a || point === 0x0d ? /e\b/ : escaped('e', 'r');
      for (const expected of [escaped('n', 'm'), error, escaped('i', 'd')])
        expect(`${name(point)} ${rows[index]}`).toMatch(expected);
    }
  });

  it.each([
    { what: 'every point that moves', chosen: whole },
    { what: 'halves of surrogate pairs', chosen: halves },
  ])('in a pipe can be decoded to the identical values: $what', async ({ chosen }) => {
    const env = await runsService(chosen);
    const runs = chosen.map(runWith);
    const { exit, stdout, stderr } = await still(list, { env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(tabRows(stdout)).toEqual(
      runs.map(({ runStartAt, val, error, id }) => [
        runStartAt,
        '',
        val.name,
        val.version,
        error.message,
        id,
      ]),
    );
    const chosenFields = await still([...list, '--fields', 'id,val.name,nested'], { env });
    expect(
      tabRows(chosenFields.stdout).map(([id, name, nested = '']) => [id, name, JSON.parse(nested)]),
    ).toEqual(runs.map(({ id, val, nested }) => [id, val.name, nested]));
  });

  it.each([
    { terminal: undefined, flag: '--json' },
    { terminal: narrow, flag: '--json' },
    { terminal: undefined, flag: '--ndjson' },
    { terminal: narrow, flag: '--ndjson' },
  ])(
    'as $flag is lossless and has no character that moves the cursor (terminal: $terminal)',
    async ({ terminal, flag }) => {
      const env = await runsService();
      const { exit, stdout } = await still([...list, flag, '--color'], { env, terminal });
      expect(exit).toBe(0);
      const text = bare(stdout);
      const records: unknown[] =
        flag === '--json'
          ? JSON.parse(text)
          : text
              .trimEnd()
              .split('\n')
              .map((line) => JSON.parse(line));
      expect(records).toEqual(points.map(runWith));
    },
  );
});

describe('one record', () => {
  const me = (point: number | readonly number[]) => ({
    username: around('u', point, 'n'),
    id: around('i', point, 'd'),
    [around('k', point, 'y')]: around('w', point, 'x'),
    nested: { [around('a', point, 'b')]: [around('c', point, 'd')] },
  });

  it.each([...groupsOf(whole), ...groupsOf(halves)])(
    'with %s is escaped at a terminal, and lossless in a pipe and as JSON',
    async (_names, group) => {
      const record = me(group);
      const env = await serviceOf(() => ({ body: record }));
      for (const terminal of [narrow, wide]) {
        for (const colour of colours) {
          const { exit, stdout } = await still(['me'], { env: { ...env, ...colour }, terminal });
          expect({ exit, lines: stdout.split('\n').length }).toEqual({ exit: 0, lines: 5 });
        }
      }
      for (const terminal of [undefined, narrow, wide]) {
        const { stdout } = await still(['me', '--json'], { env, terminal });
        expect(JSON.parse(bare(stdout))).toEqual(record);
      }
      if (group.some((point) => halves.includes(point))) return;
      const tabs = await still(['me', '--fields', 'username,id,nested.a'], { env });
      expect(tabRows(tabs.stdout)).toEqual([[record.username, record.id, '']]);
    },
  );

  it.each(['me', 'likes'])('with special characters in a key is found by --fields of %s', async (command) => {
    // A command line cannot contain the character NUL, so the point 0 is left out.
    for (const [, group] of groupsOf(whole.filter((point) => point !== 0))) {
      const env = await serviceOf(() => ({
        body: command === 'me' ? me(group) : { data: [me(group)], links: {} },
      }));
      const key = around('k', group, 'y');
      const value = around('w', group, 'x');
      const args = [command, '--fields', key];
      const { stdout } = await still([...args, '--json'], { env });
      expect(JSON.parse(stdout)).toEqual(command === 'me' ? { [key]: value } : [{ [key]: value }]);
      expect(tabRows((await still(args, { env })).stdout)).toEqual([[value]]);
      const shown = await still(args, { env: { ...env, NO_COLOR: '1' }, terminal: wide });
      expect(shown.stdout.split('\n').length).toBeLessThanOrEqual(3);
    }
  });
});

describe('code', () => {
  it.each([...groupsOf(whole), ...groupsOf(halves)])(
    'with %s is escaped at a terminal, and lossless in a pipe and as JSON',
    async (_names, group) => {
      const code = `a${around('\t"', group, '"\n')}b`;
      const env = await serviceOf(() => ({ body: { id: 'x', code, readme: code } }));
      for (const flag of ['--code', '--readme']) {
        const args = ['val', 'get', id, flag];
        expect((await still(args, { env, terminal: narrow })).exit).toBe(0);
        // Half of a surrogate pair cannot be written as UTF-8, so `halves` are not compared.
        if (!halves.includes(group[0] ?? 0)) expect((await inProcess(args, { env })).stdout).toBe(code);
        for (const terminal of [undefined, narrow]) {
          const { stdout } = await still([...args, '--json'], { env, terminal });
          expect(JSON.parse(bare(stdout))).toEqual(code);
        }
      }
    },
  );
});

describe('messages on stderr escape', () => {
  const word = around(
    'w',
    whole.filter((point) => point > 0),
    'd',
  );
  const nowhere = {
    VALS_BASE_URL: 'http://127.0.0.1:1',
    VALS_TOKEN: 'test-token-1f0c9a7e',
    VALS_CONFIG_DIR: '/nowhere',
    GITHUB_ACTIONS: 'true',
  };

  async function said(
    argv: readonly string[],
    env: Record<string, string>,
    input?: string,
  ): Promise<Output[]> {
    const outputs = await Promise.all([
      still(argv, { env, input }),
      ...colours.map((colour) => still(argv, { env: { ...env, ...colour }, input, terminal: narrow })),
    ]);
    for (const { stderr } of outputs) expect(stderr).not.toBe('');
    return outputs;
  }

  it.each([...groupsOf(whole), ...groupsOf(halves)])(
    'an error of the service with %s',
    async (_names, point) => {
      const bodies = [
        { message: around('m', point, 's') },
        { error: { message: around('m', point, 's') }, title: around('t', point, 't') },
        {
          [around('k', point, 'y')]: 1,
          errors: [{ message: around('m', point, 's') }, around('d', point, 't')],
        },
        around('t', point, 't'),
      ];
      for (const body of bodies) {
        const env = await serviceOf(() => ({ status: 400, body: JSON.stringify(body) }));
        const outputs = await said(['me', '--debug'], env);
        expect(outputs.map(({ exit }) => exit)).toEqual([6, 6, 6]);
        const { stderr } = await still(['me', '--json'], { env });
        expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error.body).toEqual(body);
      }
      const page = `<html><title>${around('t', point, 't')}</title>`;
      const headers = { 'content-type': 'text/html' };
      await said(['me'], await serviceOf(() => ({ status: 400, headers, body: page })));
      await said(['runs'], await serviceOf(() => ({ body: { [around('k', point, 'y')]: {} } })));
    },
  );

  it.each(groupsOf(range(0x80, 0x9f)))('the target of a redirect with %s', async (_names, point) => {
    const location = around('/l', point, 'n');
    const env = await serviceOf(() => ({ status: 302, headers: { location } }));
    for (const { exit } of await said(['me', '--debug'], env)) expect(exit).toBe(11);
  });

  it('words that the user typed', async () => {
    for (const argv of [
      [word],
      ['me', `--${word}`],
      ['me', `--${word}=x`],
      ['me', '--base-url', word],
      ['runs', '--limit', word],
      ['runs', '--since', word],
      ['me', '--fields', `${word},,`],
      ['me', '--timeout', word],
      ['comments', '--relationship', word],
      ['version', 'get', id, word],
      ['push', `/nowhere/${word}.ts`],
      ['push', `/nowhere/${word}.ts`, `/nowhere/b/${word}.ts`],
      ['val', 'create', 'x', `/nowhere/${word}`],
      ['serve', '--port', word],
    ]) {
      for (const { exit } of await said(argv, nowhere)) expect(exit).toBeGreaterThan(1);
    }
    const failing = await serviceOf(() => ({ status: 409, body: { message: word } }));
    await said(['val', 'create', word, '-'], failing, 'code');
    await said(['version', 'new', id], failing, 'code');
    const config = { ...nowhere, VALS_CONFIG_DIR: `/nowhere/${word}`, NO_PROXY: word };
    await still(['config'], { env: config, terminal: wide });
    const { stdout } = await still(['config', '--json'], { env: config });
    expect(JSON.parse(stdout)).toContainEqual({ setting: 'no-proxy', value: word, source: 'NO_PROXY' });
  });

  it('the name of a val after a write with an unknown outcome', async () => {
    const env = await serviceOf(({ method, path }) => {
      if (method === 'POST') return { status: 500, body: { message: word } };
      if (path === '/v1/me') return { body: { id: 'u1', username: 'ada' } };
      return { body: { data: [{ id, name: word }], links: {} } };
    });
    for (const { exit, stderr } of await said(['version', 'new', word], env, 'code')) {
      expect({ exit, hint: stderr.includes('vals version ls') }).toEqual({ exit: 8, hint: true });
    }
    for (const { exit } of await said(['val', 'rm', `no ${word}`, '--yes'], env)) expect(exit).toBe(3);
  });
});

describe('file names', () => {
  const allowed = whole.filter((point) => point !== 0);
  const names = allowed.map((point) => around('f', point, 'n')).toSorted();

  function folderOfFiles(): string {
    const folder = join(temporaryFolder(), 'vals');
    mkdirSync(folder);
    for (const name of names) writeFileSync(join(folder, `${name}.ts`), 'code');
    return folder;
  }

  it('are sent and shown unchanged', async () => {
    const folder = folderOfFiles();
    const received: string[] = [];
    const env = await serviceOf(({ body }) => {
      const { name } = JSON.parse(body) as { name: string };
      received.push(name);
      return { status: 201, body: { id: name, version: 1 } };
    });
    const args = ['push', folder];
    const { exit, stdout } = await still([...args, '--json'], { env });
    expect(exit).toBe(0);
    expect(received.toSorted()).toEqual(names);
    const outcomes = JSON.parse(stdout) as { file: string; name: string; id: string }[];
    expect(outcomes.map(({ name }) => name).toSorted()).toEqual(names);
    expect(outcomes.filter(({ file, name, id }) => basename(file, '.ts') !== name || id !== name)).toEqual(
      [],
    );
    const rows = tabRows((await still(args, { env })).stdout);
    expect(rows.map(([, name]) => name).toSorted()).toEqual(names);
    expect(rows.filter(([, name, , id, file]) => file !== join(folder, `${name}.ts`) || id !== name)).toEqual(
      [],
    );
    for (const terminal of [narrow, wide]) {
      const shown = await still(args, { env, terminal });
      expect(shown.stdout.split('\n')).toHaveLength(allowed.length + 2);
    }
  });

  it('of failed vals are escaped, also in annotations for a CI runner', async () => {
    const folder = folderOfFiles();
    const reply = ({ body }: Seen) => ({ status: 422, body: { message: JSON.parse(body).name } });
    const env = { ...(await serviceOf(reply)), GITHUB_ACTIONS: 'true' };
    for (const terminal of [undefined, narrow, wide]) {
      const { exit, stderr } = await still(['push', folder], { env, terminal });
      const annotations = stderr.split('\n').filter((line) => line.includes('::error file='));
      expect({ exit, annotations: annotations.length }).toEqual({ exit: 6, annotations: allowed.length });
    }
  });
});

it('no output moves the cursor of a real terminal', async () => {
  const point = [0x07, 0x1b, 0x7f, 0x90, 0x9b, 0x202e, 0x2028, 0x0d];
  const word = around('w', point, 'd');
  const env = await serviceOf(({ path, method }) => {
    if (method === 'DELETE') return { status: 404, body: { message: word } };
    return { body: path.startsWith('/v1/me/runs') ? [runWith(point)] : { id, name: word } };
  });
  const table = await runAtTerminal(['runs'], { env });
  const asked = await runAtTerminal(['val', 'rm', id], {
    env,
    answers: [{ after: '[y/N]', keys: 'y\r' }],
  });
  expect([table, asked].map(({ exit }) => exit)).toEqual([0, 3]);
  const raw = [table, asked].map(({ screen }) => rawIn(screen.replaceAll(/\r+\n/g, '\n')));
  expect(raw).toEqual([undefined, undefined]);
});
