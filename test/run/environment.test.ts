import { expect, it } from 'vitest';
import { environmentOf } from '../../src/run/process/environment.ts';
import { folderOf, run } from '../support/program.ts';
import { startStrict } from '../support/strict-service.ts';

const files = {
  'sub/a.ts': `export default () => ['API_KEY', 'FROM_ENV_FILE', 'GIVEN', 'VALS_TOKEN', 'LANG'].map((name) => process.env[name] ?? '-').join(' ')`,
  'package.json': '{}',
  '.env': 'FROM_ENV_FILE="a b"\nBOTH=file\nVALS_X=1',
  'other.env': 'FROM_OTHER=other # comment\nGIVEN=file',
};
const env = { API_KEY: 'sk-1', BOTH: 'mine', VALS_TOKEN: 'secret-token', LANG: 'C' };

function optionsFor(own: NodeJS.ProcessEnv) {
  const project = folderOf(files);
  const given = { dotenv: [] as string[], variables: [], isSandboxed: true };
  return { env: own, isOwnFile: true, project, cwd: project, ...given };
}

it('a file gets the environment, the .env of its project, and what is given, but nothing of vals', () => {
  const options = optionsFor(env);
  const own = { API_KEY: 'sk-1', BOTH: 'mine', LANG: 'C', FROM_ENV_FILE: 'a b' };
  expect(environmentOf(options)).toEqual(own);
  const variables = [{ name: 'GIVEN', value: 'a=b' }];
  const more = environmentOf({ ...options, dotenv: ['other.env'], variables });
  expect(more).toEqual({ ...own, FROM_OTHER: 'other', GIVEN: 'a=b' });
});

it('other code gets only what any program needs, and what is given', () => {
  const options = { ...optionsFor(env), isOwnFile: false };
  expect(environmentOf(options)).toEqual({ LANG: 'C' });
  const variables = [{ name: 'API_KEY', value: undefined }];
  const more = environmentOf({ ...options, dotenv: ['other.env'], variables });
  expect(more).toEqual({ LANG: 'C', FROM_OTHER: 'other', GIVEN: 'file', API_KEY: 'sk-1' });
});

it('options of Node are handed on, unless they load files that the sandbox hides', () => {
  const withOptions = (NODE_OPTIONS: string) => environmentOf(optionsFor({ NODE_OPTIONS })).NODE_OPTIONS;
  expect(withOptions('--no-deprecation')).toBe('--no-deprecation');
  expect(withOptions('--require /editor/debugger.js')).toBeUndefined();
});

it('a file is run with its environment, and code of the service without it', async () => {
  const service = await startStrict({ list: true });
  const cwd = folderOf(files);
  const vals = (...args: string[]) => run(args, { env: { ...env, ...service.env }, cwd });
  expect((await vals('push', 'sub/a.ts')).exit).toBe(0);
  expect((await vals('run', '--env', 'GIVEN=a=b', 'sub/a.ts')).stdout).toBe('sk-1 a b a=b - C\n');
  expect((await vals('run', '--env', 'API_KEY', '--dotenv', 'other.env', 'a')).stdout).toBe(
    'sk-1 - file - C\n',
  );
});
