import { expect, it } from 'vitest';
import { run } from '../support/program.ts';
import { serviceInProcess } from '../support/service-in-process.ts';
import { folderWith } from './folder.ts';

const names = [
  'API_KEY',
  'FROM_ENV_FILE',
  'BOTH',
  'FROM_OTHER',
  'GIVEN',
  'VALS_TOKEN',
  'VALS_X',
  'LANG',
  'NODE_OPTIONS',
];
const code = `export default () => ${JSON.stringify(names)}.map((name) => process.env[name] ?? '-').join(' ')`;
const files = {
  'sub/a.ts': code,
  'package.json': '{}',
  '.env': 'FROM_ENV_FILE="a b"\nBOTH=file\nVALS_X=1',
  'other.env': 'FROM_OTHER=other # comment\nGIVEN=file',
};
const env = { API_KEY: 'sk-1', BOTH: 'mine', VALS_TOKEN: 'secret-token' };

it('a file gets the environment, the .env of its project, and what is given, but nothing of vals', async () => {
  const { run } = folderWith(files);
  expect((await run(['sub/a.ts'], { env })).stdout).toBe('sk-1 a b mine - - - - C.UTF-8 -\n');
  const more = ['--dotenv', 'other.env', '--env', 'GIVEN=a=b', '--env', 'API_KEY'];
  expect((await run([...more, 'sub/a.ts'], { env })).stdout).toBe('sk-1 a b mine other a=b - - C.UTF-8 -\n');
});

it('code of the service gets only what any program needs, and what is given', async () => {
  const service = await serviceInProcess();
  const { path } = folderWith(files);
  const vals = (...args: string[]) => run(args, { env: { ...env, ...service.env }, cwd: path });
  expect((await vals('push', 'sub/a.ts')).exit).toBe(0);
  expect((await vals('run', 'a')).stdout).toBe('- - - - - - - C.UTF-8 -\n');
  const given = ['--env', 'API_KEY', '--env', 'GIVEN=1', '--dotenv', 'other.env'];
  expect((await vals('run', ...given, 'a')).stdout).toBe('sk-1 - - other 1 - - C.UTF-8 -\n');
});

it('options of Node are handed on, unless they load files that the sandbox hides', async () => {
  const { run } = folderWith(files);
  const withOptions = async (NODE_OPTIONS: string) =>
    (await run(['sub/a.ts'], { env: { NODE_OPTIONS } })).stdout.trim().split(' ').at(-1);
  expect(await withOptions('--no-deprecation')).toBe('--no-deprecation');
  expect(await withOptions('--require /editor/debugger.js')).toBe('-');
});
