import { expect, it } from 'vitest';
import { folderOf, run } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';

const names = 'API_KEY BOTH FROM_ENV_FILE FROM_OTHER GIVEN LANG NODE_OPTIONS VALS_TOKEN VALS_X'.split(' ');
const files = {
  'sub/a.ts': `export default () => Object.fromEntries(${JSON.stringify(names)}.map((name) => [name, process.env[name]]))`,
  'package.json': '{}',
  '.env': 'FROM_ENV_FILE="a b"\nBOTH=file\nVALS_X=1',
  'other.env': 'FROM_OTHER=other # comment\nGIVEN=file\nBOTH=other',
};
const own = { API_KEY: 'sk-1', BOTH: 'mine', LANG: 'C' };

it('a file gets the environment, the .env of its project, and what is given; other code only what is given', async () => {
  const service = await startStrict({ list: true });
  const cwd = folderOf(files);
  const vals = (args: string[], more = {}) => run(args, { env: { ...own, ...service.env, ...more }, cwd });
  const environmentOf = async (args: string[], more = {}) =>
    JSON.parse((await vals(['run', ...args], more)).stdout);
  expect((await vals(['push', 'sub/a.ts'])).exit).toBe(0);

  expect(await environmentOf(['sub/a.ts'])).toEqual({ ...own, FROM_ENV_FILE: 'a b' });
  const given = ['--env', 'GIVEN=a=b', '--dotenv', 'other.env'];
  const all = { ...own, FROM_ENV_FILE: 'a b', FROM_OTHER: 'other', GIVEN: 'a=b' };
  expect(await environmentOf([...given, 'sub/a.ts'])).toEqual(all);
  const fromFile = { FROM_OTHER: 'other', GIVEN: 'file', BOTH: 'other' };
  expect(await environmentOf(['--env', 'API_KEY', '--dotenv', 'other.env', 'a'])).toEqual({
    ...{ API_KEY: 'sk-1', LANG: 'C', ...fromFile },
  });

  const options = async (NODE_OPTIONS: string) =>
    (await environmentOf(['sub/a.ts'], { NODE_OPTIONS })).NODE_OPTIONS;
  expect(await options('--no-deprecation')).toBe('--no-deprecation');
  // It would load a file that the sandbox hides.
  expect(await options('--require /editor/debugger.js')).toBeUndefined();
});
