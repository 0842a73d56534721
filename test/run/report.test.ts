import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/core/errors.ts';
import { quickRetries } from '../support/clocks.ts';
import { run, runOnScreen, runProcess, temporaryFolder } from '../support/program.ts';
import { scriptedService, testToken } from '../support/scripted-service.ts';
import { startStrict } from '../support/strict-service.ts';
import { folderWith } from './folder.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';
const code = 'export default (name = "you") => { if (name === "x") throw new Error("no x"); return name }';

describe('a run on a service that records runs', () => {
  async function workspace() {
    const { env } = await startStrict({ list: true, version: true, recordRuns: true });
    const { path, write } = folderWith({ 'one.ts': code, 'vals.json': '{}' });
    const home = temporaryFolder();
    const vals = async (...args: string[]) => {
      const result = await run(args, { env, cwd: path, home });
      expect(result.stderr).not.toMatch(/warning|Unexpected/);
      return result;
    };
    await vals('push', 'one.ts');
    const runs = async () => JSON.parse((await vals('runs', '--json')).stdout);
    return { write, vals, runs };
  }

  it('is reported for a name and for a version, and not for a file', async () => {
    const { write, vals, runs } = await workspace();
    const { stdout } = await vals('run', '--json', 'one', 'Ada');
    const { value, run: reported } = JSON.parse(stdout);
    expect(value).toBe('Ada');
    const { logs: _logs, ...recorded } = reported;
    expect(await runs()).toEqual([expect.objectContaining(recorded)]);
    expect((await vals('run', 'one', 'x')).exit).toBe(12);
    expect((await runs())[0]).toMatchObject({
      val: { id: reported.val.id, name: 'one', version: 1 },
      error: expect.stringMatching(/^Error: no x\n {4}at default \(one@1:1:\d+\)$/),
    });
    await vals('run', 'one.ts');
    await vals('run', '--no-report', 'one');
    expect(await runs()).toHaveLength(2);
    write('one.ts', `${code} // changed`);
    await vals('push', 'one.ts');
    for (const val of ['one@1', `${reported.val.id}@1`]) {
      expect((await vals('run', val)).stdout).toBe('you\n');
      expect((await runs())[0].val.version).toBe(1);
    }
    // The service takes the beginning of an error that is too long.
    write('one.ts', 'export default () => { throw new Error("\\x01".repeat(60_000) + "\\ud800") }');
    await vals('push', 'one.ts');
    await vals('run', 'one');
    const [{ error }] = await runs();
    expect(error).toMatch(/^Error: \x01+$/);
    expect(JSON.stringify(error).length - 2).toBeGreaterThan(65_000);
  });

  it('that was not recorded says why at a terminal, and one of a file says nothing', async () => {
    const { env } = await startStrict({ list: true });
    const { path } = folderWith({ 'one.ts': code });
    const screenOf = async (...args: string[]) => (await runOnScreen(args, { env, cwd: path })).screen;
    await screenOf('push', 'one.ts');
    expect(await screenOf('run', 'one')).toBe(
      'you\r\nNot recorded: the service sent no version with the val.\r\n',
    );
    expect(await screenOf('run', '--no-report', 'one')).toBe('you\r\n');
    expect(await screenOf('run', 'one.ts')).toBe('you\r\n');
  });
});

it('an option of vals that stands after the file goes to the val, which a line says in a pipe, too', async () => {
  const { run } = folderWith({ 'a.ts': 'export default (...words: string[]) => words.join()' });
  const args = ['a.ts', '--base-url', 'https://x.test', '-h'];
  const stdout = '--base-url,https://x.test,-h\n';
  const stderr = '--base-url went to the val. To give it to `vals run`, write it before the file or val.\n';
  expect(await run(args)).toMatchObject({ exit: 0, stdout, stderr });
  expect(await run(['--quiet', ...args])).toMatchObject({ exit: 0, stdout, stderr: '' });
});

it('at a terminal, a line says of a file that imports others that no service can run it', async () => {
  const { path: cwd, run } = folderWith({
    'a.ts':
      'import { b } from "./b.ts"; import { b as again } from "./b.ts"; import "node:fs"; export default () => b + again',
    'b.ts': 'export const b: string = "b"',
    'c.ts': 'import type { b } from "./b.ts"; export default () => "c"',
  });
  const says = 'a.ts imports ./b.ts. A val is one file, so a.ts cannot run on a service.\r\n';
  expect((await runOnScreen(['run', 'a.ts'], { cwd })).screen).toBe(`${says}bb\r\n`);
  expect((await runOnScreen(['run', '--quiet', 'a.ts'], { cwd })).screen).toBe('bb\r\n');
  expect((await runOnScreen(['run', 'c.ts'], { cwd })).screen).toBe('c\r\n');
  expect(await run(['a.ts'])).toMatchObject({ stdout: 'bb\n', stderr: '' });
});

it.each([
  ['has no such route', 404, /^key .*\né\n$/],
  ['refuses it', 400, /^key .*\né\nwarning: The run was not recorded: /],
])(
  'a service that %s does not change the output of the run, and gets logs without the token',
  async (_name, status, warning) => {
    const printing = 'export default (key) => { console.log("key " + key); console.error("é"); return 1 }';
    const val = { id, name: 'one', version: 3, code: printing };
    const service = await scriptedService([{ body: val }, { status, body: { message: 'hm' } }]);
    const { exit, stdout, stderr } = await runProcess(['run', id, testToken], { env: service.env });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '1\n' });
    expect(stderr).toMatch(warning);
    const { method, path, body } = service.requests[1] ?? {};
    expect([method, path]).toEqual(['POST', `/v1/vals/${id}/runs`]);
    const times = { runStartAt: expect.any(String), runEndAt: expect.any(String) };
    expect(JSON.parse(body ?? '')).toEqual({ version: 3, ...times, error: null, logs: 'key ***\né\n' });
  },
);

it('the error of a run is reported without the token, wherever the error is cut', async () => {
  const throwing =
    'export default (key) => { throw new Error("Bearer " + key + "x".repeat(10_890 - key.length) + key) }';
  const val = { id, name: 'one', version: 3, code: throwing };
  const service = await scriptedService([{ body: val }, { status: 204 }]);
  const { exit, stderr } = await run(['run', id, testToken], { env: service.env });
  expect(exit).toBe(12);
  const { error } = JSON.parse(service.requests[1]?.body ?? '');
  expect(error).toMatch(/^Error: Bearer \*\*\*x+\**/);
  expect(error + stderr).not.toContain(testToken.slice(0, 8));
});

it('--watch runs again on each save of the file and of its imports', async () => {
  const { path, write } = folderWith({
    'a.ts': 'import { b } from "./b.ts"; export default () => b',
    'b.ts': 'export const b = "one"',
  });
  const ended = new AbortController();
  const steps: [shown: string, next: () => void][] = [
    ['one', () => write('b.ts', 'export const b = ')],
    ['b.ts:1:18 has a syntax error', () => write('b.ts', 'export const b = "two"')],
    ['two', () => write('a.ts', 'import "./c.ts"; export default () => "three"')],
    ['imports ./c.ts, and there is no such file', () => write('c.ts', '')],
    ['three', () => ended.abort(new InterruptedError(130))],
  ];
  const { screen } = await runOnScreen(['run', '--watch', 'a.ts'], {
    cwd: path,
    signal: ended.signal,
    heard({ screen }) {
      if (steps[0] !== undefined && screen.includes(steps[0][0])) steps.shift()?.[1]();
    },
  });
  expect(screen).not.toMatch(/^error:/m);
});

it('a file needs no service', async () => {
  const { path } = folderWith({ 'one.ts': code });
  const env = { VALS_BASE_URL: 'http://127.0.0.1:9', VALS_TOKEN: 'token-of-nowhere' };
  expect(await run(['run', 'one.ts'], { cwd: path, env, clock: quickRetries })).toMatchObject({
    exit: 0,
    stdout: 'you\n',
    stderr: '',
  });
});
