import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { scriptedService, testToken } from '../support/scripted-service.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const invisible = /\p{Default_Ignorable_Code_Point}|\\u[\da-f]{4}/gu;

describe.each([
  ['a zero-width space', '\u200b'],
  ['a word joiner', '\u2060'],
  ['a soft hyphen', '\u00ad'],
  ['a variation selector', '\ufe0f'],
  ['a tag character', '\u{e0041}'],
  ['a direction mark', '\u200e'],
])('the token with %s between its letters', (_name, character) => {
  const hidden = [...testToken].join(character);

  it.each([
    [['val', 'get', id]],
    [['val', 'get', id, '--json']],
    [['val', 'get', id, '--ndjson']],
    [['val', 'get', id, '--code']],
    [['val', 'get', id, '--fields', 'name']],
    [['likes']],
    [['likes', '--json']],
    [['runs', '--full']],
    [['me', '--debug']],
    [['me', '--json']],
    [['run', '--no-report', id]],
  ])('is not printed by %j', async (args) => {
    const val = {
      id,
      name: `${testToken} ${hidden}`,
      code: `export default () => '${hidden}'`,
      [hidden]: [hidden],
      error: hidden,
    };
    const service = await scriptedService([], ({ path }) => {
      if (path === '/v1/me') return { status: 400, body: { message: `no ${hidden}`, [hidden]: 1 } };
      return path.startsWith('/v1/me') ? { body: [val] } : { body: val };
    });
    for (const terminal of [undefined, { columns: 100, rows: 50 }]) {
      const { stdout, stderr } = await inProcess(args, { env: service.env, ...(terminal && { terminal }) });
      expect(stdout + stderr).toContain('***');
      expect((stdout + stderr).replace(invisible, '')).not.toContain(testToken);
    }
  });
});

it.each([[['val', 'rm', id]], [['version', 'rm', id, '1']]])(
  'the token as a name is not printed by the question of %j',
  async (args) => {
    const service = await scriptedService([], () => ({ body: { id, name: `a-${testToken}`, version: 2 } }));
    const { screen } = await inProcess(args, {
      env: service.env,
      terminal: { columns: 100 },
      answers: [{ after: '[y/N]', keys: 'n\n' }],
    });
    expect(screen).toContain('the val a-***');
    expect(screen).not.toContain(testToken);
  },
);

it('invisible characters that hide no token stay', async () => {
  const name = '👩\u200d💻 ن\u200cم';
  const service = await scriptedService([{ body: { id, name } }]);
  const { stdout } = await inProcess(['val', 'get', id, '--fields', 'name', '--json'], { env: service.env });
  expect(JSON.parse(stdout)).toEqual({ name });
});

it.each([2_000, 65_536, 1_048_000])(
  'the token at character %i of an error is not cut in half',
  async (end) => {
    const body = `${' '.repeat(end + 1 - testToken.length)}${testToken} is wrong`;
    const service = await scriptedService([], () => ({ status: 400, body }));
    const { stderr } = await inProcess(['me'], { env: service.env });
    expect(stderr).toContain('refused the request: *** is wrong.');
  },
);

it('the token in a long title of an HTML page is not cut in half', async () => {
  const beginning = '<html><title>';
  const spaces = ' '.repeat(10_001 - beginning.length - testToken.length);
  const body = `${beginning}${spaces}${testToken}</title>`;
  const service = await scriptedService([], () => ({ status: 400, body }));
  const { stderr } = await inProcess(['me'], { env: service.env });
  expect(stderr).toContain('refused the request: an HTML page.');
});
