import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type InProcessOptions, inProcess, type Output } from '../../support/in-process.ts';
import { folderOfVals, temporaryFolder } from '../../support/program.ts';
import { type Reply, type Seen, scriptedService } from '../../support/scripted-service.ts';
import { decoded, id, moving, tabRows } from './support.ts';

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
const controls = [...range(0x01, 0x1f), 0x7f, ...range(0x80, 0x9f)];
const bidi = [0x061c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)];
const separators = [0x2028, 0x2029, 0xfeff];
const halvesOfPairs = [0xd800, 0xdbff, 0xdc00, 0xdfff];
const textOf = (points: readonly number[]) => `w${points.map((p) => String.fromCharCode(p)).join('x')}d`;

/** Everything that a command line, a file name and UTF-8 can hold. */
const word = textOf([...controls, ...bidi, ...separators]);
/** A service can send NUL and halves of surrogate pairs as well. */
const evil = textOf([0, ...controls, ...bidi, ...separators, ...halvesOfPairs]);

const movingInJson = new RegExp(moving.source.replace('\\ufeff', ''));
const bare = (text: string): string => text.replace(/\u001b\[\??\d*(?:;\d+)*[A-Za-z]/g, '');
const rawIn = (text: string, forbidden = moving): string | undefined =>
  forbidden.exec(bare(text))?.[0].charCodeAt(0).toString(16);

const [wide, narrow] = [{ columns: 20_000 }, { columns: 40 }];
const screens: { terminal: typeof narrow; color: Record<string, string> }[] = [
  { terminal: narrow, color: { FORCE_COLOR: '1' } },
  { terminal: wide, color: { NO_COLOR: '1' } },
];

/** Runs a command, and fails if its output could move a cursor. */
async function still(argv: readonly string[], options: InProcessOptions): Promise<Output> {
  const output = await inProcess(argv, options);
  const { stdout, stderr } = output;
  const has = (...words: string[]) => words.some((word) => argv.includes(word));
  const mayHaveTabs = options.terminal === undefined || has('--code', '--readme');
  const forbidden = has('--json', '--ndjson') ? movingInJson : moving;
  const shown = [mayHaveTabs ? stdout.replaceAll('\t', '') : stdout, stderr];
  const raw = shown.map((text) => rawIn(text, forbidden));
  expect({ argv, raw, stderr }).toEqual({ argv, raw: [undefined, undefined], stderr });
  return output;
}

async function serviceOf(reply: (seen: Seen) => Reply): Promise<Record<string, string>> {
  const { env } = await scriptedService([], reply);
  return { ...env, VALS_CONFIG_DIR: temporaryFolder() };
}

const run = {
  id: `i${evil}`,
  val: { id: `v${evil}`, name: `n${evil}`, version: `1${evil}` },
  runStartAt: `2026-01-01T00:00:00Z${evil}`,
  error: { message: `e${evil}` },
  [`k${evil}`]: evil,
  nested: { [`a${evil}`]: [evil] },
};
const me = { username: `u${evil}`, id: `i${evil}`, [`k${evil}`]: evil, nested: { [`a${evil}`]: [evil] } };

describe.each([
  { what: 'a list', args: ['runs'], body: { data: [run], links: {} }, printed: [run], lines: 3 },
  { what: 'one record', args: ['me'], body: me, printed: me, lines: 5 },
])('$what', ({ args, body, printed, lines }) => {
  it('is escaped at a terminal', async () => {
    const env = await serviceOf(() => ({ body }));
    let shown = '';
    for (const { terminal, color } of screens) {
      const { exit, stdout } = await still(args, { env: { ...env, ...color }, terminal });
      expect({ exit, lines: stdout.split('\n').length }).toEqual({ exit: 0, lines });
      shown = stdout;
    }
    const cells = shown.split(/ {2,}|\n/).map(decoded);
    expect(cells).toContain(args[0] === 'me' ? me.username : run.val.name);
  });

  it.each(['--json', '--ndjson'])('is lossless with %s', async (flag) => {
    const env = await serviceOf(() => ({ body }));
    for (const terminal of [undefined, narrow]) {
      const { stdout } = await still([...args, flag, '--color'], { env, terminal });
      const isLine = flag === '--ndjson' && Array.isArray(printed);
      expect(JSON.parse(bare(stdout))).toEqual(isLine ? printed[0] : printed);
    }
  });
});

it.each(['--code', '--readme'])('%s is escaped at a terminal, and lossless elsewhere', async (flag) => {
  const code = `a\t"${word}\u0000"\nb`;
  const env = await serviceOf(() => ({ body: { id: 'x', code, readme: code } }));
  const args = ['val', 'get', id, flag];
  const { stdout } = await still(args, { env, terminal: narrow });
  expect(stdout).toContain('\\u001b');
  expect((await inProcess(args, { env })).stdout).toBe(code);
  for (const terminal of [undefined, narrow]) {
    const inJson = await still([...args, '--json'], { env, terminal });
    expect(JSON.parse(bare(inJson.stdout))).toBe(code);
  }
});

describe('messages on stderr escape', () => {
  async function said(argv: readonly string[], env: Record<string, string>, input?: string) {
    const outputs = [await still(argv, { env, input })];
    for (const { terminal, color } of screens) {
      outputs.push(await still(argv, { env: { ...env, ...color }, input, terminal }));
    }
    for (const { stderr } of outputs) expect(stderr).not.toBe('');
    return outputs[0]?.exit;
  }

  it.each<[what: string, argv: string[], exit: number, Reply]>([
    ['an error', ['me'], 6, { status: 400, body: { error: { message: evil }, title: evil } }],
    ['a text', ['me'], 6, { status: 400, body: JSON.stringify(evil) }],
    ['an HTML page', ['me'], 6, { status: 400, body: `<html><title>${evil}</title>` }],
    ['an unknown shape', ['runs'], 11, { body: { [evil]: {} } }],
    ['a redirect', ['me'], 11, { status: 302, headers: { location: `/l${textOf(range(0x80, 0x9f))}` } }],
    ['the names of files', ['push', `/nowhere/${word}.ts`, `/nowhere/b/${word}.ts`], 2, {}],
  ])('%s', async (_what, argv, exit, reply) => {
    expect(
      await said([...argv, '--debug'], { ...(await serviceOf(() => reply)), GITHUB_ACTIONS: 'true' }),
    ).toBe(exit);
  });

  it('the name of a val', async () => {
    const env = await serviceOf(({ method, path }) => {
      if (method === 'POST') return { status: 500, body: { message: word } };
      if (path === '/v1/me') return { body: { id: 'u1', username: 'ada' } };
      return { body: { data: [{ id, name: word }], links: {} } };
    });
    expect(await said(['version', 'new', word], env, 'code')).toBe(8);
    expect(await said(['val', 'rm', `no ${word}`, '--yes'], env)).toBe(3);
  });
});

it('the body of an error is lossless in JSON', async () => {
  const body = { error: { message: evil } };
  const { stderr } = await still(['me', '--json'], { env: await serviceOf(() => ({ status: 400, body })) });
  expect(JSON.parse(stderr).error.body).toEqual(body);
});

it('the names of files are printed unchanged', async () => {
  // Of the name of a file, at most 48 characters may be left for the name of its val.
  const points = [...controls, ...bidi, ...separators];
  const names = Array.from(
    { length: Math.ceil(points.length / 20) },
    (_, index) => `n${index}_${textOf(points.slice(20 * index, 20 * index + 20))}`,
  );
  const args = ['push', folderOfVals(names)];
  const env = await serviceOf(({ body }) => ({ status: 201, body: { id: JSON.parse(body).name } }));
  const { stdout } = await still([...args, '--json'], { env });
  const outcomes: { file: string }[] = JSON.parse(stdout);
  expect(outcomes.map(({ file }) => basename(file, '.ts')).toSorted()).toEqual(names.toSorted());
  const rows = tabRows((await still(args, { env })).stdout);
  expect(rows.map((row) => basename(row.at(-1) ?? '', '.ts')).toSorted()).toEqual(names.toSorted());
  for (const { terminal, color } of screens) await still(args, { env: { ...env, ...color }, terminal });
});
